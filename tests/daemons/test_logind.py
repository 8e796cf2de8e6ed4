#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
systemd's logind, unmodified, with svc-systemd1: logins get sessions, and users get systemd --user.

Debian 12 with systemd's packages. Sessions come from su(1), sshd and login(1) through PAM.
"""

import contextlib
import os
import re
import signal
import subprocess

from deadline import wait_for
from sandbox import Sandbox, systemd_root

HERE = os.path.dirname(os.path.abspath(__file__))
PRESET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "services.d/policy/systemd-logind.policy")
# $SVCD_TEST_RELEASE selects another release, for example trixie.
RELEASE = os.environ.get("SVCD_TEST_RELEASE", "bookworm")
# logind 257 loses its sessions, because svcd does not keep its descriptors.
RESTARTED = ("systemd-logind", "systemd1") if RELEASE == "bookworm" else ("systemd1",)
PACKAGES = ("dbus", "dbus-bin", "dbus-user-session", "libpam-systemd", "openssh-server")

SYSTEMD1 = "org.freedesktop.systemd1"
LOGIN1 = "org.freedesktop.login1"
SLICE = "/sys/fs/cgroup/user.slice/user-1000.slice"
MANAGER = f"{SLICE}/user@1000.service/init.scope"

# A sandbox counts as a container, which leaves sessions to its host.
POLICY = ("[runlevel 2]\nActivate=-networking -network-manager -cron -rc.local dbus ssh\n"
          "[service systemd1]\nIgnore=virtual:container\n[service systemd-logind]\nIgnore=virtual:container\n")
# logind keeps the user manager for ten seconds after the last session, by default.
LOGIND_CONF = "[Login]\nUserStopDelaySec=1s\n"
SERVICES = {
    "ssh": "[Service]\nPrepare=/usr/bin/ssh-keygen -A\nExec=/usr/sbin/sshd -D\nRuntimeDirectory=sshd\nReady=notify\n",
    "getty@": "[Service]\nExec=/bin/sleep infinity\n",
}


def as_alice(command):
    return ["su", "-l", "alice", "-c", command]


def call(box, name, path, member, *arguments, user=None, check=True):
    """The output of busctl(1)."""
    prefix = ["runuser", "-u", user, "--"] if user else []
    interface, method = member.rsplit(".", 1)
    return box.run(*prefix, "busctl", "call", name, path, interface, method, *arguments, check=check)


def sessions(box):
    """The numbers of the sessions that logind has."""
    rows = call(box, LOGIN1, "/org/freedesktop/login1", f"{LOGIN1}.Manager.ListSessions").stdout
    return set(re.findall(r'"([c0-9]+)" \d+ "alice"', rows))


def processes_of_alice(box):
    done = box.run("ps", "-u", "alice", "-o", "pid=,comm=", check=False)
    return {int(line.split()[0]): line.split()[1] for line in done.stdout.splitlines()}


def user_manager(box):
    """The pid of systemd --user."""
    return min(pid for pid, name in processes_of_alice(box).items() if name == "systemd")


def beside(box, pid, command):
    """Run a command in the mount namespace of the user manager, as alice."""
    return box.run("nsenter", f"--target={pid}", "--mount", "--setuid=1000", "--setgid=1000", "env", "XDG_RUNTIME_DIR=/run/user/1000",
                   "/bin/sh", "-c", command, check=False)


@contextlib.contextmanager
def session(box):
    """A session that stays open: yields the pid of its shell, as seen inside."""
    with subprocess.Popen(box.command(as_alice("echo $$; exec sleep infinity")), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=box.run_environment(), text=True) as process:
        shell = int(process.stdout.readline())
        yield shell
        if box.is_alive(shell):
            box.kill(shell, signal.SIGTERM)


def wait_gone(box):
    """No process, cgroup or directory of the user is left."""
    wait_for(lambda: not processes_of_alice(box), what="no process of the user is left")
    wait_for(lambda: not box.exists(SLICE), what="no cgroup of the user is left")
    wait_for(lambda: not box.exists("/run/user/1000"), what="no runtime directory is left")


# --- tests ---

def a_login_gets_a_session(box):
    seen = box.run(*as_alice("tail -n 1 /proc/self/cgroup; echo $XDG_RUNTIME_DIR; echo $DBUS_SESSION_BUS_ADDRESS; "
                             "stat -c '%U %a %m' /run/user/1000; test -e /run/systemd/system || echo not booted by systemd")).stdout
    cgroup, runtime, bus, directory, booted = seen.splitlines()

    assert cgroup.startswith("0::/user.slice/user-1000.slice/session-") and cgroup.endswith(".scope"), cgroup
    assert runtime == "/run/user/1000", seen
    assert bus == "unix:path=/run/user/1000/bus", "the user manager was not up before the shell"
    assert directory == "alice 700 /run/user/1000", directory
    assert booted == "not booted by systemd"


def ssh_and_a_terminal_get_sessions(box):
    box.run("mkdir -p /root/.ssh /home/alice/.ssh && ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519 && "
            "cp /root/.ssh/id_ed25519.pub /home/alice/.ssh/authorized_keys && chown -R alice /home/alice/.ssh")
    shown = "echo session=$XDG_SESSION_ID; tail -n 1 /proc/self/cgroup"
    by_ssh = box.run("ssh", "-o", "StrictHostKeyChecking=no", "alice@127.0.0.1", shown).stdout
    # login(1) drops what was typed before, so the shell reads its commands from a file.
    box.write("/home/alice/.profile", f"{shown}; exit\n")
    by_login = box.run("script", "-qc", "exec login -f alice", "/dev/null").stdout
    box.remove("/home/alice/.profile")

    for output in (by_ssh, by_login):
        assert "session-" in output and ".scope" in output and "session=" in output, output


def the_user_manager_is_systemd(box):
    pid = user_manager(box)

    wait_for(lambda: beside(box, pid, "systemctl --user is-system-running").stdout.strip() == "running", what="the user manager has started")
    assert not box.exists("/run/systemd/system"), "the machine looks as if systemd were PID 1"
    for name in ("seats", "sessions", "users"):
        assert beside(box, pid, f"test -d /run/systemd/{name}").returncode == 0, name


def mounts_travel_both_ways(box):
    pid = user_manager(box)

    box.run("mkdir -p /mnt/a /mnt/b && mount -t tmpfs outside /mnt/a")
    box.run("nsenter", f"--target={pid}", "--mount", "mount", "-t", "tmpfs", "inside", "/mnt/b")

    assert "outside" in beside(box, pid, "grep /mnt/a /proc/self/mountinfo").stdout
    assert "inside" in box.run("grep", "/mnt/b", "/proc/self/mountinfo").stdout
    box.run("umount /mnt/a /mnt/b")


def a_user_manager_takes_a_process_of_a_session(box):
    """Under systemd it asks PID 1, because the cgroup that contains both is not the user's."""
    seen = box.run(*as_alice("systemd-run --user --scope tail -n 1 /proc/self/cgroup")).stdout

    assert "/user@1000.service/app.slice/run-" in seen, seen


def strangers_are_refused(box):
    manager = ("/org/freedesktop/systemd1", f"{SYSTEMD1}.Manager")
    unknown = call(box, SYSTEMD1, manager[0], f"{manager[1]}.ListUnits", check=False)
    stranger = call(box, SYSTEMD1, manager[0], f"{manager[1]}.StartUnit", "ss", "poweroff.target", "replace", user="alice", check=False)
    other = call(box, SYSTEMD1, manager[0], f"{manager[1]}.StartUnit", "ss", "ssh.service", "replace", check=False)

    assert "does not have this member" in unknown.stderr, unknown
    wait_for(lambda: "Manager.ListUnits was called by busctl" in box.svcctl("log", "systemd1").stdout, what="the log names the caller")
    assert stranger.returncode and "ccess denied" in stranger.stderr, stranger
    assert "not found" in other.stderr, other


def gettys_are_those_of_svcd(box):
    call(box, SYSTEMD1, "/org/freedesktop/systemd1", f"{SYSTEMD1}.Manager.StartUnit", "ss", "autovt@tty3.service", "fail")

    box.wait_state("getty@tty3", "ready")


def restarts_keep_sessions(box):
    with session(box) as shell:
        number = re.search(r"session-(\w+)\.scope", box.read(f"/proc/{shell}/cgroup")).group(1)
        manager = user_manager(box)
        for service in RESTARTED:
            old = box.pid(service)
            box.kill(old)
            wait_for(lambda: box.pid(service) not in (0, old) and box.state(service) == "ready", what=f"{service} is back")  # noqa: B023
            assert number in sessions(box), f"{service} was restarted: {number} is not in {sessions(box)}"
            assert box.is_alive(shell) and user_manager(box) == manager
        assert "session-" in box.run(*as_alice("cat /proc/self/cgroup")).stdout, "no new login after the restarts"

        box.run("busctl", "call", LOGIN1, "/org/freedesktop/login1", f"{LOGIN1}.Manager", "TerminateSession", "s", number)
        wait_for(lambda: not box.is_alive(shell), what="the session is ended by logind")


def a_killed_user_manager_leaves_nothing(box):
    with session(box) as shell:
        assert beside(box, user_manager(box), "systemd-run --user sleep infinity").returncode == 0
        box.kill(user_manager(box), signal.SIGKILL)

        wait_for(lambda: not box.exists(f"{SLICE}/user@1000.service"), what="the processes of the user manager are gone")
        assert box.is_alive(shell), "the session does not depend on it"


def power_off_reaches_svcd(box):
    call(box, LOGIN1, "/org/freedesktop/login1", f"{LOGIN1}.Manager.PowerOff", "b", "false", check=False)

    assert box.wait_end() == signal.SIGINT, "it was not powered off"


def main():
    with open(PRESET, encoding="utf-8") as file:
        preset = file.read()
    files = {"/etc/svcd/policy.d/logind.policy": preset, "/etc/systemd/logind.conf.d/test.conf": LOGIND_CONF}
    with Sandbox(root=systemd_root(RELEASE, *PACKAGES), vendor=True, policy=POLICY, services=SERVICES, files=files, mounts=("sys",)) as box:
        box.wait_state("systemd-logind", "ready")
        box.wait_state("ssh", "ready")
        box.run("useradd", "-m", "-s", "/bin/sh", "alice")

        a_login_gets_a_session(box)
        ssh_and_a_terminal_get_sessions(box)
        with session(box):
            the_user_manager_is_systemd(box)
            mounts_travel_both_ways(box)
            a_user_manager_takes_a_process_of_a_session(box)
        strangers_are_refused(box)
        gettys_are_those_of_svcd(box)
        restarts_keep_sessions(box)
        wait_gone(box)
        a_killed_user_manager_leaves_nothing(box)
        wait_gone(box)
        power_off_reaches_svcd(box)


main()
