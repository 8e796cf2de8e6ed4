#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The faults of the torture table, caused in the same way under svcd, systemd, sysvinit, s6 and finit,
with the same checks. limit: 5400

The checks: does PID 1 exist? Have unaffected services kept their processes? Does a killed service
return? Does the init's own command start another service, and when? $SVCD_TORTURE_ROWS and
$SVCD_TORTURE_INITS select rows and inits. The bench prints one line of JSON, then the same as a
table in Markdown. Nothing is asserted about the other inits, nor about times.
"""

import json
import os
import signal
import subprocess
import sys
import time

import attack
from attack import Attack
from deadline import DeadlinePassed, wait_for
from peers import NOTES, script
from faults import PIDS_TREE, PidsLimit, cpu_percent, crash, injected, no_descriptors
from torture_peers import INITS, PAUSER, PROGRAMS, Kept

CALM = ("calm0", "calm1", "calm2")
PROBES = tuple(f"probe{number}" for number in range(8))
BOOT_S = 30      # until the calm services are up
ANSWER_S = 15    # until the command has had its effect
RETURN_S = 20    # until a killed service is back
FAULT_S = 5      # the duration of a removable fault
ORPHANS = 30000
STORM_LIMIT = 31500   # below the machine's pid_max
BOMB_LIMIT = 250   # its processes compete with everything else on the machine
SHUTDOWN_S = 120
LOOPS = 50

MORE_PROGRAMS = {
    f"{PROGRAMS}/bomb": script("#!/bin/sh\nbomb() { bomb | bomb & }\nbomb 2>/dev/null\nwhile :; do sleep 1; done\n"),
    f"{PROGRAMS}/deaf": script("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n"),
    f"{PROGRAMS}/escape": script(f"#!/bin/sh\nsetsid {PROGRAMS}/escaped &\nexec {PAUSER}\n"),
    f"{PROGRAMS}/escaped": {"link": PAUSER},
    f"{PROGRAMS}/loops": script("#!/bin/sh\necho >>/run/loops\nexit 1\n"),
}


class World:
    """One sandbox under one init, and its checks."""

    def __init__(self, init, services=None, **how):
        self.init = init
        self.services = {name: Kept() for name in CALM}
        self.services.update({name: Kept(at_boot=False) for name in PROBES})
        self.services.update(services or {})
        self.how = how
        self.box = None
        self.probes = list(PROBES)
        self.pids = {}

    def __enter__(self):
        more = dict(MORE_PROGRAMS, **self.how.pop("more_files", {}))
        self.box = self.init.sandbox(self.services, more, **self.how)
        self.box.start()
        return self

    def __exit__(self, kind, value, trace):
        self.box.tear_down()

    def boot(self):
        """True when the calm services are up."""
        try:
            wait_for(lambda: len(self.calm()) == len(CALM) or self.gone(), BOOT_S, "calm services are up")
        except DeadlinePassed:
            return False
        self.pids = self.calm()
        if self.gone():
            return False
        wait_for(self.listens, BOOT_S, "it takes commands")
        return True

    def listens(self):
        """Wait for the init's socket by starting the first probe, because earlier commands would be
        lost with any init."""
        return self.probe() is not None

    def of(self, name):
        """The pids, inside the sandbox, of all processes with that name."""
        return sorted(inner for inner, (_outer, _parent, comm, state) in self.box.processes().items()
                      if comm == name and state != "Z")

    def calm(self):
        found = {}
        for inner, (_outer, _parent, comm, state) in self.box.processes().items():
            if comm in CALM and state != "Z":
                found.setdefault(comm, []).append(inner)
        return {name: sorted(pids) for name, pids in found.items()}

    def gone(self):
        return not self.box.is_running()

    def supervisors(self):
        return self.init.supervisors(self.box, self.services)

    def outer(self):
        return list(self.supervisors().values())

    def probe(self, limit_s=ANSWER_S):
        """Seconds until the init's own command has started a new service; None if it fails."""
        name = self.probes.pop(0)
        assert not self.of(name), f"{name} runs before it was started"
        began = time.monotonic()
        command = self.init.start(self.box, name, self.services)
        try:
            wait_for(lambda: self.of(name) or self.gone(), limit_s, "the probe runs", every=0.02)
            return None if self.gone() else time.monotonic() - began
        except DeadlinePassed:
            return None
        finally:
            end(command)

    def kill(self, name):
        for pid in self.of(name):
            self.box.kill(pid)

    def comes_back(self, name="calm0", limit_s=RETURN_S):
        """Kill a service; seconds until it runs again, or None."""
        old = self.of(name)
        began = time.monotonic()
        self.kill(name)
        return self.awaits_return(name, old, began, limit_s)

    def awaits_return(self, name, old, began, limit_s=RETURN_S):
        try:
            wait_for(lambda: set(self.of(name)) - set(old) or self.gone(), limit_s, "it is back", every=0.02)
            return None if self.gone() else time.monotonic() - began
        except DeadlinePassed:
            return None

    def survey(self, untouched=CALM):
        """The state after a fault."""
        if self.gone():
            return {"alive": False}
        now = self.calm()
        return {"alive": True, "kept": sum(set(self.pids.get(name, ())) <= set(now.get(name, ())) for name in untouched), "of": len(untouched),
                "copies": max((len(pids) for pids in now.values()), default=0),
                "back_s": self.comes_back(), "start_s": self.probe()}


def end(command, limit_s=0.5):
    """End a command whether or not its effect was seen. Returns its status, or None if it had to be
    killed."""
    if command is None:
        return None
    try:
        command.communicate(timeout=limit_s)
        return command.returncode
    except subprocess.TimeoutExpired:
        os.killpg(command.pid, signal.SIGKILL)
    try:
        command.communicate(timeout=2)
    except subprocess.TimeoutExpired:
        pass # the command is blocked in the kernel on a held object
    return None


def seconds(value):
    return f"{value:.1f} s" if value >= 1 else f"{value * 1000:.0f} ms"


def words(seen):
    """A survey as a sentence."""
    if not seen["alive"]:
        return "PID 1 is gone: a kernel panic"
    parts = ["all services ran on" if seen["kept"] == seen["of"] else f"{seen['kept']} of {seen['of']} services kept their processes"]
    if seen["copies"] > 1:
        parts.append("**a service runs twice**")
    parts.append("a killed service comes back" if seen["back_s"] is not None else "**a killed service stays dead**")
    parts.append(f"a start takes {seconds(seen['start_s'])}" if seen["start_s"] is not None else f"**no start in {ANSWER_S} s**")
    return ", ".join(parts)


def fine(seen):
    return bool(seen["alive"] and seen["kept"] == seen["of"] and seen["copies"] == 1 and seen["back_s"] is not None and
                seen["start_s"] is not None)


def result(seen, more=""):
    return {"text": (f"{more}; " if more else "") + words(seen), "good": fine(seen), "seen": seen}


# --- rows: an init -> its survey; None where the fault does not exist ---

def nothing(init):
    with World(init) as world:
        world.boot()
        return result(world.survey())


def let_settle(settle_s):
    """Recovery times differ between inits, and only svcd reports the end of a recovery. So all
    inits get the same time."""
    time.sleep(settle_s)


# systemd exits at once in a container when it crashes; this tests a machine.
A_MACHINE = {"container": None}


def fault_in_pid1(init):
    """No init claims to survive more than two faults within a minute; PID 1 must still exist."""
    with World(init, environment=A_MACHINE) as world:
        world.boot()
        crash(world.box.pid1)
        let_settle(1)
        seen = world.survey()
        if not seen["alive"] or seen["start_s"] is None:
            return result(seen)
        for _fault in range(4):
            crash(world.box.pid1)
            let_settle(1)
            if world.gone():
                return {"text": f"{words(seen)}; PID 1 is gone after more of them", "good": False, "seen": seen}
        after = world.survey(("calm1", "calm2"))
        return {"text": f"{words(seen)}; after four more: {words(after)}", "good": fine(seen) and after["alive"],
                "seen": [seen, after]}


def abort_of_pid1(init):
    with World(init, environment=A_MACHINE) as world:
        world.boot()
        os.kill(world.box.pid1, signal.SIGABRT)
        let_settle(2)
        return result(world.survey())


def supervisor_killed(init):
    with World(init) as world:
        world.boot()
        others = {inner: outer for inner, outer in world.supervisors().items() if inner != 1}
        if not others:
            return None
        for outer in others.values():
            os.kill(outer, signal.SIGKILL)
        let_settle(2)
        return result(world.survey(), f"{len(others)} processes killed")


def supervisor_stopped(init):
    with World(init) as world:
        world.boot()
        target = init.listener(world.box, world.probes[0])
        os.kill(target, signal.SIGSTOP)
        took = world.probe(60)
        if took is None:
            return {"text": "**stands still**: no start in 60 s, and no process supervises it", "good": False, "seen": None}
        return result(world.survey(), f"replaced, the start was carried out after {seconds(took)}")


def fails_for_a_while(calls, error):
    """All @calls fail in all of the init's processes for some seconds. Meanwhile a service dies,
    and another service is requested."""
    def row(init):
        with World(init) as world:
            world.boot()
            pids = world.outer()
            old = world.of("calm0")
            with injected(pids, calls, error):
                world.kill("calm0")
                command = init.start(world.box, world.probes.pop(0), world.services)
                busy = cpu_percent(pids, FAULT_S)
                end(command)
            return after_fault(world, old, busy)
    return row


def after_fault(world, old, busy):
    """The service that was killed meanwhile must return on its own before the other checks."""
    began = time.monotonic()
    back = None if world.gone() else world.awaits_return("calm0", old, began, 60)
    seen = world.survey(("calm1", "calm2"))
    more = f"meanwhile {busy:.0f} % of a processor; " + (
        "a service that died meanwhile came back" + (f" {seconds(back)} later" if back > 0.5 else "") if back is not None
        else "**a service that died meanwhile stays dead**")
    answer = result(seen, more)
    answer["good"] = answer["good"] and back is not None
    return answer


def out_of_descriptors(init):
    with World(init) as world:
        world.boot()
        pids = world.outer()
        old = world.of("calm0")
        with no_descriptors(pids):
            world.kill("calm0")
            command = init.start(world.box, world.probes.pop(0), world.services)
            busy = cpu_percent(pids, FAULT_S)
            end(command)
        return after_fault(world, old, busy)


def program_missing(init):
    services = {"nowhere": Kept(f"{PROGRAMS}/there-is-no-such-program", at_boot=False)}
    with World(init, services) as world:
        world.boot()
        began = time.monotonic()
        command = init.start(world.box, "nowhere", world.services)
        try:
            output = command.communicate(timeout=ANSWER_S)[0]
            took = time.monotonic() - began
            said = f"the command ends with {command.returncode} after {seconds(took)}" + (
                " and names the program" if "no-such-program" in output else "")
        except subprocess.TimeoutExpired:
            os.killpg(command.pid, signal.SIGKILL)
            command.communicate()
            said = "the command does not end"
        told = command.returncode not in (0, None, -signal.SIGKILL)
        busy = cpu_percent(world.outer(), FAULT_S)
        answer = result(world.survey(), f"{said if told else said + ', **which says nothing**'}; then {busy:.0f} % of a processor")
        answer["good"] = answer["good"] and told
        return answer


def run_is_full(init):
    with World(init) as world:
        world.boot()
        world.box.run("dd if=/dev/zero of=/run/filler bs=64k 2>/dev/null; dd if=/dev/zero of=/run/filler2 bs=1 2>/dev/null",
                      check=False)
        return result(world.survey())


def boots(**how):
    def row(init):
        with World(init, **how) as world:
            try:
                if not world.boot():
                    text = "PID 1 is gone: a kernel panic" if world.gone() else f"**{len(world.calm())} of 3 services came up**"
                    return {"text": text, "good": False, "seen": None}
            except DeadlinePassed:
                return {"text": "boots; **no start by command**", "good": False, "seen": None}
            return result(world.survey())
    return row


def orphans(init):
    if not os.path.isdir(PIDS_TREE):
        return None
    with PidsLimit(STORM_LIMIT) as limit, World(init, {"note": Kept(at_boot=False)}) as world:
        world.boot()
        began_with = world.box.processes()
        with limit.entered():
            storm = subprocess.Popen(world.box.command([f"{PROGRAMS}/orphans", str(ORPHANS)]), stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        made = int(storm.stdout.readline())
        began = time.monotonic()
        storm.stdin.write("x")
        storm.stdin.close()
        before = os.path.getsize(world.box.path(NOTES))
        command = init.start(world.box, "note", world.services)
        started = None
        while (storm.poll() is None or limit.current() > 0) and time.monotonic() - began < 60:
            if started is None and os.path.getsize(world.box.path(NOTES)) > before:
                started = time.monotonic() - began
            time.sleep(0.002)
        took = time.monotonic() - began
        storm.wait()
        if started is None:
            wait_for(lambda: os.path.getsize(world.box.path(NOTES)) > before, 60, "the probe runs", every=0.005)
            started = time.monotonic() - began
        end(command)
        zombies = sum(row[3] == "Z" for row in world.box.processes().values()) - sum(row[3] == "Z" for row in began_with.values())
        answer = result(world.survey(), f"{made} reaped in {seconds(took)}{f', {zombies} not' if zombies > 0 else ''}; "
                                        f"a start in the middle of it {seconds(started)}")
        answer["took_s"], answer["start_s"] = took, started
        return answer


def fork_bomb(init):
    """When no process of the sandbox can fork any more, the bomb must be stopped."""
    if not os.path.isdir(PIDS_TREE):
        return None
    with PidsLimit(BOMB_LIMIT) as limit:
        world = World(init, {"bomb": Kept(f"{PROGRAMS}/bomb", at_boot=False)})
        with limit.entered():
            world.__enter__()
        try:
            world.boot()
            quiet = len(world.box.processes())
            end(init.start(world.box, "bomb", world.services), 2)
            wait_for(lambda: limit.current() > BOMB_LIMIT * 0.9, what="the bomb has gone off")
            let_settle(1)
            began = time.monotonic()
            command = init.stop(world.box, "bomb", world.services)
            try:
                wait_for(lambda: len(world.box.processes()) <= quiet + 2, 30, "the bomb is over", every=0.05)
                said = f"stopped, with all that it had made, in {seconds(time.monotonic() - began)}"
            except DeadlinePassed:
                left = len(world.box.processes()) - quiet
                return {"text": f"**{left} processes of it are left 30 s after its stop**", "good": False, "seen": None}
            finally:
                end(command)
            return result(world.survey(), said)
        finally:
            world.__exit__(None, None, None)


def deaf_at_shutdown(init):
    names = [f"deaf{number}" for number in range(50)]
    links = {f"{PROGRAMS}/{name}": {"link": f"{PROGRAMS}/deaf"} for name in names}
    with World(init, {name: Kept(f"{PROGRAMS}/{name}") for name in names}, more_files=links) as world:
        world.boot()
        wait_for(lambda: sum(row[2] in names for row in world.box.processes().values()) >= 50, what="the deaf ones are up")
        began = time.monotonic()
        command = init.poweroff(world.box)
        if command is None:
            return None
        try:
            wait_for(world.gone, SHUTDOWN_S, "the machine is off", every=0.05)
            took = time.monotonic() - began
            return {"text": f"off after {seconds(took)}", "good": True, "seen": took}
        except DeadlinePassed:
            return {"text": f"**still on after {SHUTDOWN_S} s**", "good": False, "seen": None}
        finally:
            end(command)


def escape(init):
    with World(init, {"escape": Kept(f"{PROGRAMS}/escape", at_boot=False)}) as world:
        world.boot()
        end(init.start(world.box, "escape", world.services), 2)
        wait_for(lambda: world.of("escaped"), what="it has escaped")
        command = init.stop(world.box, "escape", world.services)
        try:
            wait_for(lambda: not world.of("escaped"), 15, "the escaped process is gone")
            text, good = "killed with its service", True
        except DeadlinePassed:
            text, good = "**runs on**", False
        end(command)
        return {"text": text, "good": good, "seen": None}


def crash_loop(init):
    names = [f"loop{number}" for number in range(LOOPS)]
    services = {name: Kept(f"{PROGRAMS}/loops", at_boot=True) for name in names}
    with World(init, services) as world:
        world.boot()
        time.sleep(20)
        pids = world.outer()
        before = loops_of(world)
        busy = cpu_percent(pids, 10)
        more = loops_of(world) - before
        return result(world.survey(), f"{before} starts in the first 20 s, {more / 10:.0f} a second later"
                                      f"{' (given up)' if not more else ''}; then {busy:.1f} % of a processor")


def loops_of(world):
    return os.path.getsize(world.box.path("/run/loops")) if world.box.exists("/run/loops") else 0


GARBAGE = {"bytes": "".join(chr(n % 256) for n in range(7, 5000, 3)), "mode": 0o755}


def bad_file(init):
    """Each init gets a service file of binary garbage; sysvinit and finit get one more file for it.
    """
    where = {"svcd": "/etc/svcd/services.d/zz.svc", "systemd": "/etc/systemd/system/zz.service", "sysvinit": "/etc/inittab.d/zz.tab",
             "s6": "/etc/s6/zz/run", "finit": "/etc/finit.d/zz.conf"}[init.name]
    return boots(more_files={where: GARBAGE, **pulled_in(init)})(init)


def fifo_for_a_file(init):
    where = {"svcd": "/etc/svcd/services.d/zz.svc", "systemd": "/etc/systemd/system/zz.service", "sysvinit": "/etc/inittab.d/zz.tab",
             "s6": "/etc/s6/zz/run", "finit": "/etc/finit.d/zz.conf"}[init.name]
    return boots(more_files={where: {"fifo": True, "mode": 0o755}, **pulled_in(init)})(init)


def pulled_in(init):
    """systemd reads only requested units, svcd all files."""
    if init.name == "systemd":
        return {"/etc/systemd/system/torture.target.wants/zz.service": {"link": "../zz.service"}}
    return {}


def cycle(init):
    names = ("ring0", "ring1", "ring2")
    files, hint = {}, None
    for name, before in zip(names, names[1:] + names[:1]):
        if init.name == "svcd":
            files[f"/etc/svcd/services.d/{name}.svc"] = f"[Service]\nExec={PAUSER}\n[Conditions]\nWhen=service:{before}\n"
        elif init.name == "systemd":
            files[f"/etc/systemd/system/{name}.service"] = init.unit(
                name, Kept(PAUSER), f"Requires={before}.service\nAfter={before}.service\n")
            files[f"/etc/systemd/system/torture.target.wants/{name}.service"] = {"link": f"../{name}.service"}
        elif init.name == "finit":
            files[f"/etc/finit.d/{name}.conf"] = f"service name:{name} [2] <pid/{before}> {PAUSER} -- {name}\n"
        else:
            return None
    if init.name == "svcd":
        files["/etc/svcd/policy.d/ring.policy"] = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in names)
    with World(init, more_files=files) as world:
        if not world.boot():
            return {"text": "**does not boot**", "good": False, "seen": None}
        seen = world.survey()
        if init.name == "svcd":
            hint = world.box.svcctl("explain", "ring0", check=False).stdout + world.box.console()
        else:
            hint = world.box.console()
        named = all(name in hint for name in names)
        return result(seen, f"{len(world.of('pauser'))} of the 3 run, the cycle is {'told' if named else 'not told'}")


def control_flood(init):
    """The socket of the admin's command is held open 300 times, and gets a megabyte of garbage."""
    if not hasattr(init, "control"):
        return None
    flood = ("import socket,os,time,stat,sys\npath=sys.argv[1]\nheld=[]\n"
             "if stat.S_ISFIFO(os.stat(path).st_mode):\n"
             "    fd=os.open(path,os.O_RDWR|os.O_NONBLOCK)\n    held.append(fd)\n"
             "    for n in range(300):\n"
             "        try: os.write(fd,os.urandom(3500))\n"
             "        except BlockingIOError: time.sleep(0.01)\n"
             "else:\n"
             "    for n in range(300):\n"
             "        s=socket.socket(socket.AF_UNIX); s.setblocking(False)\n"
             "        try: s.connect(path)\n"
             "        except OSError: pass\n"
             "        try: s.send(os.urandom(3500))\n"
             "        except OSError: pass\n"
             "        held.append(s)\n"
             "print('held',flush=True)\ntime.sleep(600)\n")
    with World(init) as world:
        world.boot()
        crowd = subprocess.Popen(world.box.command(["/usr/bin/python3", "-c", flood, init.control]), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        try:
            if crowd.stdout.readline().strip() != "held":
                return {"text": f"no {init.control}", "good": None, "seen": None}
            busy = cpu_percent(world.outer(), 2)
            answer = result(world.survey(), f"meanwhile {busy:.0f} % of a processor")
            return answer
        finally:
            os.killpg(crowd.pid, signal.SIGKILL)
            crowd.wait()


def notify_flood(init):
    if not init.has_notify:
        return None
    flooder = script("#!/usr/bin/python3\nimport os,socket\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\n"
                     "a=os.environ['NOTIFY_SOCKET']\na='\\0'+a[1:] if a[0]=='@' else a\ns.connect(a)\ns.send(b'READY=1')\n"
                     "open('/run/flooding','w').close()\nwhile True:\n    s.send(b'STATUS=x')\n")
    files = {f"{PROGRAMS}/flood": flooder}
    if init.name == "svcd":
        files["/etc/svcd/services.d/flood.svc"] = f"[Service]\nExec={PROGRAMS}/flood\nReady=notify\n"
    else:
        files["/etc/systemd/system/flood.service"] = init.unit("flood", Kept(), "", "NotifyAccess=all\n").replace("=exec\n", "=notify\n")
    with World(init, {"unused": Kept(at_boot=False)}, more_files=files) as world:
        world.boot()
        end(init.start(world.box, "flood", world.services), 3)
        wait_for(lambda: world.box.exists("/run/flooding"), what="it floods")
        busy = cpu_percent(world.outer(), 2)
        seen = world.survey()
        began = time.monotonic()
        command = init.stop(world.box, "flood", world.services)
        try:
            wait_for(lambda: not world.of("flood"), 30, "the flooder is stopped", every=0.02)
            said = f"its stop takes {seconds(time.monotonic() - began)}"
        except DeadlinePassed:
            said = "**its stop does not work**"
        end(command)
        return result(seen, f"meanwhile {busy:.0f} % of a processor; {said}")


def environment_leaks(init):
    evil = {"EVIL": "1", "BASH_ENV": "/evil", "IFS": "x", "G_DEBUG": "fatal-warnings", "LD_BIND_NOW": "1"}
    with World(init, environment=evil) as world:
        world.boot()
        with open(f"/proc/{world.box.outer_pid(world.of('calm0')[0])}/environ", "rb") as file:
            names = {entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry}
        found = sorted(names & set(evil))
        return {"text": f"**services have {', '.join(found)}**" if found else "services have none of it", "good": not found,
                "seen": sorted(names)}


def reexec_often(init):
    if not init.reexec_argv:
        return None
    with World(init, {"loop": Kept(f"{PROGRAMS}/loops")}) as world:
        world.boot()
        began = time.monotonic()
        failed = 0
        for _time in range(20):
            command = init.tell(world.box, *init.reexec_argv)
            try:
                command.communicate(timeout=ANSWER_S)
                failed += command.returncode != 0
            except subprocess.TimeoutExpired:
                end(command)
                failed += 1
            if world.gone():
                break
            if init.name == "svcd":
                world.box.wait_up()
        took = time.monotonic() - began
        return result(world.survey(), f"20 in {seconds(took)}{f', {failed} refused' if failed else ''}")


def reexec_broken(how):
    """@how: a line of shell that breaks $program."""
    def row(init):
        if not init.reexec_argv:
            return None
        with World(init) as world:
            world.boot()
            # sysvinit's command is the same program as PID 1, and must stay intact.
            world.box.run("cp -L /sbin/telinit /usr/local/bin/telinit", check=False)
            world.box.run(f"program=$(readlink -f {init.own_path}); {how}")
            command = init.tell(world.box, *init.reexec_argv)
            try:
                command.communicate(timeout=ANSWER_S)
                said = "the command fails" if command.returncode else "the command succeeds"
            except subprocess.TimeoutExpired:
                end(command)
                said = "the command does not end"
            let_settle(2)
            return result(world.survey(), said)
    return row


def log_flood(init):
    """A service writes as fast as possible. Meanwhile the start of another service is measured."""
    program = {f"{PROGRAMS}/chatter": script("#!/bin/sh\nexec yes 'a line that nobody wants to read, of some eighty characters or so'\n")}
    files = dict(program)
    services = {"chatter": Kept(f"{PROGRAMS}/chatter", at_boot=False)}
    if init.name == "sysvinit":
        return None  # its services write to the console
    if init.name == "systemd":
        del services["chatter"]
        files["/etc/systemd/system/chatter.service"] = init.unit("chatter", services.get("chatter") or Kept(
            f"{PROGRAMS}/chatter")).replace("=null", "=journal")
        files["/etc/systemd/system/torture.target.wants/systemd-journald.service"] = {"link": "/lib/systemd/system/systemd-journald.service"}
    if init.name == "s6":
        files["/etc/s6/chatter/log/run"] = script("#!/bin/sh\nexec s6-log n3 s100000 /run/chatter-log\n")
    if init.name == "finit":
        del services["chatter"]
        files["/etc/finit.d/chatter.conf"] = (f"service name:chatter manual:yes log:/run/chatter.log [2] {PROGRAMS}/chatter -- chatter\n")
    with World(init, services, more_files=files) as world:
        world.boot()
        quiet = [world.probe() for _probe in range(2)]
        world.services.setdefault("chatter", Kept())
        end(init.start(world.box, "chatter", world.services), 3)
        wait_for(lambda: world.of("yes"), what="it talks")
        let_settle(2)
        busy = cpu_percent(world.outer(), 3)
        meanwhile = [world.probe() for _probe in range(3)]
        seen = world.survey()
        if None in quiet or None in meanwhile:
            return result(seen, "**starts fail meanwhile**")
        answer = result(seen, f"a start took {seconds(min(quiet))}, meanwhile {seconds(sorted(meanwhile)[1])}; {busy:.0f} % of a processor for it")
        answer["quiet_s"], answer["meanwhile_s"] = quiet, meanwhile
        return answer


def attacked(*attackers, prepare=None):
    """User nobody, without any rights, runs these attacks of tests/lib/attack.py. Each of
    @attackers is a function that is called with the init."""
    def row(init):
        words = [found for make in attackers for found in make(init)]
        if not words:
            return None
        with World(init, more_files=attack.FILES) as world:
            world.boot()
            if prepare:
                prepare(world)
            running = [Attack(world.box, *some, expect_held=False).__enter__() for some in words]
            try:
                wait_for(lambda: all(one.state.way or one.state.failures for one in running), ANSWER_S, "the attack has begun")
            except DeadlinePassed:
                pass
            held = [some for some, one in zip(words, running) if one.state.way]
            seen = world.survey()
            for one in running:
                one.end()
            return result(seen, f"{len(held)} of {len(words)} begin" if len(held) < len(words) else "")
    return row


def same_for_all(*words):
    return lambda _init: [words]


def sockets_of(init):
    """Sockets to which a user can send a descriptor."""
    paths = {"svcd": ("/run/svcd/private",), "systemd": ("/run/systemd/notify", "/run/systemd/private"),
             "finit": ("/run/finit/socket",)}.get(init.name, ())
    return [("send-descriptor", path) for path in paths]


def give_console(world):
    os.chown(world.box.path("/dev/console"), attack.NOBODY, -1)


SERVICE_SOCKET = "127.0.0.1:7001"


def held_listener(init):
    """A service with User=nobody holds its socket; then it is stopped and started."""
    command = " ".join(attack.arguments("listener", "hold-socket", "3"))
    if init.name == "svcd":
        files = {"/etc/svcd/services.d/listener.svc": f"[Service]\nExec={command}\nUser=nobody\nStopTimeout=1s\n[Socket]\nListenStream={SERVICE_SOCKET}\n",
                 "/etc/svcd/policy.d/listener.policy": "[runlevel 2]\nActivate=listener\n"}
    elif init.name == "systemd":
        files = {"/etc/systemd/system/listener.socket": f"[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream={SERVICE_SOCKET}\n",
                 "/etc/systemd/system/listener.service": init.unit("listener", Kept(command), "Requires=listener.socket\nAfter=listener.socket\n",
                                                                   "User=nobody\nTimeoutStopSec=1\n"),
                 "/etc/systemd/system/torture.target.wants/listener.service": {"link": "../listener.service"}}
    else:
        return None
    with World(init, more_files={**attack.FILES, **files}) as world:
        world.box.run("ip", "link", "set", "lo", "up", check=False)
        attack.wait_held(world.box, "listener")
        world.boot()
        for act in (init.stop, init.start):
            end(act(world.box, "listener", world.services), 2)
        if init.name == "systemd":
            end(init.tell(world.box, "systemctl", "stop", "--no-block", "listener.socket"), 2)
        return result(world.survey())


FORKS = "clone,clone3,fork,vfork"
OPENS = "openat,accept,accept4,pipe,pipe2,socket,socketpair,dup,epoll_create1,eventfd2,memfd_create,timerfd_create,signalfd4,pidfd_open"

# Name -> row in the torture table, fault, function.
ROWS = {
    "nothing": ("", "no fault, for comparison", nothing),
    "crash": ("T01", "an instruction of PID 1 faults (SIGSEGV); then four more", fault_in_pid1),
    "abort": ("T02", "SIGABRT to PID 1", abort_of_pid1),
    "killed": ("T01", "every process of the init except PID 1 is killed", supervisor_killed),
    "stopped": ("T03", "SIGSTOP to the process that takes the admin's commands", supervisor_stopped),
    "memory": ("T05", "memory is refused for 5 s (mmap, brk: ENOMEM)", fails_for_a_while("mmap,brk,mremap", "ENOMEM")),
    "fork": ("T07", "fork fails for 5 s (EAGAIN)", fails_for_a_while(FORKS, "EAGAIN")),
    "missing": ("T08", "start of a service whose program is missing", program_missing),
    "descriptors": ("T09", "no descriptors left for 5 s (EMFILE)", out_of_descriptors),
    "files": ("T10", "no files left in the system for 5 s (ENFILE)", fails_for_a_while(OPENS, "ENFILE")),
    "run-full": ("T11", "/run is full", run_is_full),
    "no-run": ("T12", "/run is not mounted when PID 1 starts", boots(mounts=("sys",))),
    "read-only": ("T13", "the root is read-only when PID 1 starts", boots(before="mount -o remount,ro /")),
    "no-proc": ("T15", "no /proc, no /sys, no cgroups when PID 1 starts", boots(mounts=("run",), before="umount -l /proc")),
    "orphans": ("T25", f"{ORPHANS:,} zombie orphans at once", orphans),
    "bomb": ("T26", f"a fork bomb has all {BOMB_LIMIT:,} processes; then it is stopped", fork_bomb),
    "deaf": ("T27", "power-off with 50 services that ignore TERM", deaf_at_shutdown),
    "escape": ("T29", "a daemon with a session of its own; its service is stopped", escape),
    "loop": ("T31", "50 services that fail at once", crash_loop),
    "garbage": ("T32", "a file of binary garbage among the good ones", bad_file),
    "fifo": ("T32", "a fifo among the good files", fifo_for_a_file),
    "cycle": ("T33", "three services that need each other in a ring", cycle),
    "control": ("T36", "300 silent clients and garbage at the control socket", control_flood),
    "notify": ("T40", "a service floods the notify socket", notify_flood),
    "environment": ("T41", "foreign variables in the environment of PID 1", environment_leaks),
    "reexec": ("T42", "20 re-executions while a service fails all the time", reexec_often),
    "reexec-missing": ("T42", "re-execution, the program is gone", reexec_broken("rm $program")),
    "reexec-garbage": ("T42", "re-execution, the program is garbage", reexec_broken("rm $program; echo garbage >$program; chmod 755 $program")),
    "reexec-other": ("T42", "re-execution, the program is another one", reexec_broken("rm $program; cp /bin/true $program")),
    "held-run": ("T45", "a user holds the lock of /run", attacked(same_for_all("hold-directory", "/run", "writer"))),
    "held-cgroup": ("T45", "a user holds the lock of /sys/fs/cgroup", attacked(same_for_all("hold-directory", "/sys/fs/cgroup", "writer"))),
    "held-dev": ("T45", "a user holds the lock of /dev", attacked(same_for_all("hold-directory", "/dev", "writer"))),
    "held-proc": ("T45", "a user holds the lock of /proc", attacked(same_for_all("hold-directory", "/proc", "writer"))),
    "descriptor": ("T46", "a user sends a descriptor whose close waits to a socket of the init", attacked(sockets_of)),
    "held-console": ("T47", "the user who is logged in on the console holds its lock",
                     attacked(same_for_all("hold-terminal", "/dev/console"), prepare=give_console)),
    "held-listener": ("T48", "a service with a user of its own holds the lock of the socket that it was given", held_listener),
    "log": ("", "a service writes to its log as fast as it can", log_flood),
}


def tried(name, row, init):
    """Run one cell. An unexpected failure is printed, and the other cells continue."""
    began = time.monotonic()
    try:
        cell = row(init) or {"text": "-", "good": None, "seen": None}
    except (DeadlinePassed, OSError, AssertionError) as problem:
        cell = {"text": f"could not be seen: {str(problem).splitlines()[0]}", "good": None, "seen": None}
    cell["row_s"] = round(time.monotonic() - began, 1)
    print(f"{name:15} {init.name:9} {cell['row_s']:6} s  {cell['text']}", file=sys.stderr, flush=True)
    return cell


def table(found, inits):
    lines = ["| row | fault | " + " | ".join(inits) + " |", "|---" * (len(inits) + 2) + "|"]
    for name, cells in found.items():
        lines.append(f"| {ROWS[name][0]} `{name}` | {ROWS[name][1]} | " + " | ".join(cells[one]["text"] for one in inits) + " |")
    return "\n".join(lines)


def main():
    inits = os.environ.get("SVCD_TORTURE_INITS", " ".join(INITS)).split()
    rows = os.environ.get("SVCD_TORTURE_ROWS", " ".join(ROWS)).split()
    each = {name: INITS[name]() for name in inits}
    found = {row: {name: tried(row, ROWS[row][2], each[name]) for name in inits} for row in rows}
    print(json.dumps({"bench": "torture", "load": round(os.getloadavg()[0], 2), "rows": found}))
    print(table(found, inits))
    # Requirements exist only for svcd.
    bad = [row for row, cells in found.items() if "svcd" in cells and cells["svcd"]["good"] is False]
    if bad:
        print(f"svcd did not hold: {', '.join(bad)}", file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
