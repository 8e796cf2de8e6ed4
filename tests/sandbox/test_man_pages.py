#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The manual is correct: each program has a page, org.svcd1(5) is complete, and each example works.

svcctl check accepts the example files, and the example commands run.
"""

import glob
import os
import re
import xml.etree.ElementTree

from sandbox import Sandbox

SOURCE = os.environ["SVCD_SOURCE"]
STAGE = os.environ["SVCD_STAGE"]
PAGES = {os.path.basename(path): open(path, encoding="utf-8").read()
         for path in glob.glob(f"{SOURCE}/docs/man/*.[158]")}
EVERYTHING = "\n".join(PAGES.values())


def examples(page):
    """Texts between .Bd -literal and .Ed, as displayed."""
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", PAGES[page], re.M | re.S)
    return [block.replace("\\e", "\\").replace("\\&", "").replace("\\-", "-") for block in blocks]


def commands(page):
    """Lines with a prompt; a backslash continues them."""
    for block in examples(page):
        yield from re.findall(r"^[$#] ((?:.*\\\n)*.*)", block, re.M)


# --- complete pages ---

for directory in ("usr/sbin", "usr/bin", "usr/lib/svcd"):
    for name in os.listdir(f"{STAGE}/{directory}"):
        if os.path.isfile(f"{STAGE}/{directory}/{name}"):
            assert f"{name}.8" in PAGES or re.search(rf"^\.Nm {re.escape(name)}\b", EVERYTHING, re.M), f"no page has {name}"

for path in glob.glob(f"{SOURCE}/daemon/bus/org.svcd1.*.xml"):
    for member in xml.etree.ElementTree.parse(path).iterfind("interface/*"):
        name = member.get("name")
        assert re.search(rf"\b{name}\b", PAGES["org.svcd1.5"]), f"org.svcd1(5) does not name {name} of {os.path.basename(path)}"

# --- working examples ---

services = [block for block in examples("svcd.service.5") if block.startswith("[Service]")]
policies = examples("svcd.policy.5")
assert services and policies and len(list(commands("org.svcd1.5"))) >= 6

SERVICES = {"cron": "[Service]\nExec=/bin/sleep infinity\n", "ssh-host-keys": "[Service]\nType=task\nExec=/bin/true\n"}

with Sandbox(SERVICES, root="debian", vendor=True) as box:
    box.wait_state("dbus", "ready")
    for number, text in enumerate(services):
        box.write(f"/tmp/example-{number}.svc", text)
        box.svcctl("check", f"/tmp/example-{number}.svc")
    for number, text in enumerate(policies):
        box.write(f"/tmp/example-{number}.policy", text)
        box.svcctl("check", f"/tmp/example-{number}.policy")
    for page in sorted(PAGES):
        for command in commands(page):
            done = box.run("/bin/sh", "-c", command, check=False)
            assert done.returncode == 0 and done.stdout, f"{page}: {command}: exit {done.returncode}: {done.stdout}{done.stderr}"
