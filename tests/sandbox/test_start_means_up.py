#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""start succeeds only if the service is up. If the service waits, start shows its conditions; if it
cannot start, start is refused."""

from sandbox import Sandbox

SERVICES = {
    "absent": "[Service]\nExec=/usr/local/bin/absent infinity\n[Conditions]\nWhen=path:exec:/usr/local/bin/absent\n",
    "hardware": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=kernel:no-such-word\nWhen=path:exec:/bin/sleep\n",
    "held": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=flag:go\n",
    "needs": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:need\n",
    "need": "[Service]\nType=task\nExec=/bin/sleep 0.5\n",
}


def start(box, *words):
    done = box.svcctl("start", *words, check=False)
    return done.returncode, done.stderr


def admin(box, name):
    return box.service(name)["admin"]


with Sandbox(SERVICES, policy="[defaults]\nNewServices=on-demand\n") as box:
    box.wait_at_rest()

    code, said = start(box, "absent")
    assert code == 3 and said == """svcctl: absent is not installed
  path:exec:/usr/local/bin/absent is false (it does not exist) (/etc/svcd/services.d/absent.svc:4)
  To start it when it is installed: svcctl start absent --wait
""", said
    assert admin(box, "absent") == "none", "no request remains"
    code, said = start(box, "hardware")
    assert code == 3 and said.startswith("svcctl: hardware cannot run on this machine\n  kernel:no-such-word is false"), said
    assert start(box, "hardware", "--wait")[0] == 3 and admin(box, "hardware") == "none"
    assert box.svcctl("restart", "absent", check=False).returncode == 3 and admin(box, "absent") == "none"

    code, said = start(box, "held")
    assert code == 3 and said.startswith("svcctl: held is not up; it starts as soon as its conditions are true\n"
                                         "  flag:go is false"), said
    assert "svcctl start held --wait" in said and admin(box, "held") == "start", "the request stands"
    assert start(box, "held", "--no-wait")[0] == 0
    answer = box.svcctl_json("start", "held", check=False)
    assert answer["exit"] == 3 and answer["error"]["code"] == "NotRunning" and answer["data"][0]["false_terms"], answer
    box.svcctl("flag", "set", "go")
    box.wait_state("held", "ready")

    # start waits for a condition that another service is about to provide.
    assert start(box, "needs")[0] == 0 and box.state("needs") == "ready"

    # With --wait the command waits for the installation.
    assert start(box, "absent", "--wait", "--timeout", "1")[0] == 6 and admin(box, "absent") == "start"
    box.run("cp", "/bin/sleep", "/usr/local/bin/absent")
    box.wait_state("absent", "ready")
