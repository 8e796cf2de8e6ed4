#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The --json output of each verb, errors included, conforms to docs/svcctl.schema.json."""

import json
import os

import jsonschema

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
UNIT = "[Service]\nExecStart=/bin/sleep 9\n"
CALLS = (
    ([], 0), (["status"], 0), (["list"], 0), (["list", "--all"], 0), (["status", "a"], 0), (["status", "a", "task"], 0),
    (["explain", "a"], 0), (["explain"], 0), (["is", "up", "a"], 0), (["is", "up", "off"], 3), (["status", "--properties", "a"], 0), (["tree"], 0),
    (["tree", "a"], 0), (["list", "--processes"], 0), (["list", "--processes", "a"], 0), (["log", "a"], 0), (["cat", "a"], 0), (["check"], 0),
    (["tree", "--order"], 0), (["flag"], 0), (["flag", "set", "f"], 0), (["flag", "clear", "f"], 0), (["runlevel"], 0), (["--version"], 0),
    (["boot"], 0), (["boot", "--wait"], 0), (["boot", "blame"], 0), (["boot", "chain"], 0), (["boot", "dot"], 0),
    (["boot", "list"], 0), (["boot", "show"], 4), (["boot", "show", "x"], 2), (["boot", "blame", "7"], 4), (["boot", "plot", "7"], 4),
    (["stop", "a"], 0), (["start", "a"], 0), (["restart", "a"], 0), (["reload", "a"], 5), (["clear", "a"], 0), (["reload", "--signal", "WINCH", "a"], 0),
    (["start", "a", "nosuch"], 1), (["list", "--conditions"], 0), (["list", "--timers"], 0), (["wait", "a"], 0), (["wait", "flag:f", "-t", "0"], 3), (["wait", "nosuch"], 4),
    (["list", "--unmanaged"], None), (["monitor", "netwrok:up"], 2), (["status", "nosuch"], 4), (["status", "off"], 3),
    (["start", "nosuch"], 4), (["explain", "nosuch"], 4), (["cat", "nosuch"], 4), (["start", "never"], 8), (["stop", "a"], 0),
    (["policy"], 0), (["policy", "a"], 0), (["policy", "log"], 0), (["set", "off", "manual"], 0), (["enable", "off"], 0),
    (["disable", "off"], 0), (["edit", "off", "Nice=1"], 0), (["edit", "off", "Colour=red"], None), (["undo", "off"], 0),
    (["doctor", "--security"], 0), (["doctor", "--security", "a"], 0), (["doctor", "--security", "nosuch"], 4), (["doctor"], None),
    (["new", "made", "--", "sleep", "1"], 0), (["new", "a", "--", "sleep", "1"], 2), (["mask", "a"], 2), (["undo"], 0),
    (["cat", "--diff"], 0), (["policy", "presets"], 0), (["edit", "nosuch"], None), (["import", "/root/x.service"], None),
    (["nonsense"], 2), (["start"], 2), (["list", "--state", "happy"], 2), (["runlevel", "nosuch"], None),
    (["reload-files"], 0), (["reexec", "now"], 2), (["poweroff", "now"], 2), (["reboot", "now"], 2), (["poweroff", "--halt", "now"], 2), (["help"], 0),
    (["complete", "now"], None), (["try"], 1), (["try", "--report"], 3), (["try", "--back", "--keep"], 2),
)
SERVICES = {"a": SLEEP, "never": SLEEP, "off": SLEEP, "task": "[Service]\nType=task\nExec=/bin/true\n[Conditions]\nWhen=due:daily\n"}
POLICY = "[runlevel 2]\nActivate=a task\n[service never]\nActivation=never\n[defaults]\nNewServices=manual\n"


def schema():
    with open(os.path.join(os.environ["SVCD_SOURCE"], "docs", "svcctl.schema.json"), encoding="utf-8") as file:
        return jsonschema.Draft7Validator(json.load(file))


def check(validator, words, text):
    answer = json.loads(text)
    for problem in validator.iter_errors(answer):
        why = "\n".join(f"  {part.json_path}: {part.message}" for part in problem.context or [problem])
        raise AssertionError(f"svcctl {' '.join(words)}: {text}\n{why}")
    return answer


def main():
    validator = schema()
    validator.check_schema(validator.schema)
    right = {"schema": "svcctl/1", "verb": "list", "exit": 4, "error": {"code": "NoSuchService", "message": "there is none"}}
    assert validator.is_valid(right)
    for wrong in ({"exit": 11}, {"error": {"code": "Odd", "message": "there is none"}}, {"more": 1}, {"data": {"a_us": "1"}},
                  {"verb": "start", "data": [{"name": "a", "state": "ready"}]}):
        assert not validator.is_valid({**right, **wrong}), f"the schema lets everything through: {wrong}"
    with Sandbox(SERVICES, policy=POLICY, files={"/root/x.service": UNIT}) as box:
        box.wait_states({"a": "ready", "task": "done"})
        for words, code in CALLS:
            done = box.svcctl("--json", *words, check=False)
            answer = check(validator, words, done.stdout)
            assert done.stderr == "", (words, done)
            assert answer["exit"] == done.returncode, (words, answer, done.returncode)
            assert code is None or done.returncode == code, (words, done)
            assert done.returncode == 0 or "error" in answer or done.returncode in (3, 5, 10), (words, answer)
        for line in box.svcctl("restart", "a", "--json", "--progress").stdout.splitlines():
            check(validator, ["restart", "--progress"], line)

        known = {one["name"] for one in json.loads(box.svcctl("help", "--json").stdout)["data"]}
        missing = known - {words[0] for words, _ in CALLS if words}
        assert not missing, missing


main()
