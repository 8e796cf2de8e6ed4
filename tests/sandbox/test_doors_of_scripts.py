#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The commands service and invoke-rc.d, and the path of an init script, act on the script's service,
in any style of script.

There is one copy of the daemon, which svcd knows. The policy "never" is respected. A script that
calls itself, or another one, does not hang.
"""

import json

from deadline import wait_for
from sandbox import Sandbox

HEADER = """### BEGIN INIT INFO
# Provides: {name}
# Required-Start: {needs}
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
### END INIT INFO
"""
# A typical Debian script: shell settings, init-functions, an action per argument, calls of itself.
SCRIPT = """#!/bin/sh
{header}
{settings}
. /lib/lsb/init-functions
{before}
D="/sbin/start-stop-daemon --pidfile /run/{name}.pid"
case "$1" in
start) $D --start --quiet --oknodo --background --make-pidfile --startas /bin/sleep -- {seconds} ;;
stop) $D --stop --quiet --oknodo --retry 5 --remove-pidfile ;;
restart) $0 stop; $0 start ;;
status) echo "by the script"; kill -0 $(cat /run/{name}.pid) 2>/dev/null || exit 3 ;;
which) echo "only I know" ;;
*) echo "usage: $0 start|stop|restart|status" >&2; exit 3 ;;
esac
"""
# A script of init-d-script(5), which shifts the arguments.
NEW_STYLE = """#!/lib/init/init-d-script
{header}
DAEMON=/usr/bin/newstyled
NAME=newstyled
PIDFILE=none
START_ARGS="--background"
DAEMON_ARGS=infinity
"""
SECONDS = {"plain": 2000001, "strict": 2000002, "asking": 2000003, "asked": 2000004, "forbidden": 2000005, "elsewhere": 2000006,
           "fresh": 2000007, "dotted": 2000008, "twin": 2000009, "twin.sh": 2000010}
# No service is generated from this script, because no daemon has its name.
TEMPLATE = """#!/bin/sh
. /lib/lsb/init-functions
echo "$# words"
"""


def script(name, settings="", before="", needs=""):
    text = SCRIPT.format(name=name, header=HEADER.format(name=name, needs=needs), settings=settings, before=before,
                         seconds=SECONDS[name])
    return {"text": text, "mode": 0o755}


FILES = {
    "/etc/init.d/plain": script("plain"),
    "/etc/init.d/alias": {"link": "plain"},
    "/etc/init.d/strict": script("strict", settings="set -eu\nset -f"),
    # This script requests a service that waits for it.
    "/etc/init.d/asking": script("asking", before='[ "$1" != start ] || { service asked restart; /etc/init.d/asked restart; }'),
    "/etc/init.d/asked": script("asked", needs="asking"),
    "/etc/init.d/forbidden": script("forbidden"),
    "/opt/elsewhere/init": script("elsewhere"),
    "/etc/init.d/elsewhere": {"link": "/opt/elsewhere/init"},
    "/etc/init.d/dotted.sh": script("dotted"),
    "/etc/init.d/twin": script("twin"),
    "/etc/init.d/twin.sh": script("twin.sh"),
    "/etc/init.d/skeleton-of-ours": {"text": TEMPLATE, "mode": 0o755},
    "/etc/init.d/newstyle": {"text": NEW_STYLE.format(header=HEADER.format(name="newstyle", needs="")), "mode": 0o755},
    "/usr/bin/newstyled": {"copy": "/bin/sleep", "mode": 0o755},
}
POLICY = "[defaults]\nRcLinks=yes\n[runlevel 2]\nActivate=plain strict asking asked elsewhere dotted twin twin.sh newstyle\n\n[service forbidden]\nActivation=never\n"


def run(box, line, code=0):
    done = box.run("/bin/sh", "-c", line, check=False, timeout=120)
    assert done.returncode == code, (line, done)
    return done.stdout + done.stderr


def copies(box, name):
    found = box.run("pgrep", "-f", "-x", f".*sleep {SECONDS[name]}" if name in SECONDS else ".*newstyled infinity", check=False)
    return [int(pid) for pid in found.stdout.split()]


def one(box, name):
    """The only copy of the daemon, in the cgroup of its service."""
    def look():
        pids = copies(box, name)
        return len(pids) == 1 and box.cgroup_of(pids[0]).endswith(f"/{name}") and pids[0]
    return wait_for(look, what=f"one copy of {name} runs, under svcd")


def in_all_ways(box):
    for name, path in (("plain", "plain"), ("strict", "strict"), ("elsewhere", "elsewhere"), ("dotted", "dotted.sh"),
                       ("twin", "twin"), ("twin.sh", "twin.sh"), ("newstyle", "newstyle")):
        pid = one(box, name)
        for line in (f"service {name} restart", f"service {path} restart", f"invoke-rc.d {name} restart",
                     f"/etc/init.d/{path} restart", f"cd /etc/init.d && ./{path} restart", f"service {name} --full-restart",
                     f"/etc/init.d/{path} stop && /etc/init.d/{path} start"):
            run(box, line)
            before, pid = pid, one(box, name)
            assert pid != before, line
        run(box, f"service {name} start && /etc/init.d/{path} start")
        assert one(box, name) == pid, name
    pid = one(box, "plain")
    run(box, "/etc/init.d/alias restart && service alias restart")
    assert one(box, "plain") != pid and "alias" not in box.services()


def actions_and_codes(box):
    assert "by the script" in run(box, "service plain status")
    assert "by the script" in run(box, "/etc/init.d/plain status")
    assert "only I know" in run(box, "service plain which")
    assert "only I know" in run(box, "invoke-rc.d plain which")
    run(box, "service plain reload", 3)
    run(box, "service plain nonsense", 3)
    pid = one(box, "plain")
    run(box, "service plain force-reload")
    assert one(box, "plain") != pid, "a service that cannot be reloaded is restarted"
    run(box, "service plain stop && service plain stop")
    run(box, "service plain status", 3)
    run(box, "service plain reload", 7)
    assert not copies(box, "plain")
    # A daemon that was started by hand, without svcd.
    run(box, "SVCD_SCRIPT=plain /etc/init.d/plain start")
    wait_for(lambda: copies(box, "plain"), what="it runs")
    run(box, "service plain stop")
    assert not copies(box, "plain")
    run(box, "service plain start")
    one(box, "plain")


def one_that_svcd_has_not_taken(box):
    """The script runs with the given arguments."""
    assert "0 words" in run(box, "service skeleton-of-ours")
    assert "1 words" in run(box, "service skeleton-of-ours start")
    assert "3 words" in run(box, "service skeleton-of-ours start a b")


def never_is_never(box):
    lines = ("service forbidden start", "service forbidden restart", "/etc/init.d/forbidden start", "/etc/init.d/forbidden restart",
             "service forbidden which", "invoke-rc.d --force forbidden start")
    for line in lines:
        assert "its policy is never" in run(box, line, 1), line
    assert "its policy is never" in run(box, "invoke-rc.d forbidden start")
    assert not copies(box, "forbidden")
    row = json.loads(box.svcctl("--json", "status", "forbidden", check=False).stdout)["data"][0]
    assert row["refused"] == len(lines) + 1, row["refusals"]
    assert f"Refused {len(lines) + 1} requests since the boot" in box.svcctl("explain", "forbidden").stdout


def just_unpacked(box):
    """A new script that svcd has not read yet."""
    for door in ("service fresh start", "/etc/init.d/fresh start"):
        box.write("/etc/init.d/fresh", script("fresh")["text"], 0o755)
        assert "fresh" not in box.services()
        run(box, door)
        one(box, "fresh")
        run(box, "service fresh stop")
        box.remove("/etc/init.d/fresh")
        box.svcctl("reload-files")
        assert "fresh" not in box.services() and not copies(box, "fresh")


def links_that_an_admin_removes(box):
    """The script stays, but nothing starts it, although policy wants all new services."""
    box.write("/etc/svcd/policy.d/20-new.policy", "[defaults]\nNewServices=boot\n")
    box.write("/etc/init.d/fresh", script("fresh")["text"], 0o755)
    run(box, "update-rc.d fresh defaults")
    one(box, "fresh")
    run(box, "update-rc.d fresh remove")
    box.wait_state("fresh", "idle")
    assert not copies(box, "fresh")
    box.svcctl("undo")
    box.remove("/etc/svcd/policy.d/20-new.policy")
    box.remove("/etc/init.d/fresh")
    box.svcctl("reload-files")


def package_runs(box, line):
    return run(box, f"DPKG_MAINTSCRIPT_PACKAGE=fresh DPKG_MAINTSCRIPT_NAME=postinst {line}")


def a_policy_helper_forbids_what_comes(box):
    """A package brings a script and links, which are policy. Nothing starts before the admin's
    policy-rc.d is asked."""
    box.run("update-alternatives --quiet --remove policy-rc.d /usr/lib/svcd/sysv/policy-rc.d")
    box.write("/usr/sbin/policy-rc.d", "#!/bin/sh\necho \"$*\" >>/run/asked-for\nexit 101\n", 0o755)
    box.write("/etc/init.d/fresh", script("fresh")["text"], 0o755)
    box.svcctl("set", "fresh", "never")
    package_runs(box, "update-rc.d fresh defaults")
    assert "fresh: never" in box.svcctl("policy", "fresh").stdout
    package_runs(box, "update-rc.d -f fresh remove")
    box.svcctl("undo")
    box.remove("/etc/init.d/fresh")
    box.svcctl("reload-files")

    box.write("/etc/init.d/fresh", script("fresh")["text"], 0o755)
    package_runs(box, "update-rc.d fresh defaults")
    assert "fresh start 2" in box.read("/run/asked-for")
    assert "start skipped" in package_runs(box, "invoke-rc.d --skip-systemd-native fresh start")
    box.wait_at_rest()
    assert box.state("fresh") == "idle" and not copies(box, "fresh")
    assert "policy-rc.d" in box.svcctl("policy", "fresh").stdout
    # policy-rc.d forbids only actions of packages.
    run(box, "service fresh start")
    one(box, "fresh")
    # A running service continues.
    package_runs(box, "update-rc.d fresh defaults")
    one(box, "fresh")


with Sandbox(root="debian", vendor=True, files=FILES, policy=POLICY, mounts=("sys",)) as machine:
    machine.wait_up()
    # Even during the boot a script can request another service that waits for it.
    for service in ("asking", "asked", "plain", "newstyle"):
        one(machine, service)
    run(machine, "/usr/lib/svcd/sysv/take-over")
    run(machine, "service asking restart")
    one(machine, "asking")
    one(machine, "asked")
    in_all_ways(machine)
    actions_and_codes(machine)
    one_that_svcd_has_not_taken(machine)
    never_is_never(machine)
    just_unpacked(machine)
    links_that_an_admin_removes(machine)
    a_policy_helper_forbids_what_comes(machine)
