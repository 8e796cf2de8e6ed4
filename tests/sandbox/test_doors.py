#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The commands service, invoke-rc.d and policy-rc.d, and the init scripts of Debian's cron, ssh and
nginx, act on the services of svcd.

There is one copy of the daemon, the exit codes are those of the LSB, and none of these commands
starts a service with the policy "never".
"""

import json
import signal

from deadline import wait_for
from sandbox import Sandbox

SYSV = "/usr/lib/svcd/sysv"
DOORS = ("/usr/sbin/service", "/usr/sbin/invoke-rc.d", "/usr/sbin/update-rc.d")
POLICY = """[runlevel 2]
Activate=cron nginx

[service ssh]
Activation=never
Reason=nobody is to log in
"""
CALLER = """#!/bin/sh
### BEGIN INIT INFO
# Provides: caller
### END INIT INFO
. /lib/lsb/init-functions
echo "itself: $1 by ${SVCD_SCRIPT-nobody}"
"""
# The daemon of this script runs the script again on request, like agents that manage a machine.
ITSELF = """#!/bin/sh
### BEGIN INIT INFO
# Provides: itself
### END INIT INFO
. /lib/lsb/init-functions
PIDFILE=/run/itself.pid
start() {
	sh -c 'trap "/etc/init.d/itself restart" USR1; while :; do sleep 0.1; done' >/dev/null 2>&1 &
	echo $! >$PIDFILE
}
stop() { kill -KILL "$(cat $PIDFILE)"; rm $PIDFILE; }
case "$1" in
start) start ;;
stop) stop ;;
restart) $0 stop; $0 start; echo "$1" >>/run/itself.said ;;
esac
"""
FILES = {
    "/etc/init.d/itself": {"text": ITSELF, "mode": 0o755},
    "/etc/svcd/policy.d/10-byhand.policy": "[service byhand]\nActivation=manual\n",
    "/etc/svcd/services.d/byhand.svc": "[Service]\nExec=/bin/sleep 1000001\n",
    # A script that starts another service during its own start; that service waits for the script.
    "/etc/svcd/services.d/asks.svc": "[Service]\nType=task\nExec=/usr/sbin/service waits restart\n"
                                     "Environment=SVCD_SCRIPT=asks\nStartTimeout=60s\n",
    "/etc/svcd/services.d/waits.svc": "[Service]\nExec=/bin/sleep 1000002\n[Conditions]\nAfter=asks\n",
    "/etc/init.d/caller": {"text": CALLER, "mode": 0o755},
}


def run(box, line, code=0, **environment):
    """Run a line for the shell, which must exit with @code; returns its output."""
    words = [f"{name}={value}" for name, value in environment.items()]
    done = box.run("env", *words, "/bin/sh", "-c", line, check=False, timeout=120)
    assert done.returncode == code, (line, done)
    return done.stdout + done.stderr


def copies(box, name):
    """The pids, inside the sandbox, of the processes with that name, except workers."""
    rows = box.processes()
    return [pid for pid, (_outer, parent, comm, state) in rows.items()
            if comm == name and state != "Z" and rows.get(parent, (0, 0, "", ""))[2] != name]


def one_copy(box, service, command):
    """The only copy of the daemon is the one that svcd knows."""
    pid = box.pid(service)
    wait_for(lambda: copies(box, command) == [box.pid(service)] != [0], what=f"one {command} runs, under svcd")
    assert box.cgroup_of(box.pid(service)).endswith(f"/{service}"), box.cgroup_of(pid)
    return box.pid(service)


def in_all_ways(box):
    """Each way to restart cron gives another process, and only one process."""
    pid = one_copy(box, "cron", "cron")
    for line in ("service cron restart", "service cron.sh restart", "/etc/init.d/cron restart", "invoke-rc.d cron restart",
                 "cd /etc/init.d && ./cron restart", "cd /etc/init.d && sh cron force-reload", "service cron try-restart",
                 "/etc/rc2.d/S01cron restart", "service cron --full-restart",
                 "/etc/init.d/cron stop && service cron start", "invoke-rc.d cron stop && /etc/init.d/cron start"):
        run(box, line)
        before, pid = pid, one_copy(box, "cron", "cron")
        assert pid != before, line
    run(box, "service cron start && invoke-rc.d cron start && /etc/init.d/cron start")
    assert one_copy(box, "cron", "cron") == pid, "a running service is not started again"
    assert "Reloading" in run(box, "service cron reload"), "its own script knows how to reload it"
    assert one_copy(box, "cron", "cron") == pid


def codes(box):
    run(box, "service nginx status")
    run(box, "invoke-rc.d nginx status")
    assert "rotated" not in run(box, "/etc/init.d/nginx reload")
    run(box, "service nginx stop")
    assert not copies(box, "nginx")
    run(box, "service nginx stop")
    run(box, "service nginx status >/dev/null", 3)
    run(box, "invoke-rc.d nginx status >/dev/null 2>&1", 3)
    run(box, "/etc/init.d/nginx status >/dev/null", 3)
    run(box, "service nginx reload", 7)
    run(box, "service nginx force-reload && service nginx try-restart && /etc/init.d/nginx try-restart")
    assert not copies(box, "nginx"), "try-restart does not restart a service that is off"
    assert "Testing" in run(box, "service nginx configtest"), "an action that only the script knows"
    box.write("/etc/nginx/conf.d/broken.conf", "nonsense;\n")
    run(box, "service nginx start", 1)
    box.remove("/etc/nginx/conf.d/broken.conf")
    run(box, "service nginx start")
    one_copy(box, "nginx", "nginx")
    assert "unrecognized" in run(box, "service nonsense start", 1)
    run(box, "service", 1)
    run(box, "invoke-rc.d cron", 103)
    run(box, "invoke-rc.d --nonsense cron start", 103)
    run(box, "invoke-rc.d 'two words' start", 103)
    run(box, "invoke-rc.d nonsense start", 100 if box.exists("/sbin/init") else 0)
    assert run(box, "service --version").startswith("svcctl ")
    table = run(box, "service --status-all")
    assert " [ + ]  cron\n" in table and " [ + ]  nginx\n" in table and " [ - ]  ssh\n" in table, table


def packages_start_what_policy_wants(box):
    """As in postinst: a service that policy leaves to the admin is not started, and that is not an
    error."""
    package = {"DPKG_MAINTSCRIPT_PACKAGE": "byhand", "DPKG_MAINTSCRIPT_NAME": "postinst"}
    for door in ("invoke-rc.d", "service"):
        said = run(box, f"{door} byhand start", **package)
        assert "its policy is manual" in said, said
        assert "is not running" in run(box, f"{door} byhand restart", **package)
    run(box, "invoke-rc.d --disclose-deny byhand start", 101, **package)
    run(box, "invoke-rc.d --query byhand start", 101)
    run(box, "invoke-rc.d --query cron start", 104)
    run(box, "invoke-rc.d --query cron stop", 105)
    run(box, "policy-rc.d byhand start 2", 101)
    run(box, "policy-rc.d cron start 2", 104)
    run(box, "policy-rc.d byhand stop 2", 104)
    run(box, "policy-rc.d byhand '(start) stop'", 101)
    assert box.state("byhand") == "idle"
    # The admin may start it; from then on an upgrade restarts it.
    run(box, "service byhand start")
    pid = one_copy(box, "byhand", "sleep")
    run(box, "invoke-rc.d byhand restart", **package)
    assert one_copy(box, "byhand", "sleep") != pid
    run(box, "service byhand stop")


def an_admins_policy_may_forbid_more(box):
    box.run("update-alternatives --quiet --remove policy-rc.d /usr/lib/svcd/sysv/policy-rc.d")
    pid = box.pid("cron")
    for code, ends, said in ((101, 0, "denied"), (106, 0, "stop")):
        box.write("/usr/sbin/policy-rc.d", f"#!/bin/sh\n[ \"$1\" = --quiet ] && shift\n"
                                           f"[ \"$1 $2\" = 'cron restart' ] || exit 0\necho stop\nexit {code}\n", 0o755)
        assert said in run(box, "invoke-rc.d cron restart", ends)
    assert box.state("cron") == "idle", "policy-rc.d proposed a stop instead, and the stop was not executed"
    run(box, "invoke-rc.d --force cron restart")
    assert box.pid("cron") not in (0, pid)
    box.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 106\n", 0o755)
    assert "proposes no action" in run(box, "invoke-rc.d cron restart", 102)
    box.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 0\n", 0o755)
    run(box, "invoke-rc.d --disclose-deny ssh start", 101)
    said = run(box, f"{SYSV}/take-over")
    assert "stays" in said, said
    box.remove("/usr/sbin/policy-rc.d")
    run(box, f"{SYSV}/take-over")


def refusals(box):
    return json.loads(box.svcctl("--json", "status", "ssh", check=False).stdout)["data"][0]


def links(box, name):
    return box.run(f"cd /etc && ls -d rc?.d/*{name}").stdout.split()


def enabling_by_links_is_policy(box):
    """The admin's command takes effect as a step that can be undone; a package's script changes
    only links."""
    box.svcctl("clear", "nginx", "byhand")  # requests of the admin would stay in force
    box.run("rm -f /etc/rc?.d/[SK]??nginx")
    run(box, "update-rc.d nginx defaults")
    assert [link for link in links(box, "nginx") if "/S" in link] == [f"rc{n}.d/S01nginx" for n in "2345"], links(box, "nginx")
    one_copy(box, "nginx", "nginx")

    run(box, "update-rc.d nginx disable")
    assert "rc2.d/K01nginx" in links(box, "nginx")
    box.wait_state("nginx", "idle")
    run(box, "update-rc.d nginx enable")
    assert "rc2.d/S01nginx" in links(box, "nginx")
    box.wait_state("nginx", "ready")
    steps = box.svcctl("policy", "log").stdout
    run(box, "update-rc.d -n nginx disable", 1)
    assert box.svcctl("policy", "log").stdout == steps, \
        "a request that Debian's command refuses has changed policy"
    run(box, "update-rc.d nginx disable 2 4")
    assert "rc3.d/S01nginx" in links(box, "nginx") and "rc2.d/K01nginx" in links(box, "nginx")
    box.wait_state("nginx", "idle")
    assert "update" in run(box, "update-rc.d nginx nonsense", 1)
    # Without a script there are no links.
    run(box, "update-rc.d byhand enable")
    box.wait_state("byhand", "ready")
    run(box, "update-rc.d byhand disable")
    box.wait_state("byhand", "idle")

    before = box.read("/etc/svcd/policy.d/90-svcctl.policy")
    package = {"DPKG_MAINTSCRIPT_PACKAGE": "nginx", "DPKG_MAINTSCRIPT_NAME": "postinst"}
    run(box, "update-rc.d nginx enable", **package)
    assert "rc2.d/S01nginx" in links(box, "nginx") and box.state("nginx") == "idle"
    assert box.read("/etc/svcd/policy.d/90-svcctl.policy") == before
    run(box, "update-rc.d -f nginx remove", **package)
    assert box.run("ls /etc/rc2.d").stdout.count("nginx") == 0


def never_is_never(box):
    before = refusals(box)["refused"]
    doors = ("service ssh start", "service ssh restart", "/etc/init.d/ssh start", "/etc/init.d/ssh restart",
             "/etc/init.d/ssh restart </dev/null", "service ssh --full-restart", "service ssh force-start",
             "invoke-rc.d --force ssh start")
    for line in doors:
        assert "its policy is never" in run(box, line, 1), line
    quiet = ("invoke-rc.d ssh start", "invoke-rc.d ssh restart", "policy-rc.d ssh start 2 || [ $? = 101 ]")
    for line in quiet:
        assert "its policy is never" in run(box, line), line
    assert "its policy is never" in run(box, "invoke-rc.d --disclose-deny ssh start", 101)
    package = {"DPKG_MAINTSCRIPT_PACKAGE": "openssh-server", "DPKG_MAINTSCRIPT_NAME": "postinst"}
    for line in ("invoke-rc.d --skip-systemd-native ssh start", "service ssh start", "/etc/init.d/ssh start"):
        assert "its policy is never" in run(box, line, **package), line
    run(box, "service ssh stop && service ssh try-restart && service ssh force-reload && /etc/init.d/ssh try-restart")
    assert not copies(box, "sshd")

    row, told = refusals(box), before + len(doors) + len(quiet) + 4
    assert row["refused"] == told and {one["door"] for one in row["refusals"]} == {"request"}, (told, row["refusals"])
    explained = box.svcctl("explain", "ssh").stdout
    assert f"Refused {told} requests since the boot: start by uid 0" in explained, explained


def a_script_that_asks_while_it_starts(box):
    """The script does not wait for a service that waits for it."""
    box.svcctl("start", "waits", "--no-wait")
    box.svcctl("start", "asks")
    box.wait_states({"asks": "done", "waits": "ready"})


def a_daemon_that_restarts_itself(box):
    """The daemon inherits the environment of its script, which is invalid after the end of the
    script."""
    box.svcctl("start", "itself")
    before = wait_for(lambda: box.pid("itself"), what="it has a main process")
    box.kill(before, signal.SIGUSR1)
    wait_for(lambda: box.exists("/run/itself.said"), what="its script has restarted it")
    after = wait_for(lambda: box.pid("itself") not in (None, 0, before) and box.pid("itself"), what="svcd knows the new one")
    assert int(box.read("/run/itself.pid")) == after
    assert box.state("itself") == "ready"
    run(box, "service itself stop")
    wait_for(lambda: not box.is_alive(after), what="it has ended")


def scripts_of_nobody(box):
    """Scripts without a service, and scripts that svcd itself runs, do their own work. In a chroot
    all scripts do."""
    assert "itself: status by caller" in run(box, "/etc/init.d/caller status", SVCD_SCRIPT="caller")
    assert "itself: usage by nobody" in run(box, "/etc/init.d/caller usage")
    box.run("mkdir /chroot && cp -a /bin /sbin /lib /lib64 /chroot && cd /chroot && mkdir usr etc run proc dev var && "
            "for name in usr etc run proc dev var; do mount --rbind /$name $name; done")
    assert "cron is running." in run(box, "chroot /chroot /etc/init.d/cron status")
    assert "cron is running." in run(box, "chroot /chroot service cron status")
    run(box, "chroot /chroot policy-rc.d cron start", 101)


def nothing_is_run_twice_when_svcd_does_not_answer(box):
    box.run("mv /usr/bin/svcctl /usr/bin/svcctl.away")
    box.write("/usr/bin/svcctl", "#!/bin/sh\nexit 9\n", 0o755)
    for line in ("service cron start", "/etc/init.d/cron start", "/etc/init.d/caller start"):
        assert "does not answer" in run(box, line, 1), line
    for line in ("policy-rc.d cron start 2", "invoke-rc.d cron start"):
        assert "does not answer" in run(box, line, 102), line
    box.run("mv /usr/bin/svcctl.away /usr/bin/svcctl")


def a_command_that_cannot_be_kept_stays(box):
    """The disk is full: if Debian's command cannot be copied, svcd's command does not replace it.
    """
    box.write("/full/cp", "#!/bin/sh\necho half >\"$3\"\nexit 1\n", 0o755)
    run(box, f"PATH=/full:$PATH {SYSV}/take-over", 1)
    assert not any(box.run("readlink", path, check=False).stdout.startswith(SYSV) for path in DOORS)
    assert not any(box.exists(f"{path}.distrib") for path in DOORS)


def a_command_that_cannot_be_given_back_is_told(box):
    box.write("/stuck/mv", "#!/bin/sh\nexit 1\n", 0o755)
    run(box, f"PATH=/stuck:$PATH {SYSV}/take-over --back", 1)
    assert all(box.run("readlink", path).stdout.startswith(SYSV) for path in DOORS)
    assert all(f"{path}.distrib by svcd" in box.run("dpkg-divert", "--list").stdout for path in DOORS)


def an_alternative_that_cannot_be_made_is_told(box):
    box.write("/none/update-alternatives", "#!/bin/sh\nexit 2\n", 0o755)
    run(box, f"PATH=/none:$PATH {SYSV}/take-over", 1)


with Sandbox(root="debian", vendor=True, files=FILES, policy=POLICY, mounts=("sys",)) as machine:
    machine.wait_state("cron", "ready")
    machine.wait_at_rest()
    # Without take-over, init scripts redirect to svcd.
    assert "its policy is never" in run(machine, "service ssh start", 1)
    before = {path: machine.read(path) for path in DOORS}
    a_command_that_cannot_be_kept_stays(machine)
    run(machine, f"{SYSV}/take-over")
    run(machine, f"{SYSV}/take-over")
    assert {path: machine.read(f"{path}.distrib") for path in DOORS} == before
    assert all(machine.run("readlink", path).stdout.startswith(SYSV) for path in DOORS)
    machine.wait_state("nginx", "ready")
    in_all_ways(machine)
    codes(machine)
    packages_start_what_policy_wants(machine)
    an_admins_policy_may_forbid_more(machine)
    a_script_that_asks_while_it_starts(machine)
    a_daemon_that_restarts_itself(machine)
    scripts_of_nobody(machine)
    nothing_is_run_twice_when_svcd_does_not_answer(machine)
    enabling_by_links_is_policy(machine)
    never_is_never(machine)

    an_alternative_that_cannot_be_made_is_told(machine)
    a_command_that_cannot_be_given_back_is_told(machine)
    run(machine, f"{SYSV}/take-over --back")
    assert all(machine.run("readlink", path, check=False).stdout == "" for path in DOORS)
    assert "svcd" not in machine.run("dpkg-divert", "--list").stdout
    assert {path: machine.read(path) for path in DOORS} == before
    assert not machine.exists("/usr/sbin/policy-rc.d")
