#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ten boots of the same services: the bar moves on, and the durations of earlier boots improve the
estimate."""

import json
import time

from deadline import wait_for
from sandbox import Sandbox

FILE = "/var/lib/svcd/durations"


def task(seconds, *conditions):
    lines = "".join(f"{line}\n" for line in conditions)
    return f"[Service]\nType=task\nExec=/bin/sleep {seconds}\n[Conditions]\n{lines}"


# Ten services: two chains, one that waits for a path that another one creates, some without terms,
# and one that waits for an external condition.
SERVICES = {
    "disk": task(0.4),
    "mounts": task(0.2, "After=disk"),
    "bus": task(0.2, "After=mounts"),
    "network": task(1.2, "After=bus"),
    "maker": "[Service]\nType=task\nExec=/bin/sh -c 'sleep 0.3; : > /run/made'\n[Conditions]\nAfter=bus\n",
    "display": "[Service]\nExec=/bin/sh -c 'sleep 0.9; : > /run/shown; exec sleep infinity'\nReady=path:/run/shown\n"
               "[Conditions]\nWhen=path:/run/made\nAfter=maker\n",
    "clock": task(0.1),
    "sound": task(0.3, "After=bus"),
    "cron": task(0.05, "After=mounts"),
    "held": task(1, "When=path:/run/never"),
}

# Runs inside the sandbox, so that a sample needs no namespace change. The time of a sample is that
# of the answer.
SAMPLER = """
import json, subprocess, time
while True:
    done = subprocess.run(["/usr/bin/svcctl", "status", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        continue
    data = json.loads(done.stdout)["data"]
    print(json.dumps([time.monotonic(), data["boot_progress"], data["boot_remaining_us"] / 1e6, data["boot_finished"]]),
          flush=True)
    if data["boot_finished"]:
        break
"""


def boot(known):
    """Boot once. Returns the samples and the final file of durations."""
    files = {"/root/sampler.py": SAMPLER}
    if known:
        files[FILE] = known
    with Sandbox(SERVICES, files=files) as box:
        out = box.run("/usr/bin/python3", "/root/sampler.py").stdout
        samples = [json.loads(line) for line in out.splitlines()]
        wait_for(lambda: box.exists(FILE) and box.read(FILE) != (known or ""), what="this boot is saved")
        begun = box.boot_at_us() / 1e6
        return [(at - begun, *rest) for at, *rest in samples], box.read(FILE)


def mean_error(samples):
    """The mean error of the estimate, as a share of the boot."""
    end = samples[-1][0]
    moving = [sample for sample in samples if not sample[3]]
    return sum(abs(end - at - rest) for at, _, rest, _ in moving) / len(moving) / end


def check_samples(samples):
    shown = [sample[1] for sample in samples]
    assert shown == sorted(shown), f"it went back: {shown}"
    assert shown[-1] == 1 and samples[-1][3], samples[-1]
    # svcctl sends two queries. In the second-to-last sample the boot may have ended between them.
    assert all(value < 1 for value in shown[:-2]), samples
    assert samples[-1][2] == 0, "nothing is left of a finished boot"


def main():
    errors, text = [], None
    for number in range(1, 11):
        samples, text = boot(text)
        check_samples(samples)
        errors.append(mean_error(samples))
        largest = max(b[1] - a[1] for a, b in zip(samples, samples[1:]))
        print(f"boot {number}: {samples[-1][0]:.2f} s, {len(samples)} samples, estimate wrong by "
              f"{errors[-1] * 100:.1f} % on average, largest step of the bar {largest * 100:.1f} %")
        # The bar moves evenly, also between events: nearly every sample has another value, even if
        # a busy machine took few samples.
        assert len({value for _, value, *_ in samples}) >= min(10, len(samples) - 2), samples

    lines = text.splitlines()
    assert lines[0] == "svcd-durations 1" and lines[-1] == "end", text
    boots = [line.split() for line in lines if line.startswith("boot ")]
    assert len(boots) == 10 and boots[0][2] == "0", boots
    assert all(int(expected) > 0 for _, _, expected in boots[1:]), boots
    services = {line.split()[1]: line.split()[2:] for line in lines if line.startswith("service ")}
    assert set(services) == set(SERVICES) - {"held"}, text
    for name, (missed, *runs) in services.items():
        assert missed == "0" and len(runs) == 5, (name, runs)
    assert int(services["network"][1].split("+")[0]) >= 1200000, services["network"]

    later = sum(errors[3:]) / len(errors[3:])
    print(f"first boot {errors[0] * 100:.1f} %, after the third {later * 100:.1f} %")
    assert later < errors[0] / 2, errors


main()
