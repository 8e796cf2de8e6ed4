#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A real daemon, nginx, serves its page with each protection that is suitable for it, and lacks the
removed privileges."""

from deadline import wait_for
from sandbox import Sandbox

NGINX = """[Service]
Exec=/usr/sbin/nginx -e /var/log/nginx/error.log -g 'daemon off;'
Reload=signal:HUP
Stop=signal:QUIT
RuntimeDirectory=nginx
LogsDirectory=nginx
StateDirectory=nginx
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
ProcSubset=pid
InaccessiblePaths=-/srv/secret
CapabilityBoundingSet=CAP_NET_BIND_SERVICE CAP_SETUID CAP_SETGID CAP_CHOWN CAP_DAC_OVERRIDE CAP_KILL
NoNewPrivileges=yes
SystemCallFilter=@system-service
SystemCallFilter=~@resources @privileged
SystemCallFilter=@chown setuid setgid setgroups setpriority
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
KeyringMode=private
"""

CONFIGURATION = """user www-data;
worker_processes 1;
pid /run/nginx/nginx.pid;
events { worker_connections 64; }
http {
  client_body_temp_path /var/lib/nginx/body;
  proxy_temp_path /var/lib/nginx/proxy;
  server { listen 80; root /srv/www; }
}
"""

GET = "exec 3<>/dev/tcp/127.0.0.1/80; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
LIBRARY = "/usr/lib/x86_64-linux-gnu/libseccomp.so.2"


def status(box, name):
    """The fields of the service's main process in /proc."""
    text = box.read(f"/proc/{box.pid(name)}/status")
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def serves(box):
    return "a page" in box.run("/bin/bash", "-c", GET, check=False).stdout


FILES = {LIBRARY: {"copy": LIBRARY}, "/etc/nginx/nginx.conf": CONFIGURATION, "/srv/www/index.html": "a page\n",
         "/srv/secret": "", "/var/tmp": {"directory": True, "mode": 0o1777}}

with Sandbox({"nginx": NGINX}, root="debian", files=FILES) as sandbox:
    sandbox.wait_state("nginx", "ready")
    sandbox.run("ip", "link", "set", "lo", "up")
    wait_for(lambda: serves(sandbox), what="it serves its page")

    fields = status(sandbox, "nginx")
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2", fields
    assert int(fields["CapBnd"], 16) == 1 << 0 | 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 10, fields["CapBnd"]
    pid = sandbox.pid("nginx")
    mounts = sandbox.read(f"/proc/{pid}/mountinfo").splitlines()
    assert [line for line in mounts if line.split()[4] == "/"][-1].split()[5].startswith("ro"), "/ is read-only"

    sandbox.svcctl("reload", "nginx")
    wait_for(lambda: serves(sandbox), what="it serves its page after a reload")
    assert sandbox.exists("/var/log/nginx/access.log") or sandbox.exists("/var/log/nginx/error.log")
    sandbox.svcctl("stop", "nginx")
    sandbox.wait_state("nginx", "idle", "waiting")
    assert not sandbox.exists("/run/nginx")
