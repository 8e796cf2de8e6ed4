#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""org.svcd1 on a real system bus: all users read, root makes changes, and polkit decides for
others. The name returns with the bus."""


import shutil
import subprocess
import threading

from deadline import wait_for
from polkit import GIANT, NOBODY, BusMachine, Polkit, refused
from sandbox import HERE


def host(*argv):
    """Run a tool of this machine on the bus of the sandbox."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 0, (argv, done)
    return done.stdout


def usual_tools_see_everything(box):
    gdbus = ["gdbus", "introspect", "--address", box.address, "--dest", "org.svcd1", "--object-path"]
    assert "Start(in  s name," in host(*gdbus, "/org/svcd1")
    assert "CurrentDescription = " in host(*gdbus, "/org/svcd1/boot")
    assert "State = 'ready'" in host(*gdbus, "/org/svcd1/service/a")
    call = ["gdbus", "call", "--address", box.address, "--dest", "org.svcd1", "--object-path"]
    assert "'/org/svcd1/service/a'" in host(*call, "/org/svcd1", "--method",
                                            "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
    assert "'Runlevel': <'2'>" in host(*call, "/org/svcd1", "--method",
                                      "org.freedesktop.DBus.Properties.GetAll", "org.svcd1.Manager")
    if shutil.which("busctl"):
        assert "/org/svcd1/service/a" in host("busctl", f"--address={box.address}", "tree", "org.svcd1")
        out = host("busctl", f"--address={box.address}", "get-property", "org.svcd1", "/org/svcd1/service/a",
                   "org.svcd1.Service", "State")
        assert out == 's "ready"\n', out


def signals_arrive_unasked(box):
    monitor = subprocess.Popen(["dbus-monitor", "--address", box.address, "sender=org.svcd1"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    heard = []
    threading.Thread(target=lambda: heard.extend(iter(monitor.stdout.readline, "")), daemon=True).start()
    try:
        wait_for(lambda: "NameAcquired" in "".join(heard), what="dbus-monitor listens")
        box.svcctl("flag", "set", "go")
        wait_for(lambda: "path=/org/svcd1/service/waits; interface=org.freedesktop.DBus.Properties; "
                 "member=PropertiesChanged" in "".join(heard), what="the service's change is reported")
        wait_for(lambda: "member=ConditionChanged" in "".join(heard), what="the condition's change is reported")
        box.write("/etc/svcd/services.d/new.svc", "[Service]\nExec=/bin/sleep infinity\n")
        box.svcctl("reload-files")
        wait_for(lambda: "member=InterfacesAdded" in "".join(heard), what="a new service is reported")
        box.remove("/etc/svcd/services.d/new.svc")
        box.svcctl("reload-files")
        wait_for(lambda: "member=InterfacesRemoved" in "".join(heard), what="a removed service is reported")
    finally:
        monitor.kill()
        monitor.wait()
        monitor.stdout.close()
    box.svcctl("flag", "clear", "go")


def calls_that_there_are_not_are_named(box):
    """svcd itself must name an unknown method, because the bus would report a missing right
    instead."""
    for who in ((), NOBODY):
        refused(box.manager("Frobnicate", who=who), "org.freedesktop.DBus.Error.UnknownMethod",
                "there is no method Frobnicate at /org/svcd1")
        refused(box.manager("Stop", "string:a", who=who), "org.freedesktop.DBus.Error.InvalidArgs", 'Stop takes arguments of type "sb", not "s"')
    assert box.state("a") == "ready"


def without_polkit_only_root_changes(box):
    for who, uid in ((NOBODY, 65534), (GIANT, 4000000000)):
        assert box.manager("ListServices", who=who).returncode == 0
        assert box.manager("Subscribe", who=who).returncode == 0
        for method, args in (("Stop", ("string:a", "boolean:true")), ("Shutdown", ("string:poweroff",)), ("Reexec", ()),
                             ("WatchCondition", ("string:path:/root/secret", "boolean:true"))):
            refused(box.manager(method, *args, who=who), "org.svcd1.Error.NotAuthorized",
                    f"uid {uid} may not do this: polkit is not available")
    assert box.state("a") == "ready"

    assert box.manager("Stop", "string:a", "boolean:false").returncode == 0
    row = box.wait_state("a", "idle")
    assert "uid 0" in row["cause"], row
    assert box.manager("Start", "string:a").returncode == 0
    box.wait_state("a", "ready")


def polkit_decides(box):
    polkit = Polkit(box.address, "yes")
    assert box.manager("Stop", "string:a", "boolean:false", who=NOBODY).returncode == 0
    row = box.wait_state("a", "idle")
    assert "uid 65534" in row["cause"], row
    (kind, subject), action, details, flags, _cancel = polkit.asked[-1]
    assert (kind, action, flags) == ("system-bus-name", "org.svcd1.control", 0), polkit.asked
    assert subject["name"].startswith(":"), subject
    assert details == {"method": "Stop", "argument": "a"}, details

    polkit.says = "no"
    refused(box.manager("Start", "string:a", who=NOBODY), "org.svcd1.Error.NotAuthorized",
            "uid 65534 may not do this: polkit refuses org.svcd1.control")
    refused(box.manager("Shutdown", "string:poweroff", who=NOBODY), "org.svcd1.Error.NotAuthorized", "org.svcd1.power")
    refused(box.manager("ReloadFiles", who=NOBODY), "org.svcd1.Error.NotAuthorized", "org.svcd1.configure")
    assert box.state("a") == "idle"
    n_asked = len(polkit.asked)
    assert box.manager("Start", "string:a").returncode == 0, "polkit is not asked about root"
    box.wait_state("a", "ready")
    assert len(polkit.asked) == n_asked
    return polkit


# Five clients of another user with twenty calls each, one after the other: prints the errors.
MANY = """
import os, sys, gi
gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib
os.chroot(sys.argv[1]); os.chdir("/"); os.setgroups([]); os.setuid(65534)
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
loop = GLib.MainLoop()
missing = 5 * 20
def done(bus, result):
    global missing
    try:
        bus.call_finish(result)
        print("carried out")
    except GLib.Error as problem:
        print(problem.message)
    missing -= 1
    if not missing:
        loop.quit()
clients = []
for _ in range(5):
    bus = Gio.DBusConnection.new_for_address_sync("unix:path=/run/dbus/system_bus_socket", flags, None, None)
    clients.append(bus)
    for _ in range(20):
        bus.call("org.svcd1", "/org/svcd1", "org.svcd1.Manager", "Stop", GLib.Variant("(sb)", ("a", True)), None, 0, 60000,
                 None, done)
    # This call is answered after the earlier ones, so the next client's calls come later.
    bus.call_sync("org.svcd1", "/org/svcd1", "org.svcd1.Manager", "ListServices", None, None, 0, 60000, None)
loop.run()
"""


def a_yes_for_who_has_left_is_nobodys(box, polkit):
    polkit.says = "silence"
    n_asked = len(polkit.asked)
    with subprocess.Popen(box.command([*NOBODY, "dbus-send", "--system", "--print-reply", "--dest=org.svcd1",
                                       "/org/svcd1", "org.svcd1.Manager.Stop", "string:a", "boolean:true"]),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as caller:
        wait_for(lambda: len(polkit.asked) > n_asked, what="polkit is asked")
        box.run("pkill", "-KILL", "-u", "65534", "dbus-send")
        caller.wait(60)

    assert polkit.answer_last("yes")
    assert box.manager("ListServices").returncode == 0
    assert box.state("a") == "ready"


# Sends a request as another user, and executes a setuid-root program before the answer.
BECOMES_ROOT = """
import ctypes, os, sys
sys.path.insert(0, sys.argv[2])
from raw_bus import MANAGER, RawBus
from gi.repository import GLib
bus = RawBus(sys.argv[1] + "/run/dbus/system_bus_socket", uid=65534, hello=True)
bus.call(MANAGER, "Stop", GLib.Variant("(sb)", ("a", True)))
os.set_inheritable(bus.sock.fileno(), True)
root = os.open(sys.argv[1], os.O_PATH)
# A set-user-ID bit has no effect in another mount namespace. 0x20000 is CLONE_NEWNS.
assert ctypes.CDLL(None).setns(os.open(sys.argv[1] + "/proc/1/ns/mnt", os.O_RDONLY), 0x20000) == 0
os.fchdir(root); os.chroot("."); os.setgroups([]); os.setresuid(65534, 65534, 65534)
os.execv("/usr/bin/su", ["su", "-c", "true"])
"""


def effective_uid(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return int(next(line for line in status if line.startswith("Uid:")).split()[2])


def who_becomes_root_meanwhile_is_still_who_it_was(box, polkit):
    polkit.says = "silence"
    n_asked = len(polkit.asked)
    with subprocess.Popen(["/usr/bin/python3", "-c", BECOMES_ROOT, box.path("/"), HERE], stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as caller:
        wait_for(lambda: len(polkit.asked) > n_asked, what="polkit is asked")
        with open(f"/proc/{caller.pid}/comm", encoding="utf-8") as comm:
            wait_for(lambda: comm.seek(0) == 0 and comm.read().strip() == "su", what="it is another program")
        wait_for(lambda: effective_uid(caller.pid) == 0, what="it is root's")
        assert polkit.answer_last("no")
        assert box.manager("ListServices").returncode == 0
        caller.kill()
    assert box.state("a") == "ready"


def a_silent_polkit_holds_nobody_up(box, polkit):
    polkit.says = "silence"
    n_asked = len(polkit.asked)
    with subprocess.Popen(["/usr/bin/python3", "-c", MANY, box.path("/")], stdout=subprocess.PIPE, text=True) as caller:
        try:
            wait_for(lambda: len(polkit.asked) == n_asked + 2 * 16, what="polkit is asked")

            # Meanwhile svcd still works, over both sockets.
            assert box.manager("ListServices", who=NOBODY).returncode == 0
            assert box.manager("Restart", "string:b").returncode == 0
            box.wait_state("b", "ready")
            answers = caller.communicate(timeout=60)[0].splitlines()
        finally:
            caller.kill()

    late = [text for text in answers if "polkit did not decide in time whether uid 65534 is authorized for org.svcd1.control" in text]
    of_one = [text for text in answers if "16 of your calls already wait for authorization" in text]
    of_user = [text for text in answers if "32 calls of uid 65534 already wait for authorization" in text]
    assert (len(late), len(of_one) + len(of_user)) == (2 * 16, 2 * 16 + 4 * 4 + 20), answers
    assert len(of_user) >= 2 * 16, answers
    assert len(polkit.asked) == n_asked + 2 * 16
    assert box.state("a") == "ready"


def it_comes_back_with_the_bus(box):
    for _ in range(10):
        pid = box.pid("dbus")
        box.run("kill", "-KILL", str(pid))
        wait_for(lambda: box.pid("dbus") not in (0, pid), what="the bus daemon runs again")
        box.wait_state("dbus", "ready")
        box.wait_named()
    assert box.state("a") == "ready"


def a_new_manager_is_there_too(box):
    box.kill_manager()
    box.wait_up()
    box.wait_named()


with BusMachine(has_polkit=False) as machine:
    usual_tools_see_everything(machine)
    signals_arrive_unasked(machine)
    calls_that_there_are_not_are_named(machine)
    without_polkit_only_root_changes(machine)
    authority = polkit_decides(machine)
    a_yes_for_who_has_left_is_nobodys(machine, authority)
    who_becomes_root_meanwhile_is_still_who_it_was(machine, authority)
    a_silent_polkit_holds_nobody_up(machine, authority)
    authority.leave()
    it_comes_back_with_the_bus(machine)
    a_new_manager_is_there_too(machine)

with BusMachine(has_polkit=True) as machine:
    refused(machine.manager("Stop", "string:a", "boolean:true", who=NOBODY), "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
            "uid 65534 may not do this without a password: polkit requires authentication for org.svcd1.control")
    assert machine.state("a") == "ready"
