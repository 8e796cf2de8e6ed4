#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 900
"""
Real packages, each alone and all together: svcd orders exactly the pairs of init scripts that
insserv(8) orders.

This holds for start and stop. The exceptions and their reasons are in differences.json: scripts
that svcd replaces by its own work, and pairs where insserv misreads a header. The test also fails
if a row there is unused.
"""

import json
import sys

import lsb

with open(f"{lsb.DATA}/differences.json", encoding="utf-8") as file:
    DIFFERENCES = json.load(file)

LIST = f"{lsb.DATA}/packages"

# Packages with odd headers in their scripts. They are not compared alone, because they replace each
# other.
MORE = f"{lsb.DATA}/packages-more"

# The package that insserv itself needs, added to a tree with one other package.
BASE = "insserv"

used = set()


def is_justified(kind, who, pair):
    """@kind: start or stop. @who: "svcd" or "insserv", whichever alone orders the pair."""
    for number, row in enumerate(DIFFERENCES["order"]):
        if row["kind"] == kind and row["only"] == who and row["before"] in ("*", pair[0]) and row["after"] in ("*", pair[1]):
            used.add(number)
            return True
    return False


def rows(kind, who, level, pairs):
    return [f"runlevel {level}, {kind}: only {who} has {pair[0]} before {pair[1]}" for pair in sorted(pairs)
            if not is_justified(kind, who, pair)]


class Comparison:
    """The orders of svcd and insserv for one tree."""

    def __init__(self, tree):
        self.tree = tree
        self.scripts = set(tree.scripts())
        tree.insserv(*sorted(self.scripts))
        self.services = tree.services()
        started = set().union(*(tree.linked(level, "S") for level in lsb.START_LEVELS))
        self.stop_only = (tree.linked("0", "K") | tree.linked("6", "K")) - started
        self.problems = []
        self.n_pairs = 0

    def _known(self, scripts):
        """The scripts as services, except those that svcd replaces by its own work."""
        return {lsb.service_of(name) for name in scripts} & self.services

    def _insserv_order(self, kind, scripts):
        return {(lsb.service_of(a), lsb.service_of(b)) for a, b in self.tree.insserv_order(kind, scripts)
                if {lsb.service_of(a), lsb.service_of(b)} <= self.services}

    def _compare(self, kind, level, theirs, ours, among, allowed=None):
        """@theirs: the pairs of insserv. @ours: those of svcd. Within each set of @among, svcd may
        order only the pairs in @allowed, by default @theirs."""
        self.n_pairs += len(theirs)
        extra = {pair for pair in ours - (allowed or theirs) if any(set(pair) <= group for group in among)}
        self.problems += rows(kind, "insserv", level, theirs - ours)
        self.problems += rows(kind, "svcd", level, extra)

    def wanted(self, level):
        """A script that is only for the shutdown is up from S on, so that it can stop."""
        linked = self.tree.linked("S", "S") | (self.tree.linked(level, "S") if level != "S" else set()) | self.stop_only
        wanted = self.tree.wanted(level)
        if self._known(linked) != wanted:
            self.problems.append(f"runlevel {level}: links {sorted(self._known(linked) - wanted)} are not wanted, "
                                 f"{sorted(wanted - self._known(linked))} are wanted without links")

    def start(self, level):
        early, late = self.tree.linked("S", "S"), self.tree.linked(level, "S")
        ours = self.tree.order(level)
        if level == "S":
            self._compare("start", level, self._insserv_order("boot", early), ours, [self._known(early)])
            return
        theirs = self._insserv_order("boot", early) | self._insserv_order("start", late - early)
        self._compare("start", level, theirs, ours, [self._known(early), self._known(late - early)])
        for first, second in sorted(ours):
            if first in self._known(late - early) and second in self._known(early):
                self.problems.append(f"runlevel {level}: {second} of the boot waits for {first}")

    def stop(self, level):
        """svcd has one stop order: pairs ordered through a script of runlevel 6 are also ordered in
        1."""
        scripts = self.tree.linked(level, "K")
        ours = self.tree.order(level, stop=True)
        self._compare("stop", level, self._insserv_order("stop", scripts), ours, [self._known(scripts)],
                      self._insserv_order("stop", self.scripts))

    def run(self):
        for level in lsb.START_LEVELS:
            self.wanted(level)
            self.start(level)
        for level in lsb.STOP_LEVELS:
            self.stop(level)
        return self.problems


def not_wrapped(tree, services):
    return {name for name in tree.scripts() if lsb.service_of(name) not in services}


def compare(origin, title, paths=None, more=()):
    """@paths: use only these files of @origin. @more: trees that are added to it."""
    with lsb.Tree(origin, paths) as tree:
        for other in more:
            tree.add(other)
        if not tree.scripts():
            return 0, 0
        comparison = Comparison(tree)
        problems = comparison.run()
        missing = not_wrapped(tree, comparison.services)
        used.update(missing)
        problems += [f"{name} is not a service" for name in sorted(missing - set(DIFFERENCES["not wrapped"]))]
        problems += [f"{name} is a service" for name in sorted(set(tree.scripts()) & set(DIFFERENCES["not wrapped"]) - missing)]
        if problems:
            print(f"{title}: {len(problems)} of {comparison.n_pairs} pairs")
            print("".join(f"  {problem}\n" for problem in problems[:60]), end="")
        return len(problems), comparison.n_pairs


def main():
    origin = lsb.fetch(LIST)
    packages = lsb.read_manifest(origin)
    n_problems, n_pairs = compare(origin, "all packages")
    print(f"all packages together: {n_pairs} ordered pairs")
    n_more_problems, n_more_pairs = compare(origin, "with more packages", more=[lsb.fetch(MORE)])
    n_problems += n_more_problems
    print(f"with more packages: {n_more_pairs} ordered pairs")
    for package, paths in sorted(packages.items()):
        if sys.argv[1:] and package not in sys.argv[1:]:
            continue
        n_problems += compare(origin, package, paths if package == BASE else packages[BASE] + paths)[0]
    if not sys.argv[1:]:
        idle = set(range(len(DIFFERENCES["order"]))) | set(DIFFERENCES["not wrapped"])
        for row in idle - used:
            print(f"differences.json: nothing needs {row if isinstance(row, str) else DIFFERENCES['order'][row]}")
            n_problems += 1
    print(f"{len(packages)} packages, {n_problems} problems")
    return 1 if n_problems or not n_pairs else 0


sys.exit(main())
