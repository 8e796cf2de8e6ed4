#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A hundred services in overlapping runlevels: a change stops and starts only the difference, in
parallel and in order.

--dry-run predicts the difference. This also holds while services and the manager are killed at
random.
"""

import os
import random
import signal
import time

from deadline import wait_for
from sandbox import Failure, Sandbox

SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))
WALKS = int(os.environ.get("SVCD_TEST_ROUNDS", "12"))
STORMS = 6

# Records its events. A member of a crowd becomes ready only when all members have started, and ends
# only when all have got their signal.
DAEMON = """#!/bin/sh
crowd() {
    [ -z "$size" ] && return
    mkdir -p /run/crowd && : >/run/crowd/$1-$name
    while [ "$(ls /run/crowd | grep -c "^$1-")" -lt "$size" ]; do sleep 0.1; done
}
name=$1 size=$2
echo "start $name" >>/run/acts
trap 'echo "stop $name" >>/run/acts; crowd leaves; exit 0' TERM
sleep infinity &
crowd comes
: >/run/up-$name
wait $!
"""

CROWD = 24
CHAIN = 6
NAMES = [f"s{number:02}" for number in range(100 - CROWD - CHAIN)]
CROWD_NAMES = [f"crowd{number:02}" for number in range(CROWD)]
CHAIN_NAMES = [f"chain{number}" for number in range(CHAIN)]


def daemon(name, size="", conditions=""):
    # Prepare= removes the file of an earlier run, which would make the service ready at once.
    return (f"[Service]\nExec=/usr/local/bin/noted {name} {size}\nPrepare=-/bin/rm /run/up-{name}\nReady=path:/run/up-{name}\n"
            f"Restart=always\nRestartDelay=10ms\nRestartLimit=1000/1s\nStopTimeout=60s\n[Conditions]\n{conditions}")


SERVICES = {name: daemon(name) for name in NAMES}
SERVICES.update({name: daemon(name, str(CROWD)) for name in CROWD_NAMES})
SERVICES.update({name: daemon(name, "", f"While=service:chain{number - 1}\n" if number else "")
                 for number, name in enumerate(CHAIN_NAMES)})


def make_runlevels(chance):
    """name -> (included, added, removed); each includes some of those before it."""
    levels = {"2": ([], chance.sample(NAMES, 30), [])}
    for name in ("laptop-on-train", "desk", "lab", "night-shift"):
        included = chance.sample(sorted(levels), min(2, len(levels)))
        levels[name] = (included, chance.sample(NAMES, 15), chance.sample(NAMES, 8))
    levels["chained"] = (["2"], [CHAIN_NAMES[-1]], [])
    return levels


def policy_of(levels):
    lines = []
    for name, (included, added, removed) in levels.items():
        lines += [f"[runlevel {name}]", *(f"Include={other}" for other in included),
                  "Activate=" + " ".join([*added, *(f"-{other}" for other in removed)]), ""]
    lines += ["[runlevel crowded]", "Include=2", "Activate=" + " ".join(CROWD_NAMES), ""]
    return "\n".join(lines)


def wanted_in(levels, level):
    """An independent implementation of docs/policy.md: the statements of the runlevel, then those
    of included runlevels; then the needs."""
    def says(where, name):
        included, added, removed = levels[where]
        if name in removed:
            return False
        if name in added:
            return True
        answers = [answer for answer in (says(other, name) for other in included) if answer is not None]
        return None if not answers else any(answers)
    names = {name for name in NAMES + CHAIN_NAMES if says(level, name)}
    if names & set(CHAIN_NAMES):
        names |= set(CHAIN_NAMES[:max(CHAIN_NAMES.index(name) for name in names & set(CHAIN_NAMES)) + 1])
    return names


def acts(box):
    """The events since the last call, in order."""
    lines = box.read("/run/acts").split("\n") if box.exists("/run/acts") else []
    box.write("/run/acts", "")
    return [tuple(line.split()) for line in lines if line]


def pids(box):
    return {name: row["pid"] for name, row in box.services().items() if row.get("pid")}


def check_walk(box, levels, chance):
    """One change after the other, without kills: each affects exactly the predicted difference."""
    current = "2"
    for _number in range(WALKS):
        target = chance.choice([name for name in levels if name != current])
        before, now = wanted_in(levels, current), wanted_in(levels, target)
        running = pids(box)
        assert set(running) == before, set(running) ^ before
        acts(box)

        said = box.svcctl_json("runlevel", target, "--dry-run")
        assert set(said["stops"]) == before - now and set(said["starts"]) == now - before, (current, target, said)
        assert not said["restarts"] and not said["waits"], said
        assert box.overview()["runlevel"] == current and not acts(box), "a dry run has done something"

        box.svcctl("runlevel", target)
        box.wait_at_rest()

        done = acts(box)
        assert sorted(done) == sorted([("stop", name) for name in before - now] + [("start", name) for name in now - before])
        after = pids(box)
        assert {name: after[name] for name in before & now} == {name: running[name] for name in before & now}
        started = [name for act, name in done if act == "start" and name in CHAIN_NAMES]
        stopped = [name for act, name in done if act == "stop" and name in CHAIN_NAMES]
        assert started == sorted(started) and stopped == sorted(stopped, reverse=True), done
        current = target
    return current


def check_crowd(box):
    """Each waits for all the others, so a sequential change would never end."""
    box.svcctl("runlevel", "2")
    box.wait_at_rest()
    box.svcctl("runlevel", "crowded")
    box.wait_states({name: "ready" for name in CROWD_NAMES})
    acts(box)

    box.svcctl("runlevel", "2")
    box.wait_at_rest()

    assert sorted(acts(box)) == [("stop", name) for name in CROWD_NAMES]
    left = [name for name in box.run("ls", "/run/crowd").stdout.split() if name.startswith("leaves-")]
    assert len(left) == CROWD and not set(pids(box)) & set(CROWD_NAMES), left


def kill_something(box, chance, running):
    """Kill a service, which also stops its dependents, and sometimes the manager. Returns the names
    of the services that have changed."""
    name = chance.choice(sorted(running))
    box.run("kill", "-KILL", str(running[name]), check=False)
    if chance.random() < 0.4:
        manager = wait_for(box.manager_pid, what="there is a manager")
        try:
            os.kill(manager, signal.SIGKILL)
            box.killed_managers += 1
        except ProcessLookupError:
            pass
    return set(CHAIN_NAMES[CHAIN_NAMES.index(name):]) if name in CHAIN_NAMES else {name}


def check_storm(box, levels, chance):
    """Rapid changes among kills. Services that all the runlevels want and that were not killed are
    not touched."""
    box.wait_at_rest()
    running = pids(box)
    visited = [box.overview()["runlevel"]]
    disturbed = set()
    acts(box)
    for _number in range(4):
        visited.append(chance.choice(sorted(levels)))
        box.svcctl("runlevel", visited[-1], check=False)
        # A random moment, not a wait: the kill may hit at any point.
        time.sleep(chance.random() * 0.1)
        disturbed |= kill_something(box, chance, running)
    wait_for(box.manager_pid, what="there is a manager")
    box.wait_up()
    # The last request may have been lost with the manager; in that case svcctl has reported it.
    box.svcctl("runlevel", visited[-1])
    expected = wanted_in(levels, visited[-1])

    def is_settled():
        rows = box.services()
        return {name for name, row in rows.items() if row["state"] == "ready"} == expected and box.overview()["at_rest"]
    wait_for(is_settled, what=f"all that {visited[-1]} wants is up, and nothing else")

    after, done = pids(box), {name for _act, name in acts(box)}
    kept = set.intersection(*(wanted_in(levels, level) for level in visited)) - disturbed
    if len(kept) < 3:
        raise Failure(f"only {kept} is in all of {visited}: this proves nothing")
    assert not kept & done, (visited, kept & done)
    assert {name: after[name] for name in kept} == {name: running[name] for name in kept}


def main():
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    levels = make_runlevels(chance)
    with Sandbox(SERVICES, policy=policy_of(levels), files={"/usr/local/bin/noted": {"text": DAEMON, "mode": 0o755}}) as box:
        box.wait_up()
        box.wait_at_rest()
        check_walk(box, levels, chance)
        check_crowd(box)
        for _number in range(STORMS):
            check_storm(box, levels, chance)


main()
