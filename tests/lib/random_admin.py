# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A random admin of a small machine edits files, with and without mistakes, and types commands. After
each command the test compares the output with the services that then run:

* A dry run names exactly the services that then start and stop. So does the command itself.
* A running service stops or restarts only if the output names it.
* Exit code 0 of start, stop and restart means that the service is up, down or restarted. After a
  refusal nothing has changed.
* reload-files succeeds if and only if no file has an error.
* A file with an error changes nothing, not even the next boot.
"""

import os
import random
import re

from deadline import wait_for
from sandbox import Sandbox

N_SERVICES = 7
N_STEPS = 12
UP = ("ready", "done")
SERVICES = "/etc/svcd/services.d"
POLICY = "/etc/svcd/policy.d/test.policy"
REFUSED = 8
INVALID_CONFIGURATION = 10
SYSV = "/usr/lib/svcd/sysv"
PACKAGE = ["DPKG_MAINTSCRIPT_PACKAGE=p", "DPKG_MAINTSCRIPT_NAME=postinst"]

# Replaces the policy-rc.d of the machine that runs the test, which may forbid every start.
DOOR = {"/usr/sbin/policy-rc.d": {"text": "#!/bin/sh\nexit 0\n", "mode": 0o755}}

# The name of a service replaces each None.
DOORS = [
    ["update-rc.d", None, "enable"], ["update-rc.d", None, "disable"],
    ["update-rc.d", None, "defaults"],
    ["invoke-rc.d", None, "start"], ["invoke-rc.d", None, "stop"], ["invoke-rc.d", None, "restart"],
    ["service", None, "start"], ["service", None, "stop"], ["service", None, "restart"],
]

# Replaced by the name of a service that has a file. In the policy of a service without a file, a
# mistake is only a warning.
ANY = "s?"

# Each puts a mistake into a text.
MISTAKES = {
    "unknown key": lambda text, rng: text + rng.choice(["Restrat=no\n", "Activaton=boot\n", "x\n"]),
    "unknown section": lambda text, rng: text + "[Servic]\n",
    "no text": lambda text, rng: "\0\xff" + text,
    "bad value": lambda text, rng: text + "[Service]\nStopTimeout=soon\n" +
                                   "[runlevel 2]\nActivate=../x\n",
    "everybody may write": lambda text, rng: text,
    "missing service": lambda text, rng: text + section_of_terms(text) + "\nWhile=service:s99\n",
    "cut off": lambda text, rng: text[:text.index("]")],
}


def section_of_terms(text):
    return f"[service {ANY}]" if "Activate=" in text else "[Conditions]"


def seed_from_environment():
    return int(os.environ.get("SVCD_SEED", random.randrange(1 << 30)))


def unit_of(path):
    """A key that a service file and its drop-ins share; a policy file has its own."""
    return path.split(".svc")[0]


def at_rest(rows):
    """@rows, or None while a service starts or stops."""
    return None if any(row["state"] in ("starting", "stopping") for row in rows.values()) else rows


class Admin:
    """One history, which @seed decides."""

    def __init__(self, seed):
        self.seed = seed
        self.rng = random.Random(seed)
        self.done = []  # the history as text, for the message of a failure
        self.good = {}  # path -> the last text without errors that svcd has read
        self.bad = set()  # paths of files that have an error
        self.removed = {}
        self.names = [f"s{i}" for i in range(N_SERVICES)]
        self.files = {f"{SERVICES}/{name}.svc": self.service_text(i)
                      for i, name in enumerate(self.names)}
        self.files[POLICY] = self.policy_text()
        self.files.update({f"{SERVICES}/{name}.svc.d/x.conf": self.drop_in_text()
                           for name in self.rng.sample(self.names, 2)})
        self.good.update(self.files)

    # --- texts ---

    def service_text(self, number):
        """The service needs only services with lower numbers, so there is no cycle."""
        rng = self.rng
        others = [name for name in self.names[:number]
                  if f"{SERVICES}/{name}.svc" not in self.removed]
        kind = rng.choice(["daemon", "daemon", "daemon", "task", "group"])
        lines = ["[Service]", f"Type={kind}"]
        if kind != "group":
            lines.append("Exec=/bin/sleep infinity" if kind == "daemon" else "Exec=/bin/true")
        lines.append("[Conditions]")
        for _ in range(rng.randrange(3) if others else 0):
            other = rng.choice(others)
            lines.append(rng.choice([f"While=service:{other}", f"When=service:{other}",
                                     f"After={other}", f"Wants={other}"]))
        if rng.random() < 0.2:
            lines.append("While=flag:on")
        if others and kind != "group" and rng.random() < 0.1:
            lines.append(f"Conflicts={rng.choice(others)}")
        return "\n".join(lines) + "\n"

    def drop_in_text(self):
        return self.rng.choice(["[Service]\nNice=1\n", "[Service]\nNice=2\n",
                                "[Conditions]\nWhen=flag:on\n"])

    def text_for(self, path):
        if path == POLICY:
            return self.policy_text()
        if path.endswith(".conf"):
            return self.drop_in_text()
        return self.service_text(self.names.index(os.path.basename(path)[:-4]))

    def some(self):
        return " ".join(name for name in self.names if self.rng.random() < 0.4)

    def policy_text(self):
        return (f"[runlevel 2]\nActivate={self.some()}\n"
                f"[runlevel 3]\nInclude=2\nActivate={self.some()}\n")

    # --- the comparisons ---

    def fail(self, what):
        done = "\n".join(f"  {line}" for line in self.done)
        raise AssertionError(f"files at first:\n{self.first_files}\nthen:\n{done}\n"
                             f"seed {self.seed}: {what}")

    def look(self, box):
        """Services that are up: name -> main process, 0 if none."""
        box.wait_at_rest()
        rows = wait_for(lambda: at_rest(box.services()), what="no service starts or stops")
        return {name: row.get("pid") or 0 for name, row in rows.items() if row["state"] in UP}

    def check_named(self, before, after, output, what):
        for name, pid in before.items():
            if after.get(name) != pid and not re.search(rf"\b{name}\b", output):
                how = "stopped" if name not in after else "runs anew"
                self.fail(f"{what}: {name} {how} and was not named in:\n{output}")

    # --- steps ---

    def run(self, box, *argv):
        done = box.run("env", *argv, check=False)
        output = done.stdout + done.stderr
        shown = output.strip().replace("\n", "\n    ")
        self.done.append(f"{' '.join(argv)}  -> {done.returncode}\n    {shown}")
        return done.returncode, output

    def step_edit(self, box):
        """A good file replaces the present one. Nothing happens until the files are read."""
        path = self.rng.choice(sorted(self.files))
        self.write(box, path, self.text_for(path))
        self.bad.discard(path)

    def step_remove(self, box):
        """The running service goes on without its file."""
        name = self.rng.choice(self.names)
        path = f"{SERVICES}/{name}.svc"
        texts = (*self.files.values(), *self.good.values())
        is_needed = any(f"service:{name}" in text or f"[service {name}]" in text for text in texts)
        is_good = path in self.files and path not in self.bad
        if is_good and "Type=daemon" in self.files[path] and not is_needed:
            self.done.append(f"remove {path}")
            box.remove(path)
            self.removed[path] = self.files.pop(path)

    def step_return(self, box):
        """A removed file comes back unchanged."""
        if self.removed:
            path = self.rng.choice(sorted(self.removed))
            self.write(box, path, self.removed.pop(path))

    def step_break(self, box):
        units = set(map(unit_of, self.good))
        path = self.rng.choice([path for path in sorted(self.files) if unit_of(path) in units])
        kind = self.rng.choice(sorted(MISTAKES))
        some = next(name for name in self.names if f"{SERVICES}/{name}.svc" in self.files)
        text = MISTAKES[kind](self.text_for(path), self.rng).replace(ANY, some)
        self.write(box, path, text, 0o666 if kind == "everybody may write" else 0o644)
        self.bad.add(path)

    def write(self, box, path, text, mode=0o644):
        self.files[path] = text
        self.done.append(f"write {path}, mode {mode:o}: {text!r}")
        with open(box.path(path), "w", encoding="latin-1") as file:
            file.write(text)
        os.chmod(box.path(path), mode)

    def note_read(self):
        """For each service, svcd keeps the last set of files of which none had an error."""
        wrong = {unit_of(path) for path in self.mistakes()}
        self.good = {path: text for path, text in self.good.items() if unit_of(path) in wrong}
        self.good.update({path: text for path, text in self.files.items()
                          if unit_of(path) not in wrong})

    def mistakes(self):
        """A drop-in of a service without a file has no effect, so its mistakes are warnings."""
        return [path for path in self.bad
                if not path.endswith(".conf") or unit_of(path) + ".svc" in self.files]

    def step_reload_files(self, box):
        before = self.look(box)
        foretold = box.svcctl_json("reload-files", "--dry-run", check=False)["data"]
        code, output = self.run(box, "svcctl", "reload-files")
        self.note_read()
        after = self.look(box)
        self.compare("reload-files", foretold, before, after)
        # Two wanted services may conflict although each file is good.
        has_error = self.mistakes() or "but they conflict" in output
        if code != (INVALID_CONFIGURATION if has_error else 0):
            self.fail(f"reload-files: exit {code} with errors in {sorted(self.bad)}")
        self.check_named(before, after, output, "reload-files")

    def check_foretold(self, box, *words):
        """The forecasts of the dry run and of the command itself are true."""
        before = self.look(box)
        dry = box.svcctl_json(*words, "--dry-run", check=False)
        code, output = self.run(box, "svcctl", *words)
        if "error" in dry:
            if code == 0:
                self.fail(f"{words}: the dry run failed and the command did not: {dry}")
            if (after := self.look(box)) != before:
                self.fail(f"{words}: it failed, and {before} became {after}")
            return
        if code != 0:
            self.fail(f"{words}: exit {code} after a dry run that succeeded")
        if dry["data"]["changed"]:
            self.note_read()
        after = self.look(box)
        self.compare(words, dry["data"], before, after)
        self.check_named(before, after, output, words)

    def compare(self, words, data, before, after):
        foretold = [set(data.get(key, [])) for key in ("starts", "stops", "restarts")]
        happened = [set(after) - set(before), set(before) - set(after),
                    {name for name in before if name in after and before[name] != after[name]}]
        if foretold[:2] != happened[:2] or happened[2] - foretold[2]:
            self.fail(f"{words}: foretold +{foretold[0]} -{foretold[1]} restarts {foretold[2]}, "
                      f"was +{happened[0]} -{happened[1]} restarts {happened[2]}")

    def step_set(self, box):
        self.check_foretold(box, "set", self.rng.choice(self.names),
                            self.rng.choice(["boot", "on-demand", "manual", "never"]))

    def step_enable(self, box):
        verb = self.rng.choice(["enable", "disable", "disable", "undo"])
        self.check_foretold(box, verb, self.rng.choice(self.names))

    def step_undo(self, box):
        self.check_foretold(box, "undo")

    def step_runlevel(self, box):
        before = self.look(box)
        name = self.rng.choice("23")
        dry = box.svcctl_json("runlevel", name, "--dry-run")
        _code, output = self.run(box, "svcctl", "runlevel", name)
        after = self.look(box)
        self.check_named(before, after, output, f"runlevel {name}")
        self.compare(f"runlevel {name}", dry, before, after)

    def step_start(self, box):
        self.request(box, "start",
                     lambda name, before, after: name in after or self.is_task_over(box, name))

    def step_stop(self, box):
        self.request(box, "stop", lambda name, before, after: name not in after,
                     *self.rng.choice([[], ["--with-dependents"]]))

    def step_restart(self, box):
        self.request(box, "restart",
                     lambda name, before, after: name in after and
                     (not after[name] or after[name] != before.get(name)))

    def is_task_over(self, box, name):
        return box.state(name) == "idle"

    def request(self, box, verb, is_so, *options):
        name = self.rng.choice(self.names)
        before = self.look(box)
        dry = box.svcctl_json(verb, name, *options, "--dry-run", check=False)
        code, output = self.run(box, "svcctl", verb, name, *options)
        after = self.look(box)
        if "error" in dry and code == 0:
            self.fail(f"{verb} {name}: it succeeded, and the dry run failed: {dry}")
        if "error" not in dry:
            self.compare((verb, name, *options), dry["data"], before, after)
        if code == 0 and not is_so(name, before, after):
            self.fail(f"{verb} {name}: exit 0, and it is {box.state(name)}")
        if code == REFUSED and before != after:
            self.fail(f"{verb} {name}: refused, and {before} became {after}")
        self.check_named(before, after, output, f"{verb} {name}")

    def step_door(self, box):
        """The compat commands, as a package's scripts and as an admin run them."""
        name = self.rng.choice(self.names)
        before = self.look(box)
        words = [word or name for word in self.rng.choice(DOORS)]
        is_package = self.rng.random() < 0.5
        environment = PACKAGE if is_package else []
        _code, output = self.run(box, *environment, f"{SYSV}/{words[0]}", *words[1:])
        after = self.look(box)
        self.check_named(before, after, output + name, words)
        if words[0] == "update-rc.d":
            self.step_reload_files(box)  # svcd may have read them already

    def step_flag(self, box):
        """The world changes; no output mentions it."""
        self.run(box, "svcctl", "flag", self.rng.choice(["set", "clear"]), "on")

    def step_kill_manager(self, box):
        before = self.look(box)
        self.done.append("kill the manager")
        box.kill_manager()
        after = self.look(box)
        if before != after:
            self.fail(f"a manager was killed, and {before} became {after}")

    STEPS = [step_edit, step_edit, step_remove, step_return, step_break, step_break,
             step_reload_files, step_reload_files, step_set, step_enable, step_undo, step_runlevel,
             step_start, step_stop, step_restart, step_door, step_flag, step_kill_manager]

    # --- a history ---

    def live(self):
        self.first_files = "\n".join(f"--- {path}\n{text}" for path, text in self.files.items())
        with Sandbox(policy="", files={**self.files, **DOOR}) as box:
            box.wait_up()
            self.look(box)
            box.svcctl("reload-files", check=False)
            for _ in range(N_STEPS):
                self.rng.choice(self.STEPS)(self, box)
            self.step_reload_files(box)
            bad = read_tree(box, "/etc/svcd") | read_tree(box, "/var/lib/svcd")
        if self.bad:
            self.check_next_boot(bad)

    def check_next_boot(self, bad):
        """A boot with the mistakes gives the same services as a boot without them."""
        good = {path: content for path, content in bad.items()
                if path not in self.files and not path.startswith("/var/lib/svcd/")}
        good.update({path: {"bytes": text} for path, text in self.good.items()})
        with Sandbox(policy="", files=bad) as box:
            box.wait_up()
            is_up = self.look(box)
        with Sandbox(policy="", files=good) as box:
            box.wait_up()
            was_up = self.look(box)
        if set(is_up) != set(was_up):
            self.fail(f"the next boot gives {sorted(is_up)}; without the errors in "
                      f"{sorted(self.bad)} it gives {sorted(was_up)}")


def read_tree(box, top):
    found = {}
    for directory, _names, files in os.walk(box.path(top)):
        for name in files:
            path = f"{directory}/{name}"
            with open(path, encoding="latin-1") as file:
                found[path.removeprefix(box.path(""))] = {"bytes": file.read(),
                                                          "mode": os.stat(path).st_mode & 0o7777}
    return found


def live_many(n_sequences, first_seed=None):
    """With @first_seed the sequences are the same each time, unless $SVCD_SEED is set."""
    first = seed_from_environment() if first_seed is None or "SVCD_SEED" in os.environ else first_seed
    count = int(os.environ.get("SVCD_SEQUENCES", n_sequences))
    print(f"seeds {first} to {first + count - 1}; one alone: SVCD_SEED=N SVCD_SEQUENCES=1",
          flush=True)
    for seed in range(first, first + count):
        Admin(seed).live()
