# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Attack set: each attack of attack.py on each svcd object that it can reach, for tests, benches and
whole machines.

A Plan has the contents of the sandbox and the attacks in it. Some attacks start and have no effect,
others cannot open what they need: both are valid results. A plan fails only if svcd does not
answer.
"""

import os

import attack
import open_bus
from attack import Attack, Hangs
from deadline import wait_for

BUS_SOCKET = "/run/dbus/system_bus_socket"
BUS_FILE = "/etc/open-bus.conf"
SINK_PORT = "7777"

DBUS = (f"[Service]\nExec=/usr/bin/dbus-daemon --config-file={BUS_FILE} --nofork --nopidfile --nosyslog\n"
        f"Ready=path:{BUS_SOCKET}\nRuntimeDirectory=dbus\nRestart=on-failure\n")

# These services make the answers on the bus large.
MANY = {f"idle-{number}": "[Service]\nExec=/bin/true\n" for number in range(500)}

# Any user can hold a directory that it can list. svcd's objects below these directories must not
# block.
DIRECTORIES = ("/", "/run", "/run/svcd", "/run/svcd/log", "/run/svcd/notify", "/sys/fs/cgroup", "/sys/fs/cgroup/svcd", "/etc", "/etc/svcd",
               "/etc/svcd/services.d", "/usr/sbin", "/proc/1", "/dev", "/dev/shm", "/tmp", "/var", "/var/log", "/var/lib")


class Plan:
    """
    @users: commands of attackers that run as user nobody. @services: name -> text, activated unless
    in @idle.

    @admin: arguments of svcctl, which an admin runs once all attacks have begun. @terminal: the
    attackers own the console.
    """

    def __init__(self, name, users=(), services=None, files=None, idle=(), admin=(), terminal=False, before=(), way=None):
        self.name = name
        self.users = [list(words) for words in users]
        self.services = dict(services or {})
        self.files = dict(files or {})
        self.idle = list(idle)
        self.admin = [list(words) for words in admin]
        self.terminal = terminal
        self.before = [list(words) for words in before]
        self.way = way
        self.marks = [service for service, text in self.services.items() if attack.PROGRAM in text]

    def begin(self, box):
        """Start the attackers that are users; the caller ends them."""
        if self.terminal:
            os.chown(box.path("/dev/console"), attack.NOBODY, -1)
        attackers = [Attack(box, *words, way=self.way, expect_held=False) for words in self.before + self.users]
        self.marks += [attacker.mark for attacker in attackers[len(self.before):]]
        return [attacker.__enter__() for attacker in attackers]

    def wait(self, box, seconds=10):
        """Wait until each attacker holds or has failed; returns the ways that the holding attackers
        use."""
        def look():
            states = [attack.state(box, mark) for mark in self.marks]
            return states if all(seen.way or seen.failures for seen in states) else None
        return [seen.way for seen in wait_for(look, seconds, f"{self.name} has begun") if seen.way]

    def go_on(self, box, limit=5):
        """Run the admin's commands during the attacks. Their answers are checked elsewhere."""
        for words in self.admin:
            try:
                attack.ask(box, "/usr/bin/svcctl", *words, limit=limit)
            except Hangs:
                pass


def service_plan(name, *words, way=None, more="", sections="", **how):
    """A plan whose attacker is a service with the plan's name."""
    return Plan(name, services={name: attack.service(name, *words, way=way, more=more, sections=sections)}, **how)


def directory_name(path):
    return f"directory{path.replace('/', '-')}"


def socket_section(port):
    return f"[Socket]\nListenStream=127.0.0.1:{port}\n"


PLANS = [
    *(Plan(directory_name(path), users=[("hold-directory", path, "writer")]) for path in DIRECTORIES),
    Plan("directory-punched", users=[("hold-directory", "/run/svcd", "writer"), ("hold-directory", "/run", "writer")], way="punch"),
    # The name is not cached, and its directory is held.
    Plan("look-up", users=[("hold-directory", "/dev/shm", "writer")],
         services={"looks": "[Service]\nExec=/bin/true\n[Conditions]\nWhile=path:/dev/shm/missing\n"}, admin=[("reexec",)]),
    Plan("maze", users=[("maze", "/tmp/maze")], services={"lost": "[Service]\nExec=/bin/true\n[Conditions]\nWhile=path:/tmp/maze\n"}),
    Plan("lease", users=[("hold-lease", "/tmp/leased")],
         services={"leased": "[Service]\nExec=/bin/sleep infinity\nEnvironmentFile=/tmp/leased\n"}, idle=["leased"], admin=[("start", "--no-wait", "leased")]),
    Plan("private", users=[("send-descriptor", "/run/svcd/private")]),
    Plan("notify-stranger", users=[("send-descriptor", "/run/svcd/notify/noted")],
         services={"noted": "[Service]\nExec=/bin/sh -c \"exec sleep infinity\"\nReady=notify\nStartTimeout=1h\n"}),
    service_plan("notify-own", "send-descriptor", "$NOTIFY_SOCKET", more="Ready=notify\nStartTimeout=1h", admin=[("stop", "--no-wait", "notify-own")]),
    service_plan("log", "hold-pipe", "1"),
    service_plan("log-fault", "hold-pipe", "1", way="fuse"),
    service_plan("log-descriptors", "output-descriptors"),
    service_plan("log-health", "hold-pipe", "1", more="HealthCommand=/bin/echo well\nHealthInterval=100ms"),
    service_plan("log-stop", "hold-pipe", "1", way="fuse", admin=[("stop", "--no-wait", "log-stop")]),
    service_plan("ready", "hold-pipe", "5", way="fuse", more="Ready=fd:5\nStartTimeout=1h"),
    service_plan("ready-stop", "hold-pipe", "5", way="fuse", more="Ready=fd:5\nStartTimeout=1h", admin=[("stop", "--no-wait", "ready-stop")]),
    service_plan("ready-descriptors", "output-descriptors", "5", more="Ready=fd:5\nStartTimeout=1h"),
    service_plan("listener", "hold-socket", "3", sections=socket_section(7001), admin=[("reexec",)]),
    service_plan("listener-stop", "hold-socket", "3", sections=socket_section(7002), admin=[("stop", "--no-wait", "listener-stop")]),
    service_plan("linger", "linger", "3", SINK_PORT, sections=socket_section(7003), admin=[("stop", "--no-wait", "linger")], before=[("sink", SINK_PORT)]),
    Plan("listeners", users=[("listeners", "3000", "7004")], services={"crowded": "[Service]\nExec=/bin/sleep infinity\n" + socket_section(7004)},
         idle=["crowded"], admin=[("start", "--no-wait", "crowded")]),
    Plan("terminal", users=[("hold-terminal", "/dev/console")], terminal=True),
    Plan("bus", users=[("bus-flood", BUS_SOCKET, "32")], services={"dbus": DBUS, **MANY}, files={BUS_FILE: open_bus.CONFIGURATION},
         idle=list(MANY)),
    # This must be the last plan, because each new program, including an attacker, reads /proc.
    Plan("directory-proc", users=[("hold-directory", "/proc", "writer")]),
]

BY_NAME = {plan.name: plan for plan in PLANS}


def services_of(plans):
    return {**attack.WITNESSES, **{name: text for plan in plans for name, text in plan.services.items()}}


def policy_of(plans):
    idle = {name for plan in plans for name in plan.idle}
    return "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in services_of(plans) if name not in idle)


def files_of(plans):
    return {**attack.FILES, **{path: content for plan in plans for path, content in plan.files.items()}}
