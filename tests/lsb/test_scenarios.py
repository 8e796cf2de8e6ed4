#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Headers, facilities and links of init scripts, each as a small scenario: the runlevels, order and
diagnostics of svcd.

The scenarios are in scenarios.json, with the results of insserv(8) or systemd's generator. Where
svcd differs by intention, differences.json names the expectation, its replacement, and the reason.
"""

import json
import os
import re
import sys

import lsb

with open(f"{lsb.DATA}/scenarios.json", encoding="utf-8") as file:
    SCENARIOS = json.load(file)["scenarios"]
with open(f"{lsb.DATA}/differences.json", encoding="utf-8") as file:
    DIFFERENCES = json.load(file)["scenarios"]

# systemd's targets and their runlevels.
TARGETS = {"multi-user": ("2", "3", "4"), "graphical": ("5",)}


def header_text(header):
    if header is None:
        return "#!/bin/sh\nexit 0\n"
    lines = "".join(f"# {key}: {value}\n".replace(": \n", ":\n") for key, value in header.items())
    return f"#!/bin/sh\n### BEGIN INIT INFO\n{lines}### END INIT INFO\nexit 0\n"


def levels_in(text, field):
    found = re.search(rf"^#\s*{field}:(.*)$", text, re.MULTILINE | re.IGNORECASE)
    return found.group(1).split() if found else []


class Story:
    """One scenario, written to a tree."""

    def __init__(self, scenario, tree, use_links):
        self.tree = tree
        self.scenario = scenario
        self.use_links = use_links
        self.differences = [row for row in DIFFERENCES if row["id"] == scenario["id"]]
        self.texts = {}
        self.n_enabled = {}
        self.problems = []

    def expect(self, holds, sentence):
        if not holds:
            self.problems.append(sentence)

    # --- setup ---

    def tell(self):
        self._conf("/etc/insserv.conf", self.scenario.get("facilities", {}))
        for unit in self.scenario.get("native_units", []):
            name = unit.removesuffix(".service")
            self.tree.write(f"/usr/lib/svcd/services.d/{name}.svc", "[Service]\nExec=/bin/native\n")
        for step in self.scenario["steps"]:
            self._step(step)
        for level, names in self.scenario.get("links", {}).items():
            for name in names:
                os.symlink(f"../init.d/{name[3:]}", f"{self.tree.root}/etc/rc{level}.d/{name}")

    def _conf(self, path, facilities):
        if facilities:
            self.tree.write(path, "".join(f"{name} {' '.join(words)}\n" for name, words in facilities.items()))

    def _step(self, step):
        if "write" in step:
            self._write(step)
        if "conf" in step:
            self._conf(f"/etc/insserv.conf.d/{step['conf']}", step["facilities"])
        if "enable" in step:
            self._enable(step["enable"])
        for verb in ("disable", "unlink"):
            if verb in step:
                self.tree.unlink(os.path.basename(step[verb]))
        if "plain" in step:
            self.tree.write(f"/etc/{step['plain']}", "")
        if "check" in step:
            self.check(step["check"])

    def _write(self, step):
        name = step["write"]
        text = step.get("text") or header_text(step.get("header"))
        where = {"override": "/etc/insserv/overrides", "outside": "/etc"}.get(step.get("where"), "/etc/init.d")
        self.tree.write(f"{where}/{name}", text, int(str(step.get("mode", "755")), 8))
        if where != "/etc":
            self.texts[name] = text

    def _enable(self, name):
        """Make the links without insserv, which would refuse some, to test svcd's diagnostics."""
        self.n_enabled[name] = self.n_enabled.get(name, 0) + 1
        if self.use_links and name in self.texts:
            self.tree.link(name, levels_in(self.texts[name], "Default-Start"), levels_in(self.texts[name], "Default-Stop"))
        if f"{name}@{self.n_enabled[name]}" in self.scenario["expect"].get("refused", ()):
            self._is_told(name)

    # --- expectations ---

    def check(self, expect):
        expect = dict(expect)
        if "wrapper_before" in self.scenario:
            expect["before"] = self.scenario["wrapper_before"]
            expect.pop("not_before", None)
        if "wrapper_on" in self.scenario:
            expect["on"] = self.scenario["wrapper_on"]
            for key in ("off", "refused"):
                expect.pop(key, None)
        for row in self.differences:
            if expect.pop(row["expectation"], None) is not None:
                expect.update(row["instead"])
        for key, value in expect.items():
            getattr(self, f"_check_{key}")(value)

    def _check_on(self, levels):
        for level, scripts in levels.items():
            wanted = self.tree.wanted(level)
            for script in scripts:
                # In a runlevel with a stop link svcd stops the service because it is not wanted.
                # Services of S are up in 1 to 5, too.
                starts = {level, "S" if level in lsb.START_LEVELS else level} & set(
                    levels_in(self.texts[script], "Default-Start"))
                self.expect((lsb.service_of(script) in wanted) == bool(starts),
                            f"{script} is {'not ' if starts else ''}wanted in runlevel {level}")

    def _check_off(self, levels):
        for level, scripts in levels.items():
            wanted = self.tree.wanted(level)
            for script in scripts:
                self.expect(lsb.service_of(script) not in wanted, f"{script} is wanted in runlevel {level}")

    def _pairs(self, levels, stop):
        for level, pairs in levels.items():
            order = self.tree.order(level, stop)
            for first, second in pairs:
                yield level, first, second, (lsb.service_of(first), lsb.service_of(second)) in order

    def _check_before(self, levels):
        for level, first, second, is_ordered in self._pairs(levels, stop=False):
            self.expect(is_ordered, f"{first} does not start before {second} in runlevel {level}")

    def _check_not_before(self, levels):
        for level, first, second, is_ordered in self._pairs(levels, stop=False):
            self.expect(not is_ordered, f"{first} starts before {second} in runlevel {level}")

    def _check_stops_before(self, levels):
        for level, first, second, is_ordered in self._pairs(levels, stop=True):
            self.expect(is_ordered, f"{first} does not stop before {second} in runlevel {level}")

    def _check_depends(self, pairs):
        order = self.tree.order()
        for first, second in pairs:
            self.expect((lsb.service_of(first), lsb.service_of(second)) in order, f"{first} is not before {second}")

    def _is_told(self, *scripts):
        """Check that one diagnostic names all these scripts."""
        names = [lsb.service_of(script) for script in scripts]
        for row in self.tree.complaints():
            text = f"{row['text']} {row.get('service', '')} {row.get('file', '')}"
            if all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in names):
                return
        self.expect(False, f"nothing is said of {', '.join(names)}")

    def _check_refused(self, scripts):
        """svcd ignores no script because of its order, but reports the error."""
        for script in scripts:
            if "@" not in script:
                self._is_told(script)

    def _check_loop(self, scripts):
        if self.scenario["style"] == "static":
            self._is_told(*scripts)

    def _check_says(self, _words):
        """Check svcd's own texts."""
        self.expect(self.tree.complaints(), "nothing is said")

    def _check_interactive(self, scripts):
        for script in scripts:
            self.expect(self.tree.cat(lsb.service_of(script)).get("StartLock") == ["console"], f"{script} is not alone")

    def _check_not_interactive(self, scripts):
        for script in scripts:
            self.expect("StartLock" not in self.tree.cat(lsb.service_of(script)), f"{script} starts alone")

    # The scripts that become units.

    def _check_units(self, names):
        made = {name for name in self.tree.services() if "/etc/init.d/" in self.tree.cat(name).get("Exec", [""])[0]}
        self.expect(made == set(names), f"these are made: {' '.join(sorted(made))}")

    def _check_aliases(self, aliases):
        for alias, name in aliases.items():
            self.expect(self.tree.cat(alias) == self.tree.cat(name), f"{alias} is not {name}")

    def _check_wanted(self, targets):
        for target, names in targets.items():
            wanted = set().union(*(self.tree.wanted(level) for level in TARGETS[target]))
            made = {name for name in wanted if "/etc/init.d/" in self.tree.cat(name)["Exec"][0]}
            self.expect(made == set(names), f"{target} wants {' '.join(sorted(made))}")

    def _check_fields(self, services):
        for service, fields in services.items():
            keys = self.tree.cat(service)
            if "PIDFile" in fields:
                self.expect(keys.get("PidFile") == [fields["PIDFile"]], f"{service} has no PidFile=")
            for unit in fields.get("Before", "").split():
                self._check_depends([(service, unit.removesuffix(".service"))])

    def _check_no_fields(self, services):
        for service, fields in services.items():
            keys = self.tree.cat(service)
            for field in set(fields) & {"Wants"}:
                needs = [value for key in ("When", "While", "Wants") for value in keys.get(key, [])]
                self.expect(not needs, f"{service} has {field}: {needs}")


def all_are_enabled(scenario):
    written = {step["write"] for step in scenario["steps"] if "write" in step}
    return written == {step["enable"] for step in scenario["steps"] if "enable" in step}


def run(scenario, use_links):
    with lsb.Tree() as tree:
        story = Story(scenario, tree, use_links)
        try:
            story.tell()
            story.check(scenario["expect"])
        except (AssertionError, KeyError) as problem:
            story.problems.append(f"{type(problem).__name__}: {problem}")
        if story.problems:
            how = "with links" if use_links else "without links"
            print(f"{scenario['id']} ({scenario['title']}), {how}:")
            for problem in story.problems:
                print(f"  {problem}")
            for row in tree.complaints():
                print(f"    said: {row.get('service', '-')}: {row['text']}")
        return not story.problems


def main():
    n_bad = n_run = 0
    for scenario in SCENARIOS:
        if sys.argv[1:] and scenario["id"] not in sys.argv[1:]:
            continue
        # If no script of the machine has a link, Default-Start decides.
        variants = [True, False] if scenario["style"] == "static" and all_are_enabled(scenario) else [True]
        for use_links in variants:
            n_run += 1
            n_bad += not run(scenario, use_links)
    for row in DIFFERENCES:
        if not any(row["id"] == scenario["id"] for scenario in SCENARIOS):
            print(f"differences.json: there is no scenario {row['id']}")
            n_bad += 1
    print(f"{n_run} scenarios, {n_bad} with problems")
    return 1 if n_bad or not n_run else 0


sys.exit(main())
