#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Trees of random init scripts: svcd orders each pair that insserv(8) orders in a runlevel, for start
or for stop.

svcd may order more, because insserv ignores an ordering through a third script that has no link. A
failure prints its seed; test_random.py SEED repeats only that tree.
"""

import random
import sys

import lsb

SEEDS = range(1, 41)

FACILITIES = "$local_fs +m1 +m2\n$network +n1\n$named +d1 $network\n$remote_fs $local_fs +r1\n$syslog +y1 +y2\n"
MEMBERS = {"$local_fs": {"m1", "m2"}, "$network": {"n1"}, "$named": {"d1", "n1"}, "$remote_fs": {"m1", "m2", "r1"},
           "$syslog": {"y1", "y2"}}
START = ("S", "S", "2 3 4 5", "2 3 4 5", "2", "3 5", "1 2")
STOP = ("0 1 6", "0 1 6", "0 6", "", "1")

# insserv's messages when headers contradict each other or $all. For svcd's behaviour see
# lsb-compat/README.md.
CONTRADICTIONS = ("loop", "which can not be true")


class Author:
    """Writes headers that agree with one hidden order, so that most trees have an order."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        names = sorted(set().union(*MEMBERS.values())) + [f"s{number}" for number in range(10)]
        self.names = self.random.sample(names, self.random.randint(4, len(names)))
        self.words = self.names + sorted(MEMBERS) + ["nobody"]

    def _list(self, name, count, is_later):
        """Random names of scripts and facilities. In the order, all their scripts are on the same
        side of @name."""
        rank = self.names.index(name)
        words = []
        for word in self.random.sample(self.words, min(count, len(self.words))):
            others = MEMBERS.get(word, {word}) & set(self.names)
            if name not in others and all((self.names.index(other) > rank) == is_later for other in others):
                words.append(word)
        return " ".join(words)

    def script(self, name):
        start = self.random.choice(START)
        further = f" {name}-too" if self.random.random() < 0.2 else ""
        everything = " $all" if start != "S" and self.random.random() < 0.05 else ""
        fields = [("Provides", name + further), ("Required-Start", self._list(name, 3, False)),
                  ("Required-Stop", self._list(name, 3, True))]
        if self.random.random() < 0.5:
            fields.append(("Should-Start", self._list(name, 2, False) + everything))
        if self.random.random() < 0.5:
            fields.append(("Should-Stop", self._list(name, 2, True)))
        if self.random.random() < 0.3:
            fields.append(("X-Start-Before", self._list(name, 2, True)))
        if self.random.random() < 0.3:
            fields.append(("X-Stop-After", self._list(name, 2, False)))
        fields += [("Default-Start", start), ("Default-Stop", self.random.choice(STOP))]
        lines = "".join(f"# {key}: {value}\n" for key, value in fields)
        return f"#!/bin/sh\n### BEGIN INIT INFO\n{lines}### END INIT INFO\nexit 0\n"

    def file(self, name):
        return f"{name}.sh" if self.random.random() < 0.2 else name


def missing(tree, level, kind):
    """Pairs that only insserv orders, and the number of all pairs that it orders."""
    is_stop = kind == "stop"
    linked = tree.linked(level, "K" if is_stop else "S")
    theirs = {(lsb.service_of(first), lsb.service_of(second)) for first, second in tree.insserv_order(kind, linked)}
    return theirs - tree.order(level, is_stop), len(theirs)


def run(seed):
    """Return the number of compared pairs, or None if the headers contradict each other. Prints
    errors."""
    author = Author(seed)
    with lsb.Tree() as tree:
        tree.write("/etc/insserv.conf", FACILITIES)
        for name in author.names:
            tree.write(f"/etc/init.d/{author.file(name)}", author.script(name), 0o755)
        said = tree.insserv(*tree.scripts())
        if any(words in said for words in CONTRADICTIONS):
            return None
        n_pairs = 0
        for level, kind in [("S", "boot")] + [(level, "start") for level in "12345"] + [(level, "stop") for level in "016"]:
            pairs, count = missing(tree, level, kind)
            n_pairs += count
            for first, second in sorted(pairs):
                print(f"seed {seed}, runlevel {level}, {kind}: only insserv has {first} before {second}")
                run.n_missing += 1
        return n_pairs


run.n_missing = 0


def main():
    seeds = [int(word) for word in sys.argv[1:]] or SEEDS
    counts = [run(seed) for seed in seeds]
    compared = [count for count in counts if count]
    print(f"{len(compared)} trees, {sum(compared)} pairs, {run.n_missing} missing; {counts.count(None)} trees with contradictions left out")
    return 1 if run.n_missing or len(compared) < len(seeds) / 2 else 0


sys.exit(main())
