# SPDX-License-Identifier: LGPL-2.1-or-later
# A file system whose server receives a request and never answers it. The requester stays in
# uninterruptible sleep: it cannot be killed until the connection is aborted from outside (fuse(4)).
# Arguments: the directory, and a file that is created when the request has arrived.
use strict;
use Fcntl;

use constant { SYS_MOUNT => 165, FUSE_INIT => 26 };

my ($directory, $mark) = @ARGV;
my $type = "fuse";
my $data;

sysopen(my $fuse, "/dev/fuse", O_RDWR) or die "/dev/fuse: $!";
my $options = sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fileno($fuse));
syscall(SYS_MOUNT, $type, $directory, $type, 0, $options) == 0 or die "mount: $!";

sysread($fuse, $data, 1 << 17);
my (undef, $opcode, $unique) = unpack("LLQ", $data);
die "not the first request: $opcode" if $opcode != FUSE_INIT;
# struct fuse_out_header, struct fuse_init_out
syswrite($fuse, pack("LlQ LLLLSSLL x36", 16 + 64, 0, $unique, 7, 31, 4096, 0, 12, 9, 4096, 1)) or die "init: $!";

my $child = fork();
if ($child == 0) {
	stat("$directory/x");
	exit(0);
}
sysread($fuse, $data, 1 << 17); # taken, and never answered
open(my $file, ">", $mark);
print $file $child;
close($file);
sleep(1000) while 1;
