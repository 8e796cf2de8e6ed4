#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
"svcctl tree --order" shows the order of the scripts of a machine that does not run svcd yet: it
uses the rc links.

On a tree without any link it uses the defaults in the headers, whatever RcLinks= is.
"""

import lsb

HEADER = ("#!/bin/sh\n### BEGIN INIT INFO\n# Provides: {name}\n# Required-Start: {needs}\n# Required-Stop: {needs}\n"
          "# Default-Start: 2 3\n# Default-Stop: 0 1 6\n### END INIT INFO\n")


def edges(tree, level):
    return tree.svcctl("tree", "--order", "--edges", "--runlevel", level).stdout.split("\n")[:-1]


with lsb.Tree() as tree:
    tree.write("/etc/svcd/policy.d/test.policy", "[defaults]\nRcLinks=no\n")
    tree.write("/etc/init.d/first", HEADER.format(name="first", needs=""), 0o755)
    tree.write("/etc/init.d/second", HEADER.format(name="second", needs="first"), 0o755)

    assert edges(tree, "2") == edges(tree, "3") == ["first second"], edges(tree, "2")
    assert edges(tree, "4") == [], edges(tree, "4")
    assert not {"first", "second"} & tree.wanted("2"), "RcLinks=no, and they are wanted"

    tree.link("first", start="4")
    tree.link("second", start="4")
    assert edges(tree, "4") == ["first second"] and edges(tree, "2") == [], "links come before what headers say"
