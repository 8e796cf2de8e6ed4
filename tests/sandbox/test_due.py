#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""due: and time: - tasks run again and again, over a new manager and over a boot; the screens; what svcctl check reports."""

import re
import time

from bed import make_disk
from deadline import wait_for
from sandbox import Sandbox

COUNT = "[Service]\nType=task\nExec=/bin/sh -c \"echo x >>/var/log/{name}\"\n[Conditions]\nWhen={when}\n{more}"
STATE = "/var/lib/svcd/last-success"


def task(name, when, more=""):
    return COUNT.format(name=name, when=when, more=more)


def window(begin_s, end_s):
    """A window of local time, at these distances from now; minutes are rounded down."""
    return "-".join(time.strftime("%H:%M", time.gmtime(time.time() + s)) for s in (begin_s, end_s))


SERVICES = {
    "often": task("often", "due:*:*:0/2"),
    "span": task("span", "due:every 2s", "RandomizedDelay=1s\n"),
    "yearly": task("yearly", "due:yearly"),
    "lazy": task("lazy", "due:yearly", "Persistent=no\n"),
    "follower": task("follower", "!due:yearly/yearly"),
    "fails": "[Service]\nType=task\nExec=/bin/sh -c \"echo x >>/var/log/fails; exit 1\"\n[Conditions]\nWhen=due:*:*:0/3\n",
    "open": task("open", "time:" + window(-7200, 7200)),
    "closed": task("closed", "time:" + window(7200, 14400)),
    "old": task("old", "time:boot+1s"),
    "young": task("young", "time:boot+1h"),
    "each@": task("each-%i", "due:monthly"),
}
POLICY = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in SERVICES if name != "each@") + "Activate=each@a\n"
FILES = {"/var/lib/other": "", "/var/log/keep": "", "/etc/machine-id": "0123456789abcdef0123456789abcdef\n"}


def runs(box, name):
    return len(box.read(f"/var/log/{name}").split()) if box.exists(f"/var/log/{name}") else 0


def await_runs(box, name, count):
    wait_for(lambda: runs(box, name) >= count, what=f"{name} has run {count} times")


def timers(box):
    return {row["name"]: row for row in box.svcctl_json("list", "--timers")}


def saved(box):
    return dict(line.split() for line in box.read(STATE).splitlines()) if box.exists(STATE) else {}


def check_first_boot(box):
    for name in ("often", "span", "fails"):
        await_runs(box, name, 3)
    for name in ("yearly", "follower", "open", "old", "each-a"):
        await_runs(box, name, 1)
    assert runs(box, "lazy") == runs(box, "closed") == runs(box, "young") == 0
    wait_for(lambda: {"often", "span", "yearly", "each@a"} <= set(saved(box)), what="the successes are saved")
    assert "fails" not in saved(box)


def check_screens(box):
    text = box.svcctl("explain", "lazy", check=False).stdout
    assert re.search(r"due:lazy/yearly is false: due at \w{3} \d{4}-01-01 00:00:00, no success so far", text), text
    text = box.svcctl("explain", "closed", check=False).stdout
    assert re.search(r"time:\d\d:\d\d-\d\d:\d\d is false: true at \w{3} \d{4}-\d\d-\d\d \d\d:\d\d:00", text), text
    text = box.svcctl("explain", "yearly").stdout
    assert re.search(r"due:yearly/yearly is false: due again at \w{3} \d{4}-01-01 00:00:00, last success", text), text
    text = box.svcctl("list", "--conditions", "due:yearly/*").stdout
    assert re.search(r"false .*due again at \w{3} \d{4}-01-01 00:00:00, last success", text), text

    rows = timers(box)
    assert {"often", "span", "yearly", "lazy", "fails", "each@a"} == set(rows), rows
    assert rows["each@a"]["condition"] == "due:each@a/monthly"
    assert rows["lazy"]["last"] is None and rows["lazy"]["next_us"] > time.time() * 1e6
    assert rows["fails"]["left"] == "due"
    assert rows["yearly"]["last_us"] == int(saved(box)["yearly"]) * 1000000
    text = box.svcctl("list", "--timers", "yearly", "lazy").stdout
    assert re.match(r"NAME +NEXT +LAST +LEFT +CONDITION\n", text) and len(text.splitlines()) == 3, text


def check_requests(box):
    """A restart runs a done task now, and a start one that is not due."""
    box.svcctl("restart", "each@a")
    await_runs(box, "each-a", 2)
    box.svcctl("start", "each@a")
    box.svcctl("start", "lazy")
    await_runs(box, "lazy", 1)
    wait_for(lambda: box.state("lazy") == "done", what="lazy is done")
    assert runs(box, "each-a") == 2


def check_new_manager(box):
    before = timers(box)["yearly"]
    box.kill_manager()
    await_runs(box, "often", runs(box, "often") + 2)
    assert runs(box, "yearly") == 1 and runs(box, "each-a") == 2
    assert timers(box)["yearly"] == {**before, "left": timers(box)["yearly"]["left"]}


def check_second_boot(box):
    await_runs(box, "often", runs(box, "often") + 1)
    assert runs(box, "yearly") == 1 and runs(box, "lazy") == 1

    # All successes become older than a year, as after a year without power.
    box.svcctl("stop", "often", "span", "fails")
    box.wait_at_rest()
    box.write(STATE, "".join(f"{name} {int(at_s) - 400 * 86400}\n" for name, at_s in saved(box).items()))


def check_third_boot(box):
    await_runs(box, "yearly", 2)
    wait_for(lambda: int(saved(box)["yearly"]) > time.time() - 3600, what="the new success is saved")
    assert runs(box, "lazy") == 1


def check_errors(box):
    box.write("/etc/svcd/services.d/bad.svc", task("bad", "due:Mon..Fry 06:00") + "While=time:2-4\n")
    text = box.svcctl("check", check=False).stdout
    assert "bad.svc:5: When=due:Mon..Fry 06:00: \"Mon..Fry\" is not a weekday" in text, text
    assert "bad.svc:6: While=time:2-4: \"2-4\" is not a window such as 22:00-06:00" in text, text
    box.remove("/etc/svcd/services.d/bad.svc")


def level(box, condition):
    return {row["condition"]: row for row in box.svcctl_json("list", "--conditions")}[condition]


def check_volume():
    """The last successes are on a volume that is mounted late. The directory below it has an older file."""
    services = {
        "var": "[Service]\nType=task\nExec=/bin/mount --bind /srv/var /var\nStop=/bin/umount /var\n"
               "[Conditions]\nWhen=flag:go\nDoneWhile=mounted:/var\n",
        "yearly": "[Service]\nType=task\nExec=/bin/touch /srv/has-run\n[Conditions]\nWhen=due:yearly\n",
    }
    files = {STATE: "yearly 1000000000\n", f"/srv{STATE}": f"yearly {int(time.time())}\n"}
    with Sandbox(services, files=files) as box:
        row = level(box, "due:yearly/yearly")
        assert row["level"] == "unknown" and "has not read the times of earlier runs" in row["why"], row
        box.svcctl("flag", "set", "go")
        wait_for(lambda: level(box, "due:yearly/yearly")["level"] == "false", what="the file is read")
        assert not box.exists("/srv/has-run")
        box.kill_manager()
        wait_for(lambda: level(box, "due:yearly/yearly")["level"] == "false", what="the file is read again")
        assert not box.exists("/srv/has-run")


def reboot(box):
    box.shut_down("reboot")
    box.wait_end()
    box.boot_again()


check_volume()
with Sandbox(SERVICES, policy=POLICY, files=FILES, disk=make_disk()) as machine:
    check_first_boot(machine)
    check_screens(machine)
    check_errors(machine)
    check_requests(machine)
    check_new_manager(machine)
    reboot(machine)
    check_second_boot(machine)
    reboot(machine)
    check_third_boot(machine)
