#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 3600
"""
A desktop without systemd shows the login screen long before the boot ends, and the screen shows the
progress of the boot. Then a user logs in (desktop_session.py).

The bar is as long as org.svcd1.Boot reports, and the screen lists failed services. Both are correct
again after a kill of the manager, or of the bus, which ends GDM. When GDM has failed or was
stopped, there is a text login. The pictures are kept ($SVCD_ARTIFACTS).
"""

import os

import vm_image
from deadline import wait_for
from desktop import GREETER_S, Desktop
from desktop_session import check_session
from greeter_picture import bar_in, has_greeter, n_failure_pixels
from png import keep_picture

STAGE = os.environ["SVCD_STAGE"]

# The services that run beside the consoles and the completed tasks, and those that wait for
# hardware that this machine lacks, such as a second processor.
EXPECTED = """accounts-daemon acpid atd autofs avahi-daemon chrony colord cron cups cups-browsed dbus elogind gdm3 lldpd
    network-manager nginx polkit power-profiles-daemon redis-server rpcbind rsyslog rtkit-daemon saned ssh switcheroo-control
    udev udisks2 upower uuidd""".split()
WAITING = "bluetooth irqbalance modemmanager smartmontools getty@tty1".split()
# The bus starts this service on demand. From then on it is listed, too.
ASKED_FOR = "packagekit"

# One service is slow, and others wait for it, so the bar stops in the middle.
SERVICES = {
    "slow-migration": "[Service]\nType=task\nDescription=Migration of a large database\nStartTimeout=1h\n"
                      "Exec=/bin/sh -c 'until test -e /run/go-on; do sleep 1; done'\n",
    "later@": "[Service]\nType=task\nExec=/bin/true\n[Conditions]\nAfter=slow-migration\n",
    "broken-printer": "[Service]\nDescription=A printer without paper\nRestart=no\nType=task\nExec=/usr/bin/test -e /run/paper\n",
}
# With this drop-in, a service reports its end on the console.
TELLS_ITS_END = "[Service]\nCleanup=-/bin/sh -c 'echo tests: {name} has ended >/dev/kmsg'\n"
POLICY = "[runlevel 5]\nActivate=slow-migration broken-printer " + " ".join(f"later@{number}" for number in range(30)) + "\n"

TOLERANCE = 0.02


def check_no_text_login(vm):
    status, found = vm.sh("pgrep -af 'agetty.* tty1 '", check=False)
    assert status == 1, f"a getty has the terminal of the greeter: {found}"


def check_bar(vm, name):
    """The greeter and the bar are visible, and the bar is as long as svcd reports at that moment.
    """
    def bar_is_right():
        if bar_in(vm.picture()) is None:
            return None  # svcd is not asked yet, because each call is slow
        before, picture, after = vm.boot_values(), vm.picture(), vm.boot_values()
        keep_picture(name, picture)
        seen = bar_in(picture)
        assert before and after and seen is not None and has_greeter(picture), "no greeter with a bar"
        assert before[0] - TOLERANCE <= seen <= after[0] + TOLERANCE, f"the bar is at {seen:.3f}, svcd at {before} to {after}"
        assert n_failure_pixels(picture) > 50, "the failed services are not named"
        assert not after[1], "the boot is over"
        return seen
    seen = wait_for(bar_is_right, GREETER_S, f"{name}: the bar is as long as svcd says", 3)
    vm.wait_login_screen_told()
    check_no_text_login(vm)
    return seen


def check_stop(vm):
    vm.sh("svcctl stop gdm3", GREETER_S)
    vm.wait_state("gdm3", "idle")
    vm.sh("while loginctl list-sessions --no-legend | grep -q Debian-gdm; do sleep 2; done", GREETER_S)
    assert not vm.processes("gdm3")
    assert not vm.sh("pgrep -u Debian-gdm", check=False)[1], vm.sh("ps -u Debian-gdm", check=False)[1]
    vm.wait_state("getty@tty1", "ready")


def check_gives_up(vm):
    """A service that always fails is not retried forever: a text login replaces it until the
    service is started by hand."""
    vm.sh("mount --bind /bin/false /usr/sbin/gdm3")
    vm.sh("svcctl start gdm3", GREETER_S, check=False)
    vm.wait_state("gdm3", "failed")
    vm.wait_state("getty@tty1", "ready")
    vm.sh("pgrep -f 'agetty.* tty1 '")
    vm.sh("umount /usr/sbin/gdm3; svcctl start gdm3", GREETER_S)
    vm.wait_greeter()
    assert vm.service("getty@tty1")["state"] == "waiting"
    check_no_text_login(vm)


def check_interrupted(vm):
    """The bar never goes back when the manager or the bus is killed. GDM ends with the bus, and
    another GDM starts."""
    seen = [check_bar(vm, "greeter-boot")]
    vm.sh("kill -KILL $(pgrep -x svcd-manager)")
    wait_for(vm.boot_values, GREETER_S, "another manager answers", 1)
    seen.append(check_bar(vm, "greeter-manager-replaced"))

    old = vm.processes("gdm3")
    vm.sh("kill -KILL $(head -n 1 /sys/fs/cgroup/svcd/dbus/cgroup.procs)")
    wait_for(lambda: vm.processes("gdm3") and not old & vm.processes("gdm3"), GREETER_S, "another GDM, on another bus", 2)
    check_stop(vm)
    check_gives_up(vm)
    seen.append(check_bar(vm, "greeter-bus-restarted"))
    assert seen == sorted(seen), seen


def check_boot_ends(vm):
    """The bar vanishes at the end of the boot. The list of failed services stays until their
    repair."""
    vm.sh("touch /run/go-on")

    def only_bar_has_gone():
        vm.press("shift")  # GNOME turns the screen off after five minutes
        picture = vm.picture()
        keep_picture("greeter-after-boot", picture)
        return bar_in(picture) is None and n_failure_pixels(picture) > 50 and has_greeter(picture)
    wait_for(only_bar_has_gone, GREETER_S, "the bar is gone, and the failed services are still named", 2)
    assert vm.boot_values() == (1.0, True)
    vm.sh("touch /run/paper; svcctl start broken-printer")

    def is_put_right():
        vm.press("shift")
        picture = vm.picture()  # a dark screen would show no greeter
        keep_picture("greeter-put-right", picture)
        return n_failure_pixels(picture) == 0 and has_greeter(picture)
    wait_for(is_put_right, GREETER_S, "the screen shows the greeter without failed services", 2)


def check_services(vm):
    vm.sh("gdbus introspect --system -d org.freedesktop.PackageKit -o /org/freedesktop/PackageKit")
    wanted = {**dict.fromkeys([*EXPECTED, ASKED_FOR], "ready"), **dict.fromkeys(WAITING, "waiting")}

    def states_that_are_right():
        found = vm.states_on_bus()
        states = {name: found[name] for name in wanted}
        assert states == wanted, states
        return found
    found = wait_for(states_that_are_right, GREETER_S, "the services are in the expected states", 2)
    running = [name for name, state in found.items() if state == "ready" and vm.processes(name)]
    assert len(running) >= 30, running
    assert "failed" not in found.values(), vm.sh("svcctl explain", check=False)


def check_bluetooth(vm):
    """An adapter from the kernel's test driver (hci_vhci): it exists while a process holds the
    device open."""
    vm.sh("modprobe hci_vhci; printf '\\377\\000' >/run/adapter; "
          "sh -c 'exec 3<>/dev/vhci; cat /run/adapter >&3; exec sleep infinity' >/dev/null 2>&1 & echo $! >/run/adapter.pid")
    wait_for(lambda: vm.service("bluetooth")["state"] == "ready", GREETER_S, "bluetoothd has started with the adapter", 1)
    assert "org.bluez" in vm.sh("dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames")
    first = vm.processes("bluetooth")
    vm.sh("svcctl restart bluetooth")
    assert vm.service("bluetooth")["state"] == "ready" and first and not first & vm.processes("bluetooth")
    vm.sh("kill $(cat /run/adapter.pid)")
    wait_for(lambda: vm.service("bluetooth")["state"] == "waiting", GREETER_S, "bluetoothd has stopped with the adapter", 1)
    assert not vm.processes("bluetooth")


def make_root(path):
    vm_image.copy_disk(vm_image.disk_image(STAGE, vm_image.DESKTOP), path)
    for name, text in SERVICES.items():
        vm_image.put_file(path, f"/etc/svcd/services.d/{name}.svc", text)
    for name in ("gdm3", "elogind"):
        vm_image.put_file(path, f"/etc/svcd/services.d/{name}.svc.d/tests.conf", TELLS_ITS_END.format(name=name))
    vm_image.put_file(path, "/etc/svcd/policy.d/test-desktop.policy", POLICY)
    # elogind executes /usr/sbin/poweroff. take-over would install this link, but slowly.
    vm_image.put_link(path, "/usr/sbin/poweroff", "/usr/lib/svcd/sysv/poweroff")


with vm_image.work_directory() as work:
    root = f"{work}/root"
    make_root(root)
    with Desktop(root) as vm:
        vm.wait_shell()
        vm.wait_greeter()
        check_interrupted(vm)
        check_boot_ends(vm)
        check_services(vm)
        check_bluetooth(vm)
        check_session(vm)
