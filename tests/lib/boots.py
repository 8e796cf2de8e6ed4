# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Boots that are recorded, and compared in pairs: in the second boot of each pair, one package has a
new version, whose service takes a second longer.
"""

import json
import os
import re
import xml.etree.ElementTree

import jsonschema

from bed import make_disk
from deadline import wait_for
from sandbox import Sandbox

SOURCE = os.environ["SVCD_SOURCE"]
NAMES = ("database", "mailer", "web")
KEPT = 20
DELAY_S = 1
TASK = "[Service]\nType=task\nExec=/usr/sbin/{0}d\n"
LATER = "[Service]\nType=task\nExec=/bin/true\n[Conditions]\nAfter=database mailer web\n"
SLOW_STOP = "[Service]\nExec=/bin/sleep infinity\nStop=/bin/sh -c 'sleep 1.5; kill $MAINPID'\n"


def vendor(name):
    """A shipped file, changed so that its service runs in a container, such as the sandbox, and
    saves often."""
    with open(f"{SOURCE}/services.d/core/{name}.svc", encoding="utf-8") as file:
        text = file.read()
    assert "sleep 300" in text or name != "boot-record", text
    return text.replace("When=!virtual:container\n", "").replace("sleep 300", "sleep 0.5")


def program(seconds):
    return f"#!/bin/sh\nexec sleep {seconds}\n"


def make_box():
    services = {name: TASK.format(name) for name in NAMES}
    services.update({"login": LATER, "importer": SLOW_STOP})
    wanted = " ".join([*services, "boot-record"])
    services.update({name: vendor(name) for name in ("boot-record", "shutdown-record")})
    policy = f"[defaults]\nLoginScreen=login\n[runlevel 2]\nActivate={wanted}\n" \
             "[runlevel 0]\nActivate=shutdown-record\n[runlevel 6]\nActivate=shutdown-record\n"
    files = {"/var/log/dpkg.log": "", "/var/lib/dpkg/info/innocent.list": "/.\n/usr/sbin/innocentd\n"}
    for name in NAMES:
        files[f"/usr/sbin/{name}d"] = {"text": program(0.1), "mode": 0o755}
        files[f"/var/lib/dpkg/info/{name}-package.list"] = f"/.\n/usr\n/usr/sbin\n/usr/sbin/{name}d\n"
    return Sandbox(services, policy=policy, files=files, disk=make_disk())


def upgrade(box, *names):
    now = box.run("date", "+%Y-%m-%d %H:%M:%S").stdout.strip()
    with open(box.path("/var/log/dpkg.log"), "a", encoding="ascii") as log:
        log.writelines(f"{now} upgrade {name}:amd64 1.0 1.1\n" for name in names)


def wait_recorded(box, number):
    box.wait_up()
    wait_for(lambda: box.svcctl_json("boot", "list")[-1:] and box.svcctl_json("boot", "list")[-1]["number"] == number,
             what=f"boot {number} is recorded")


def reboot(box, number):
    box.shut_down("reboot")
    box.wait_end()
    box.boot_again()
    wait_recorded(box, number)


def check_schema(box, *words):
    with open(f"{SOURCE}/docs/svcctl.schema.json", encoding="utf-8") as file:
        jsonschema.Draft7Validator(json.load(file)).validate(json.loads(box.svcctl("boot", *words, "--json").stdout))


def check_record(box, number):
    """Check the record of boot @number: its services, the login screen, the ideal, and the chart.
    """
    record = box.svcctl_json("boot", "show", str(number))
    services = {one["name"]: one for one in record["services"]}
    assert set(NAMES) < set(services), services
    for one in services.values():
        if one["name"] in NAMES:
            assert 0 < one["wanted_us"] <= one["allowed_us"] <= one["started_us"] < one["over_us"], one
            assert one["result"] == "up" and one["cpu_us"] > 0, one
            assert f"/usr/sbin/{one['name']}d" in one["files"], one
    assert record["login_screen"]["service"] == "login" and set(record["login_screen"]["needs"]) == set(NAMES), record
    assert services["login"]["over_us"] <= record["svcd_us"] and record["processors"] >= 1, record
    shown = box.svcctl("boot", "show").stdout
    assert f"Boot {number}, " in shown and " times the ideal " in shown, shown
    svg = box.svcctl("boot", "plot").stdout
    titles = [one.text for one in xml.etree.ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("web: waited ") for title in titles), titles
    blame = {one["name"]: one for one in box.svcctl_json("boot", "blame", str(number))}
    assert blame["web"]["cpu_us"] == services["web"]["cpu_us"] and blame["web"]["own_us"] >= 100000, blame


def check_shutdown(box, number):
    """Check the shutdown in that record: its requester, and the service that delayed it."""
    shutdown = box.svcctl_json("boot", "show", str(number))["shutdown"]
    assert shutdown["requested"].startswith("runlevel 6, requested by uid 0"), shutdown
    stops = {one["name"]: one for one in shutdown["stops"]}
    assert stops["importer"]["stop_us"] >= 1400000 and stops["importer"]["stopped"], shutdown
    assert shutdown["took_us"] >= stops["importer"]["stop_us"] and shutdown["complete"], shutdown
    assert re.search(r"Slow stops importer: \d", box.svcctl("boot", "show", str(number)).stdout)


def check_pair(box, number, name):
    """Check that the slower service of this boot is named with its package."""
    found = {one["name"]: one for one in box.svcctl_json("boot", "compare", str(number - 1), str(number))}
    assert name in found, (name, found)
    # The earlier boot may have been slow too, on a busy machine.
    assert found[name]["after_us"] >= (DELAY_S + 0.1) * 1000000, (name, found)
    assert found[name]["longer_us"] == found[name]["after_us"] - found[name]["before_us"], (name, found)
    assert found[name]["package"] == f"{name}-package 1.0 -> 1.1", (name, found)
    blamed = [one["name"] for one in found.values() if one["package"]]
    assert blamed == [name], (name, found)
    for words in (["list"], ["show"], ["compare"], ["compare", "--all"], ["plot"], ["blame", str(number)]):
        check_schema(box, *words)
    shown = box.svcctl("boot", "compare").stdout
    assert f"{name}-package 1.0 -> 1.1" in shown and "innocent 1.0 -> 1.1" in shown, shown


def check_read_only_root():
    """As on every machine, the root is read-only at first. If it stays read-only, nothing is
    recorded."""
    thaw = "[Service]\nType=task\nExec=/bin/sh -c 'until test -e /run/go; do sleep 0.1; done; mount -o remount,bind,rw /'\n"
    services = {"boot-record": vendor("boot-record"), "thaw": thaw}
    with Sandbox(services, read_only=("/",)) as box:
        box.wait_state("boot-record", "ready")
        box.write("/run/go", "")
        wait_recorded(box, 1)
    with Sandbox({"boot-record": vendor("boot-record")}, read_only=("/",)) as box:
        box.wait_state("boot-record", "idle")
        assert box.svcctl_json("boot", "list") == []


def run(n_pairs):
    with make_box() as box:
        wait_recorded(box, 1)
        check_record(box, 1)
        assert "only one boot" in box.svcctl("boot", "compare", check=False).stderr
        for pair in range(1, n_pairs + 1):
            name = NAMES[pair % len(NAMES)]
            box.write(f"/usr/sbin/{name}d", program(0.1 + DELAY_S), 0o755)
            upgrade(box, f"{name}-package", "innocent")
            reboot(box, 2 * pair)
            check_pair(box, 2 * pair, name)
            check_shutdown(box, 2 * pair - 1)
            print(box.svcctl("boot", "compare").stdout, flush=True)
            if pair < n_pairs:
                box.write(f"/usr/sbin/{name}d", program(0.1), 0o755)
                reboot(box, 2 * pair + 1)
        numbers = [one["number"] for one in box.svcctl_json("boot", "list")]
        assert numbers == list(range(1, 2 * n_pairs + 1))[-KEPT:], numbers
        print(box.svcctl("boot", "list").stdout, box.svcctl("boot", "show", str(numbers[-2])).stdout, sep="\n")
