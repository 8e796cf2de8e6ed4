#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands of docs/containers.md, exactly as printed: a container with one service starts,
answers and ends."""

import os
import re

from sandbox import Sandbox

PAGE = os.environ["SVCD_SOURCE"] + "/docs/containers.md"

# The container's root is a layer above the sandbox's root, which includes svcd.
ROOT = """mkdir -p /run/upper /run/work /srv/web
mount -t overlay -o lowerdir=/,upperdir=/run/upper,workdir=/run/work overlay /srv/web
ROOT=/srv/web
"""
# The container ends with the started process.
END = "wait\necho \"ended with $?\"\n"

with open(PAGE, encoding="utf-8") as page:
    prepare, start, use = re.findall(r"^```sh\n(.*?)^```$", page.read(), re.M | re.S)

with Sandbox({}, root="debian", vendor=True, policy="[runlevel 2]\n") as box:
    box.wait_up()
    box.write("/root/recipe", f"set -e\n{ROOT}{prepare}{start}{use}{END}")
    done = box.run("sh", "/root/recipe", check=False, timeout=120)
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    assert "web: manual -> boot in runlevels 2 3 4 5" in text, text
    assert re.search(r"web - web\n +State +ready", text), text
    assert "ended with 0" in done.stdout, text
