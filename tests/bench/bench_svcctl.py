#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl list and the completion of a name with 500 services: CPU time of svcctl and of the manager
per call."""

import json
import statistics

from sandbox import Sandbox

N_SERVICES = 500
ROUNDS = 20
CALLS = {
    "version": ["--version"],
    "list": ["list", "--all"],
    "list_json": ["list", "--all", "--json"],
    "complete_services": ["complete", "--shell", "bash", "--", "start", ""],
    "complete_one": ["complete", "--shell", "bash", "--", "start", "service-49"],
    "complete_verbs": ["complete", "--shell", "bash", "--", "st"],
}

# Runs inside the sandbox. Each call is a child process, and the kernel records the CPU time of
# children.
PROBE = """
import json, os, resource, subprocess, sys, time
calls, rounds, manager = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
tick = os.sysconf("SC_CLK_TCK")
def cpu_of(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e6
def own():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1000
result = {}
for name, words in calls.items():
    svcctl, server, wall = [], [], []
    for _round in range(rounds):
        before, before_server, begun = own(), cpu_of(manager), time.monotonic()
        subprocess.run(["/usr/bin/svcctl", *words], check=True, stdout=subprocess.DEVNULL)
        wall.append((time.monotonic() - begun) * 1000)
        svcctl.append(own() - before)
        server.append(cpu_of(manager) - before_server)
    result[name] = {"svcctl": svcctl, "manager": server, "wall": wall}
print(json.dumps(result))
"""


def spread(values):
    return {"first": round(values[0], 1), "min": round(min(values), 1), "median": round(statistics.median(values), 1),
            "max": round(max(values), 1)}


services = {f"service-{number}": f"[Service]\nDescription=The service number {number}\nExec=/bin/sleep infinity\n"
            for number in range(N_SERVICES)}
with Sandbox(services, policy="[runlevel 2]\nActivate=service-1 service-2\n") as box:
    box.wait_at_rest()
    manager = str(box.overview()["manager_pid"])
    measured = json.loads(box.run("/usr/bin/python3", "-c", PROBE, json.dumps(CALLS), str(ROUNDS), manager).stdout)

print(json.dumps({
    "bench": "svcctl", "services": N_SERVICES, "rounds": ROUNDS,
    "cpu_ms": {name: {"svcctl": spread(times["svcctl"]), "manager": spread(times["manager"]),
                      "wall": spread(times["wall"])} for name, times in measured.items()},
}))
