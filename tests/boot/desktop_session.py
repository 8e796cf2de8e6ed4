# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Desktop session: the second half of test_desktop.py.

A user logs in at the greeter, runs a GNOME session with services of her own, and logs out again.
The user may not power off the machine while there is an inhibitor. After the log-out a greeter
returns. Its menu suspends the machine, and then powers it off.
"""

import json
import re
import time

from deadline import wait_for
from desktop import GREETER_S, ON_DEMAND
from png import keep_picture

LOGIN1 = "gdbus call --system -d org.freedesktop.login1 -o /org/freedesktop/login1 -m org.freedesktop.login1.Manager"
SESSION = "gdbus call --session -d org.gnome.SessionManager -o /org/gnome/SessionManager -m org.gnome.SessionManager"
BUS = "gdbus call --session -d org.freedesktop.DBus -o /org/freedesktop/DBus -m org.freedesktop.DBus"
INHIBITORS = "elogind-inhibit --list"
# elogind.conf: InhibitDelayMaxSec=5.
DELAYED_AT_LEAST_S = 4
# The greeter's dialog confirms itself after a minute. The test sees the dialog a little after its
# start.
CONFIRMED_WITHIN_S = 55

# On the session's bus, org.gnome.Shell appears after svcd --user, and STORE comes and goes.
STORE = "org.freedesktop.impl.portal.PermissionStore"
USER_FILES = {
    "services.d/shell-watcher.svc": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=dbus:org.gnome.Shell\n",
    "services.d/store-watcher.svc": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus:{STORE}\n",
    "policy.d/mine.policy": "[runlevel 2]\nActivate=shell-watcher store-watcher\n",
}


HERS = {"Name": "alice", "Class": "user", "Seat": "seat0", "Type": "wayland", "Active": "yes", "State": "active"}


def inhibit(vm, what, mode, why):
    vm.sh(f"elogind-inhibit --what={what} --mode={mode} --who=tests --why={why} sleep infinity >/dev/null 2>&1 & echo $! >/run/{why}")
    wait_for(lambda: why in vm.sh(INHIBITORS), what=f"the inhibitor {why}")


def steady_states(vm):
    """The states of the services when all have settled, without services that the bus starts,
    because those come and go."""
    wait_for(lambda: vm.svcctl_json("status")["at_rest"], GREETER_S, "all have settled", 1)
    return {name: state for name, state in vm.states().items() if name not in ON_DEMAND}


def check_log_in(vm):
    session = vm.log_in("alice", "alice")
    # The session exists before its terminal is shown.
    wait_for(lambda: vm.session(session, *HERS) == HERS, GREETER_S, f"her session is {HERS}", 1)
    wait_for(lambda: re.search(r"^alice +tty", vm.sh("who"), re.M), GREETER_S, "utmp knows her", 1)
    vm.sh("until pgrep -u alice gsd-power; do sleep 1; done", GREETER_S)
    wait_for(lambda: "true" in vm.as_user("alice", f"{SESSION}.IsSessionRunning"), GREETER_S, "the GNOME session runs", 2)
    vm.wait_drawn("the desktop")
    keep_picture("desktop-session", vm.picture())
    return session


def give_user_files(vm):
    vm.sh("install -d -o alice -g alice /home/alice/.config /home/alice/.config/svcd /home/alice/.config/svcd/services.d "
          "/home/alice/.config/svcd/policy.d")
    for name, text in USER_FILES.items():
        vm.sh(f"printf '{text}' >/home/alice/.config/svcd/{name}; chown alice: /home/alice/.config/svcd/{name}")


def user_states(vm):
    """The states of her own services, as she sees them."""
    return {row["name"]: row["state"] for row in json.loads(vm.as_user("alice", "svcctl --user list --json"))["data"]}


def wait_user_state(vm, name, state):
    wait_for(lambda: user_states(vm).get(name) == state, GREETER_S, f"her {name} is {state}", 1)


def check_user_services(vm):
    """The session has started svcd --user, which follows the names on its bus."""
    vm.sh("pgrep -u alice -f '^/sbin/svcd --user --wait'")
    wait_user_state(vm, "shell-watcher", "ready")
    vm.as_user("alice", f"{BUS}.StartServiceByName {STORE} 0")
    wait_user_state(vm, "store-watcher", "ready")
    vm.sh("pkill -u alice -f xdg-permission-store")
    wait_user_state(vm, "store-watcher", "waiting")
    assert user_states(vm)["shell-watcher"] == "ready"
    assert vm.sh("pgrep -u alice -fc '^/bin/sleep infinity'") == "1"
    assert "shell-watcher" not in vm.states()


def check_inhibitors(vm):
    """An active user may power off, except while there is an inhibitor."""
    for what in ("PowerOff", "Reboot", "Suspend"):
        assert "yes" in vm.as_user("alice", f"{LOGIN1}.Can{what}"), what
    inhibit(vm, "shutdown:sleep", "block", "because")
    for verb in ("poweroff", "reboot", "suspend"):
        status, said = vm.as_user("alice", f"loginctl {verb}", check=False)
        assert status != 0, f"loginctl {verb} against an inhibitor: {said}"
    vm.sh("kill $(cat /run/because)")
    wait_for(lambda: "because" not in vm.sh(INHIBITORS), what="no inhibitor any more")
    assert vm.boot_values() == (1.0, True)


def check_log_out(vm, session):
    vm.as_user("alice", f"{SESSION}.Logout 1")
    vm.sh(f"while loginctl list-sessions --no-legend | grep -w {session}; do sleep 1; done", GREETER_S)
    wait_for(lambda: not vm.sh("pgrep -u alice", check=False)[1], GREETER_S, "no process of hers is left", 1)
    vm.wait_greeter()
    assert "alice" not in vm.sh("who")
    vm.wait_drawn("the next greeter")


def main_pids(vm):
    rows = vm.services()
    return {name: rows[name]["pid"] for name in ("gdm3", "elogind", "dbus", "network-manager", "ssh")}


def check_suspend(vm):
    """A suspend from the greeter's menu stops no service, and later events are handled."""
    session = vm.wait_greeter()
    before = main_pids(vm)
    states = steady_states(vm)
    vm.choose_power("Suspend", lambda: vm.qmp("query-status")["status"] == "suspended")
    vm.qmp("system_wakeup")
    vm.wait_shell()
    wait_for(lambda: steady_states(vm) == states, GREETER_S, "all services are as they were", 2)
    assert main_pids(vm) == before
    assert vm.session(session, "State") == {"State": "active"}
    vm.sh("kill -KILL $(cat /sys/fs/cgroup/svcd/atd/cgroup.procs)")
    vm.wait_state("atd", "ready") # after a delay


def choose_power_off(vm):
    """Power off with the greeter's menu and its dialog. The dialog first selects "Cancel"."""
    vm.choose_power("Power Off…", vm.is_dark)
    until = time.monotonic() + CONFIRMED_WITHIN_S
    vm.see_key("right")
    keep_picture("desktop-power-off", vm.picture())
    vm.press("ret")
    wait_for(lambda: "tests: prepare" in vm.console.text(), until - time.monotonic(), "logind is asked")


def check_end(vm):
    """The inhibitor's delay is respected. Then GDM stops before elogind, and elogind before the
    bus. elogind runs /sbin/poweroff, which returns at once."""
    inhibit(vm, "shutdown", "delay", "later")
    vm.sh("dbus-monitor --system \"member='PrepareForShutdown'\" | while read line; do "
          "case $line in *PrepareForShutdown*) echo tests: prepare >/dev/kmsg; break ;; esac; done >/dev/null 2>&1 &")
    wait_for(lambda: vm.sh("pgrep -f '^dbus-monitor.*PrepareForShutdown'"), what="the listener")
    choose_power_off(vm)
    assert vm.wait_end(GREETER_S) == "guest-shutdown"
    assert vm.told_at("svcd: gdm3: stopping") - vm.told_at("tests: prepare") >= DELAYED_AT_LEAST_S
    order = ["svcd: gdm3: stopping", "tests: gdm3 has ended", "svcd: elogind: stopping", "tests: elogind has ended",
             "svcd: dbus: stopping"]
    times = [vm.told_at(line) for line in order]
    assert times == sorted(times), list(zip(order, times))


def check_session(vm):
    """@vm shows the greeter. At the end @vm is off."""
    give_user_files(vm)
    session = check_log_in(vm)
    check_user_services(vm)
    check_inhibitors(vm)
    check_log_out(vm, session)
    check_suspend(vm)
    check_end(vm)
