#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service without its program is not listed as waiting, unless an admin configures or requests
the service. explain gives the reason."""

from deadline import wait_for
from sandbox import Sandbox


def of_program(name, more=""):
    return f"[Service]\nExec=/usr/local/bin/{name} infinity\n[Conditions]\nWhen=path:exec:/usr/local/bin/{name}\n{more}"


SERVICES = {
    "absent": of_program("absent"),
    "either": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=path:exec:/usr/bin/no1 | path:exec:/usr/bin/no2\n",
    "needed": of_program("needed"),
    "named": of_program("named", "Wants=needed\n"),
    "asked": of_program("asked"),
    "held": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=flag:go\n",
    "runs": "[Service]\nExec=/bin/sleep infinity\n",
}
POLICY = "[defaults]\nNewServices=boot\n[runlevel 2]\nActivate=named\n[service asked]\nActivation=on-demand\n" \
         "[service needed]\nActivation=on-demand\n"


def listed(box, *options):
    lines = box.svcctl("--ascii", "list", "--no-header", "-o", "name,state", *options).stdout.splitlines()
    return {line.split()[0] for line in lines} & set(SERVICES)


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"runs": "ready", "absent": "waiting", "either": "waiting", "needed": "waiting", "named": "waiting"})

    assert listed(box) == {"named", "held", "runs"}, listed(box)
    assert listed(box, "--state", "waiting") == {"named", "held"}
    assert listed(box, "--all") == set(SERVICES)
    assert listed(box, "absent") == {"absent"}, "a named service is shown"
    out = box.svcctl("list").stdout
    assert "Not shown: 4 not installed (svcctl list --all)" in out, out
    assert "path:exec:/usr/local/bin/named is false: it does not exist" in out, out
    counts = box.svcctl_json("status")["services"]
    assert counts["waiting"] == 2 and counts["not_installed"] == 4, counts
    assert "4 not installed" in box.svcctl().stdout

    explained = box.svcctl("explain", "absent").stdout
    assert "path:exec:/usr/local/bin/absent is false: it does not exist" in explained, explained

    # Services that were requested are listed.
    box.svcctl("start", "--no-wait", "asked")
    assert "asked" in listed(box)

    box.run("cp", "/bin/sleep", "/usr/local/bin/absent")
    box.wait_state("absent", "ready")
    assert "absent" in listed(box)
    box.remove("/usr/local/bin/absent")
    wait_for(lambda: box.state("absent") == "ready" and "absent" in listed(box), what="a running service is listed")
