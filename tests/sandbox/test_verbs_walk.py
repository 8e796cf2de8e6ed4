#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each verb of svcctl has --help, an entry in svcctl(1), completions and exit codes from the table;
each option in its --help is tested, too."""

import json
import os
import re

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
MANUAL = os.environ["SVCD_SOURCE"] + "/docs/man/svcctl.1"

# One shell runs all calls; each prints its exit code after its output.
CALL = "svcctl %s 2>&1 </dev/null; code=$?; echo; echo \"== $code\""

# These verbs concern the whole machine. Each gets an argument that it refuses, so nothing happens.
WITHOUT_NAMES = {"boot", "poweroff", "reboot", "reexec", "reload-files"}


def calls(box, lines):
    """(exit code, output) of each line."""
    script = "\n".join(CALL % line for line in lines)
    parts = re.split(r"\n== (\d+)\n", box.run("/bin/sh", "-s", stdin=script).stdout)
    assert len(parts) == 2 * len(lines) + 1, parts
    return [(int(code), text) for text, code in zip(parts[0::2], parts[1::2])]


def table_of_exit_codes(manual):
    section = manual.split(".Sh EXIT STATUS")[1].split(".Sh")[0]
    return {int(code) for code in re.findall(r"^\.It (\d+)$", section, re.M)}


def described(manual):
    """verb -> the text after its .It, with the names of options as they are typed."""
    found = {}
    for item in re.findall(r"^\.It Cm ([a-z].*)$", manual.split(".Sh OPTIONS")[0], re.M):
        names = re.match(r"[a-z-]+(?: , [a-z-]+)*", item).group(0).split(" , ")
        for name in names:
            found[name] = found.get(name, "") + item
    return found


with open(MANUAL, encoding="utf-8") as file:
    manual = file.read()
codes = table_of_exit_codes(manual)
assert codes == set(range(11)), codes
items = described(manual)

with Sandbox({"a": SLEEP}) as box:
    box.wait_state("a", "ready")
    verbs = [row["name"] for row in box.svcctl_json("help")]
    assert len(verbs) > 30, verbs

    helped = calls(box, [f"{verb} --help" for verb in verbs])
    options = {}
    for verb, (code, text) in zip(verbs, helped):
        assert code == 0 and text.startswith(f"Usage: svcctl {verb}"), (verb, code, text)
        options[verb] = re.findall(r"^  .{6}(--[a-z-]+)", text.split("Options")[1], re.M) if "Options (" in text else []
        assert verb in items, f"svcctl(1) says nothing of {verb}"

    # Completion knows each verb and each of its options, and has candidates for each argument.
    offered = calls(box, [f"complete -- {verb} --" for verb in verbs])
    for verb, (code, text) in zip(verbs, offered):
        words = {line.split("\t")[0] for line in text.splitlines()}
        assert code == 0 and set(options[verb]) < words and "--help" in words, (verb, options[verb], text)
    assert {line.split("\t")[0] for line in calls(box, ["complete -- ''"])[0][1].splitlines() if line} == {*verbs, "help"}

    # An unknown option is wrong usage, and so is an option of another verb; each is reported, in
    # text and in JSON.
    wrong = calls(box, [f"{verb} --no-such-option --json" for verb in verbs])
    for verb, (code, text) in zip(verbs, wrong):
        assert code == 2 and json.loads(text)["error"]["code"] == "Usage", (verb, code, text)

    # A missing service gives its own exit code, or another one from the table with the reason, and
    # never a crash.
    lines = [f"{verb} {'now' if verb in WITHOUT_NAMES else 'nosuch'} -t 5 --json" for verb in verbs if verb not in ("monitor", "edit")]
    for line, (code, text) in zip(lines, calls(box, lines)):
        answer = json.loads(text)
        assert code in codes and answer["exit"] == code and answer["schema"] == "svcctl/1", (line, code, text)
    assert box.state("a") == "ready"
