/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans: makes as many dead children as its argument says, waits for a byte on its standard input, and ends: all of them are PID 1's in
 * the same moment. None lives longer than its fork, so the storm is as large as the argument and no larger.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	long n_made = 0;
	char byte;
	ssize_t n_read;

	for (; n_made < n; n_made++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child < 0)
			break;
	}
	printf("%ld\n", n_made);
	(void)fflush(stdout); /* who does not hear it gives up by himself */
	n_read = read(STDIN_FILENO, &byte, 1);
	return n_read == 1 ? 0 : 1;
}
