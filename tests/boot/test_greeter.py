#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 1200
"""
The login screen shows how the boot goes on: a bar as long as org.svcd1.Boot says, and what did not start. It is right again
after a restart of GDM and of the manager, and goes when the boot is over. The pictures are kept ($SVCD_ARTIFACTS).
"""

import os

import vm_image
from deadline import wait_for
from png import keep_picture
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]

GREETER_S = 400

# desktop/greeter/stylesheet.css; what is drawn may be a little off.
FILL = (0x35, 0x84, 0xe4)
TROUGH = (0x4f, 0x4f, 0x57)
FAILURE = (0xf5, 0xc2, 0x11)
NEAR = 3
BAR_WIDTH = 400

# GNOME's own: the user in the list who is chosen has a large field of it.
CHOSEN = (0x35, 0x84, 0xe4)
N_CHOSEN = 10000

TOLERANCE = 0.02

# One takes its time, and others wait for it, so that the bar stands in the middle.
SERVICES = {
    "slow-migration": "[Service]\nType=task\nDescription=Migration of a large database\nStartTimeout=1h\n"
                      "Exec=/bin/sh -c 'until test -e /run/go-on; do sleep 1; done'\n",
    "later@": "[Service]\nType=task\nExec=/bin/true\n[Conditions]\nAfter=slow-migration\n",
    "broken-printer": "[Service]\nDescription=A printer without paper\nRestart=no\nType=task\nExec=/usr/bin/test -e /run/paper\n",
}
POLICY = "[runlevel 5]\nActivate=slow-migration broken-printer " + " ".join(f"later@{number}" for number in range(30)) + "\n"


def is_near(pixel, colour):
    return all(abs(a - b) <= NEAR for a, b in zip(pixel, colour))


def rows_of(picture, third=2):
    """The lower third, where the bar is, or another: of each row that has more than its ground, its pixels."""
    width, height, pixels = picture
    for y in range(height * third // 3, height * (third + 1) // 3):
        row = pixels[3 * width * y:3 * width * (y + 1)]
        if row != row[:3] * width:
            yield [row[at:at + 3] for at in range(0, len(row), 3)]


def find(row, colour):
    """Where it is in the row."""
    return [at for at, pixel in enumerate(row) if is_near(pixel, colour)]


def bar_in(picture):
    """How much of the bar is filled, by its pixels; None: there is no bar."""
    for row in rows_of(picture):
        fill, trough = find(row, FILL), find(row, TROUGH)
        if len(fill) + len(trough) >= BAR_WIDTH - 6:
            begin, end = min(fill + trough), max(fill + trough) + 1
            assert end - begin <= BAR_WIDTH, "it is one piece"
            assert abs((begin + end) / 2 - len(row) / 2) < 4, "it is in the middle"
            assert not fill or not trough or max(fill) < min(trough), "it is filled from the left"
            return len(fill) / (len(fill) + len(trough))
    return None


def n_failure_pixels(picture):
    return sum(len(find(row, FAILURE)) for row in rows_of(picture))


def has_greeter(picture):
    """The list of users is there; the bar and the panel come before it."""
    return sum(len(find(row, CHOSEN)) for row in rows_of(picture, third=1)) >= N_CHOSEN


def progress(vm):
    answer = vm.sh("dbus-send --system --print-reply=literal --dest=org.svcd1 /org/svcd1/boot "
                   "org.freedesktop.DBus.Properties.Get string:org.svcd1.Boot string:Progress")
    return float(answer.split()[-1])


def check_bar(vm, name):
    """The greeter and the bar are there, and the bar is as long as svcd says at that moment."""
    def is_drawn():
        picture = vm.picture()
        return has_greeter(picture) and bar_in(picture) is not None
    wait_for(is_drawn, GREETER_S, "the greeter is drawn, and the bar in it", 3)
    before = progress(vm)
    picture = vm.picture()
    after = progress(vm)
    keep_picture(name, picture)
    seen = bar_in(picture)
    assert before - TOLERANCE <= seen <= after + TOLERANCE, f"{name}: the bar is at {seen:.3f}, svcd at {before:.3f} to {after:.3f}"
    assert n_failure_pixels(picture) > 50, "what did not start is named"
    return seen


def session_of_greeter(vm, other_than="none"):
    line = vm.sh(f"until loginctl list-sessions --no-legend | grep Debian-gdm | grep -vw {other_than}; do sleep 2; done", GREETER_S)
    return line.split()[0]


def check_restarts(vm, session):
    seen = check_bar(vm, "greeter-boot")
    vm.sh("kill -KILL $(pgrep -x svcd-manager)")
    vm.sh("until dbus-send --system --print-reply --dest=org.svcd1 /org/svcd1/boot org.freedesktop.DBus.Peer.Ping; do sleep 1; done")
    seen_then = check_bar(vm, "greeter-manager-replaced")
    assert seen_then >= seen, "it never goes back"

    vm.sh("svcctl restart gdm3")
    assert session_of_greeter(vm, session) != session
    assert check_bar(vm, "greeter-gdm-restarted") >= seen_then


def check_end(vm):
    """The bar goes with the boot; what failed stays until it is put right."""
    vm.sh("touch /run/go-on")
    wait_for(lambda: bar_in(vm.picture()) is None, GREETER_S, "the bar has gone", 2)
    assert vm.svcctl_json("overview")["boot_finished"]
    keep_picture("greeter-after-boot", vm.picture())
    assert n_failure_pixels(vm.picture()) > 50
    vm.sh("touch /run/paper; svcctl start broken-printer")

    def is_put_right():
        picture = vm.picture()  # of a screen that has gone dark neither is left
        return n_failure_pixels(picture) == 0 and has_greeter(picture)
    wait_for(is_put_right, GREETER_S, "nothing is left of it but the greeter", 2)


def make_root(path):
    vm_image.copy_disk(vm_image.disk_image(STAGE, vm_image.DESKTOP), path)
    for name, text in SERVICES.items():
        vm_image.put_file(path, f"/etc/svcd/services.d/{name}.svc", text)
    vm_image.put_file(path, "/etc/svcd/policy.d/test-greeter.policy", POLICY)


with vm_image.work_directory() as work:
    root = f"{work}/root"
    make_root(root)
    with Machine([root], *vm_image.boot_files(vm_image.DESKTOP), screen=True, memory_mib=2048) as vm:
        vm.wait_shell()
        check_restarts(vm, session_of_greeter(vm))
        check_end(vm)
