#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl reload waits for Reload= and returns its result: success, an exit status, a timeout, or
the end of the service."""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

# /run/how contains the commands of the reload.
DAEMON = "[Service]\nExec=/bin/sleep infinity\nStartTimeout=2s\nReload=/bin/sh -c '. /run/how'\n"
SERVICES = {
    "it": DAEMON,
    "signalled": "[Service]\nExec=/bin/sleep infinity\nReload=signal:WINCH\n",
    "all": "[Service]\nType=group\n[Conditions]\nWants=it\nWants=signalled\n",
}

with Sandbox(SERVICES, files={"/run/how": "true\n"}) as box:
    pid = box.wait_state("it", "ready")["pid"]
    box.wait_states({"signalled": "ready", "all": "ready"})

    box.write("/run/how", "sleep 0.5; echo over >>/run/over\n")
    done = box.svcctl("reload", "it")
    assert done.stdout.endswith("it reloaded\n"), done
    assert box.read("/run/over") == "over\n"
    assert box.svcctl("reload", "signalled").stdout.endswith("signalled reloaded\n")

    box.write("/run/how", "exit 7\n")
    for name in ("it", "all"):
        done = box.svcctl("reload", name, check=False)
        assert done.returncode == 1 and "its reload failed" in done.stderr and "exit status 7" in done.stderr, done
    failed = box.svcctl_json("reload", "it", check=False)
    assert failed["exit"] == 1 and "exit status 7" in failed["data"][0]["error"]["message"], failed

    box.write("/run/how", "sleep infinity\n")
    assert box.svcctl("reload", "it", "--no-wait").stdout == "it: ready\n"
    done = box.svcctl("reload", "it", check=False)
    assert done.returncode == 1 and "not finished after 2.0 s" in done.stderr, done
    done = box.svcctl("reload", "it", "-t", "1", check=False)
    assert done.returncode == 6 and "the reload goes on" in done.stderr, done
    assert box.wait_state("it", "ready")["pid"] == pid, "it continues unchanged"

    # A new manager knows that a reload runs. Because the files may have changed, another reload
    # follows.
    box.write("/run/how", "echo begun >>/run/begun; while ! [ -e /run/go ]; do sleep 0.02; done\n")
    box.svcctl("reload", "it", "--no-wait")
    wait_for(lambda: box.exists("/run/begun"), what="its reload has begun")
    box.svcctl("reload", "it", "--no-wait")
    box.svcctl("reexec")
    waiting = subprocess.Popen(box.command(["/usr/bin/svcctl", "reload", "it"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=box.run_environment())
    box.write("/run/how", "exit 8\n")
    box.write("/run/go", "")
    out, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 1 and "exit status 8" in err, (out, err)

    # The daemon exits during its reload.
    box.write("/etc/svcd/services.d/it.svc", DAEMON.replace("'. /run/how'", "'kill -9 $MAINPID; sleep 5'") + "Restart=no\n")
    box.svcctl("reload-files")
    done = box.svcctl("reload", "it", check=False)
    assert done.returncode == 1 and "it is" in done.stderr and "its reload" in done.stderr, done
