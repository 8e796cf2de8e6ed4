#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A call on the real bus starts real daemons through svcd, supervised, and only if policy permits; the
caller gets the reason.
"""

import signal

from deadline import wait_for
from sandbox import Sandbox

POLKIT = "org.freedesktop.PolicyKit1"
DISPATCHER = "org.freedesktop.nm_dispatcher"

POLICY = """[runlevel 2]
Activate=dbus onlooker

[service nm-dispatcher]
Activation=never
"""

BUS_POLICY = """<busconfig><policy user="root"><allow own_prefix="org.example"/></policy>
<policy context="default"><allow send_destination="*" send_interface="org.example.Any"/></policy></busconfig>
"""


def vendor_file(name):
    return {f"/usr/share/dbus-1/system-services/{name}.service":
            f"[D-BUS Service]\nName={name}\nExec=/bin/touch /run/started-behind-svcd\nUser=root\n"}


SERVICES = {
    "fails": "[Service]\nExec=/bin/sh -c 'exit 3'\nReady=dbus:org.example.Fails\n",
    "waits": "[Service]\nExec=/bin/sleep infinity\nBusName=org.example.Waits\n[Conditions]\nWhen=flag:go\n",
    "slow": "[Service]\nExec=/bin/sleep infinity\nBusName=org.example.Slow\nPrepare=/bin/sh -c 'sleep 1; exit 4'\n",
    # Runs once each time that the name gets an owner.
    "onlooker": "[Service]\nType=task\nExec=/bin/sh -c 'echo seen >>/run/onlooker'\n"
                "[Conditions]\nWhen=dbus:org.example.Fails\n",
}

FILES = {
    "/etc/dbus-1/system.d/example.conf": BUS_POLICY,
    "/usr/local/share/dbus-1/system-services/org.example.Own.service":
        "[D-BUS Service]\nName=org.example.Own\nExec=/bin/touch /run/admins-own\nUser=root\n",
}
for example in ("Fails", "Waits", "Slow", "Unknown"):
    FILES.update(vendor_file(f"org.example.{example}"))


def call(box, name, member="org.freedesktop.DBus.Peer.Ping"):
    """The answer of a call, or its error as dbus-send prints it: "Error NAME: TEXT"."""
    done = box.run("dbus-send", "--system", "--print-reply", "--reply-timeout=60000", f"--dest={name}", "/", member,
                   check=False, timeout=90)
    return done.stdout if done.returncode == 0 else done.stderr.strip()


def example(box, name):
    return call(box, f"org.example.{name}", "org.example.Any.Call")


def ask(box, name):
    """Call without waiting for an answer, because these programs never take their name."""
    box.run("dbus-send", "--system", f"--dest=org.example.{name}", "/", "org.example.Any.Call")


def start_by_name(box, name):
    return box.run("dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus."
                   "StartServiceByName", f"string:{name}", "uint32:0", check=False, timeout=60)


def has_owner(box, name):
    return "boolean true" in box.run("dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                                     "org.freedesktop.DBus.NameHasOwner", f"string:{name}").stdout


with Sandbox(SERVICES, root="debian", vendor=True, policy=POLICY, files=FILES, mounts=("sys",)) as box:
    box.wait_state("dbus", "ready")

    # A real daemon: the call starts it, and it answers the call.
    assert box.state("polkit") == "idle"
    assert "method return" in call(box, POLKIT)
    polkit = box.service("polkit")
    assert polkit["state"] == "ready" and polkit["pid"], polkit
    assert polkit["want_reason"] == "requested on the bus", polkit
    assert f"requested on the bus, as {POLKIT}" in box.svcctl("explain", "polkit").stdout
    assert box.processes()[polkit["pid"]][2] == "polkitd"
    assert box.cgroup_of(polkit["pid"]).endswith("/svcd/polkit")

    # polkit is an ordinary service: it outlives the manager, an admin can stop it, and then the bus
    # does not start it.
    box.kill_manager(signal.SIGKILL)
    box.wait_at_rest()
    assert box.pid("polkit") == polkit["pid"]
    box.svcctl("stop", "polkit")
    answer = call(box, POLKIT)
    assert answer.startswith("Error org.svcd1.Error.PolicyDenied: polkit: an admin stopped it: stop by uid 0 (pid "), answer
    box.svcctl("clear", "polkit")
    assert "method return" in call(box, POLKIT)

    # With the policy "never" the answer has the file and line of the policy, and nothing starts.
    answer = call(box, DISPATCHER)
    assert answer == ("Error org.svcd1.Error.PolicyDenied: nm-dispatcher: its policy is never "
                      "(/etc/svcd/policy.d/test.policy:5)"), answer
    assert box.state("nm-dispatcher") == "idle"
    assert not [name for _, _, name, _ in box.processes().values() if name == "nm-dispatcher"]
    assert not has_owner(box, DISPATCHER)

    # With the policy "manual" the answer also has them, until an admin starts the service.
    box.write("/etc/svcd/policy.d/test.policy", POLICY.replace("never", "manual"))
    box.svcctl("reload-files")
    answer = wait_for(lambda: (text := call(box, DISPATCHER)) and "manual" in text and text, what="the policy counts")
    assert answer == ("Error org.svcd1.Error.PolicyDenied: nm-dispatcher: its policy is manual "
                      "(/etc/svcd/policy.d/test.policy:5); only an admin starts it"), answer
    box.svcctl("start", "nm-dispatcher")
    assert "method return" in call(box, DISPATCHER)

    # Failing and waiting services: the answer contains the failure or the awaited terms.
    answer = example(box, "Fails")
    failure = "Error org.svcd1.Error.Failed: fails: it has failed: ended before it was ready: exit status 3"
    assert answer == failure, answer
    answer = example(box, "Fails")
    assert answer == failure, answer
    answer = example(box, "Waits")
    assert answer.startswith("Error org.svcd1.Error.Failed: waits: it waits, and starts as soon as this is true: "
                             "flag:go"), answer
    answer = example(box, "Slow")
    assert "exit status 4" in answer and answer.startswith("Error org.svcd1.Error.Failed: "), answer
    box.svcctl("flag", "set", "go")
    box.wait_state("waits", "ready")

    # A caller of StartServiceByName gets the reason with its next call.
    assert start_by_name(box, POLKIT).returncode == 0
    start_by_name(box, "org.example.Fails")
    assert "has failed" in example(box, "Fails")

    # A client that repeats its call after an owner came and went gets a final error. A later client
    # gets the reason again.
    answers = [example(box, "Fails") for _ in range(6)]
    assert answers[-1].startswith("Error org.freedesktop.DBus.Error.Spawn."), answers
    wait_for(lambda: example(box, "Fails") == failure, what="the reason is given again")

    # svcd's substitute owner of the name does not make the condition true.
    assert not box.exists("/run/onlooker"), box.read("/run/onlooker")

    # The bus itself starts services that svcd does not know or that the admin wrote.
    assert not box.exists("/run/started-behind-svcd")
    ask(box, "Own")
    wait_for(lambda: box.exists("/run/admins-own"), what="the admin's own file is used")
    ask(box, "Unknown")
    wait_for(lambda: box.exists("/run/started-behind-svcd"), what="the bus starts what svcd does not know")

    # A package that is installed later is known after the files are read again.
    box.write("/usr/share/dbus-1/system-services/org.example.Late.service", next(iter(vendor_file("org.example.Late").values())))
    box.write("/etc/svcd/services.d/late.svc", "[Service]\nExec=/bin/sh -c 'exit 7'\nReady=dbus:org.example.Late\n")
    box.svcctl("reload-files")
    wait_for(lambda: box.exists("/usr/local/share/dbus-1/system-services/org.example.Late.service"), what="it is generated")
    assert "exit status 7" in example(box, "Late")

# If the generated files cannot be mounted over the bus's files, the bus starts programs itself, and
# the dbus service reports the failure once.
FILES = {"/usr/local/share/dbus-1": "in the way\n", "/etc/dbus-1/system.d/example.conf": BUS_POLICY,
         **vendor_file("org.example.Fails")}
with Sandbox({"fails": SERVICES["fails"]}, root="debian", vendor=True, policy="[runlevel 2]\nActivate=dbus\n", files=FILES,
             mounts=("sys",)) as box:
    box.wait_state("dbus", "ready")
    ask(box, "Fails")
    wait_for(lambda: box.exists("/run/started-behind-svcd"), what="the bus starts programs itself")
    assert box.state("fails") == "idle"
    said = [line for line in box.svcctl("log", "dbus").stdout.splitlines() if "bus-activation: " in line]
    assert len(said) == 1 and "cannot be made" in said[0], said
