#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""sshd and nginx with a broken configuration are not restarted, reloaded or stopped, except with
--force and at shutdown."""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

POLICY = "[runlevel 2]\nActivate=nginx ssh slow front\n[service ssh]\nIgnore=network:up\n"

SLOW = """[Service]
Exec=/bin/sleep infinity
CheckCommand=/bin/sh -c 'echo x >>/run/checks; until [ -e /run/go ]; do sleep 0.02; done; cat /run/go; [ ! -s /run/go ]'
"""

FRONT = "[Service]\nType=group\n[Conditions]\nWants=nginx ssh\n"


def refused(box, *argv, code=8):
    result = box.svcctl(*argv, check=False)
    assert result.returncode == code, (argv, result)
    return result.stderr


def n_clients(box):
    return int(box.run("grep", "-c", "/run/svcd/private", "/proc/net/unix").stdout)


with Sandbox({"slow": SLOW, "front": FRONT}, root="debian", vendor=True, policy=POLICY) as box:
    box.wait_states({"nginx": "ready", "ssh": "ready", "slow": "ready"})
    pids = {name: box.pid(name) for name in ("nginx", "ssh")}

    good = {path: box.read(path) for path in ("/etc/nginx/nginx.conf", "/etc/ssh/sshd_config")}
    box.write("/etc/nginx/nginx.conf", good["/etc/nginx/nginx.conf"] + "no_such_directive on;\n")
    box.write("/etc/ssh/sshd_config", good["/etc/ssh/sshd_config"] + "NoSuchOption yes\n")

    for verb in ("restart", "reload", "stop"):
        told = refused(box, verb, "ssh")
        assert "its CheckCommand= failed, so it keeps running unchanged: exit status 255: " in told, told
        assert "1 bad configuration option" in told and f"svcctl {verb} ssh --force" in told, told
    told = refused(box, "restart", "nginx")
    assert "exit status 1: nginx: configuration file /etc/nginx/nginx.conf test failed" in told, told
    told = refused(box, "restart", "front")
    assert "its CheckCommand= failed, so it keeps running unchanged: exit status" in told, told
    assert {name: box.pid(name) for name in pids} == pids
    assert "refused: restart by uid 0" in box.service("nginx")["cause"], box.service("nginx")
    wait_for(lambda: 'unknown directive "no_such_directive"' in box.svcctl("log", "nginx").stdout, what="all of it is in the log")

    # The same with the commands of sysvinit.
    assert box.run("service", "nginx", "restart", check=False).returncode != 0
    assert box.pid("nginx") == pids["nginx"]

    # The old instance continues until the configuration is valid; then it is restarted.
    box.write("/etc/nginx/nginx.conf", good["/etc/nginx/nginx.conf"])
    box.svcctl("reload", "nginx")
    assert box.pid("nginx") == pids["nginx"]
    box.svcctl("restart", "nginx")
    assert box.pid("nginx") not in (0, pids["nginx"])
    now = box.pid("nginx")
    refused(box, "restart", "front")  # sshd's configuration is still broken: no member is restarted
    assert {name: box.pid(name) for name in pids} == {"nginx": now, "ssh": pids["ssh"]}
    forced = box.svcctl("restart", "--force", "front", check=False)
    assert forced.returncode == 1 and "ssh did not start" in forced.stderr, forced # the result is that of the group
    wait_for(lambda: box.pid("nginx") not in (0, now), what="forced, nginx is restarted")

    # The admin can stop a service in spite of its broken configuration.
    box.svcctl("stop", "--force", "ssh")
    box.wait_state("ssh", "idle")

    # Other clients are served during a slow check. If the manager dies, the request ends without an
    # effect.
    slow = box.pid("slow")
    waiting = subprocess.Popen(box.command(["/usr/bin/svcctl", "restart", "slow"]), env=box.run_environment(), stderr=subprocess.DEVNULL)
    wait_for(lambda: box.exists("/run/checks"), what="the check runs")
    assert box.state("slow") == "ready"
    box.kill_manager()
    assert waiting.wait() != 0
    box.wait_at_rest()
    assert box.pid("slow") == slow

    # A request during a check waits for the next check.
    first = subprocess.Popen(box.command(["/usr/bin/svcctl", "restart", "slow"]), env=box.run_environment(), stderr=subprocess.DEVNULL)
    wait_for(lambda: box.read("/run/checks").count("x") == 2, what="another check runs")
    box.write("/run/go", "broken\n")
    assert first.wait() == 8
    box.write("/run/go", "")
    box.svcctl("restart", "slow")
    assert box.pid("slow") not in (0, slow)

    # A service that dies while many requests wait for its check does not need the check any more.
    # All requests get answers, although the run of the service is over by then.
    box.run("rm", "/run/go", "/run/checks")
    asked = min(n_clients(box) for _ in range(10))  # a client that has its answer is about to exit
    many = [subprocess.Popen(box.command(["/usr/bin/svcctl", "restart", "slow"]), env=box.run_environment(), stderr=subprocess.DEVNULL)
            for _ in range(5)]
    wait_for(lambda: box.exists("/run/checks"), what="the check runs")
    wait_for(lambda: n_clients(box) >= asked + len(many), what="all have come")
    box.svcctl("status", "slow")
    box.kill(box.pid("slow"))
    assert [waiting.wait(timeout=60) for waiting in many] == [0] * len(many)
    box.wait_state("slow", "ready")

    # A broken configuration does not prevent a shutdown.
    box.write("/run/go", "broken\n")
    box.shut_down("poweroff")
    box.wait_end()
