#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A trial boot passes when ssh, the login screen or a console login is there. Otherwise the watcher
records the reason and reboots, even if process 1 hangs. The check of a file system stops its clock.

The limit is shortened to seconds. In a container the watcher does not use SysRq.
"""

import contextlib
import os
import signal
import tempfile

from deadline import holds_for, wait_for
from sandbox import Sandbox, cache_directory

RESULT = "/var/lib/svcd/trial"
PAUSE_S = 6
SLEEP = {"copy": "/bin/sleep", "mode": 0o755}
DAEMON = "[Service]\nExec={} infinity\n"
GETTY = DAEMON.format("/usr/local/sbin/agetty")
SSHD = """#!/usr/bin/python3
import socket, sys
if "-T" in sys.argv:
    sys.exit(print("port 2222\\nlistenaddress [::]:2222"))
listener = socket.create_server(("::", 2222), family=socket.AF_INET6)
while True:
    listener.accept()[0].sendall(b"SSH-2.0-none\\r\\n")
"""
SSH_ENABLED = {"/usr/sbin/sshd": {"text": SSHD, "mode": 0o755},
               "/etc/systemd/system/multi-user.target.wants/ssh.service": {"link": "/lib/systemd/system/ssh.service"}}
SCREEN_ENABLED = {"/usr/sbin/lightdm": SLEEP, "/etc/X11/default-display-manager": "/usr/sbin/lightdm\n",
                  "/etc/systemd/system/display-manager.service": {"link": "/etc/passwd"}}


@contextlib.contextmanager
def trial(services, files=(), seconds=300, **options):
    """A trial boot; its disk outlives the sandbox."""
    with tempfile.TemporaryDirectory(dir=cache_directory()) as disk:
        with Sandbox(services, init=("/usr/lib/svcd/svc-trial-init",), disk=disk, network=True,
                     files={"/usr/local/sbin/agetty": SLEEP, **dict(files)},
                     environment={"TERM": "linux", "SVCD_TRIAL_SECONDS": str(seconds)}, **options) as box:
            box.result = f"{disk}/root-upper{RESULT}"
            yield box


def wait_result(box):
    wait_for(lambda: os.path.exists(box.result), 120, "the trial has a result")
    with open(box.result, encoding="utf-8") as file:
        return file.read()


def watchers(box):
    return [row for row in box.processes().values() if row[2] == "svc-trial-init" and row[3] != "Z"]


with trial({"getty": GETTY}) as machine:
    assert wait_result(machine).startswith("passed\n")
    assert "the trial has passed" in machine.svcctl("try", "--report").stdout
    wait_for(lambda: not watchers(machine), what="the watcher has ended")
    assert machine.state("getty") == "ready"

WAYS = {"lightdm": DAEMON.format("/usr/sbin/lightdm"), "ssh": "[Service]\nExec=/usr/sbin/sshd\n"}
with trial(WAYS, {**SSH_ENABLED, **SCREEN_ENABLED}) as machine:
    machine.wait_states({"lightdm": "ready", "ssh": "ready"})
    assert not os.path.exists(machine.result), "it passed without a greeter"
    machine.write("/run/systemd/sessions/c1", "CLASS=greeter\n")
    assert wait_result(machine).startswith("passed\n")

with trial({**WAYS, "getty": GETTY}, SCREEN_ENABLED, 5) as machine:
    machine.wait_end(120)
    text = wait_result(machine)
    assert text.startswith("failed\n") and "the login screen (lightdm) is not shown" in text and "ssh" not in text, text
    assert "the trial of svcd has failed" in machine.console()

with trial({"lightdm": WAYS["lightdm"]}, SSH_ENABLED, 5) as machine:
    machine.wait_end(120)
    text = wait_result(machine)
    assert "ssh does not answer at [::]:2222" in text and 'there is no service "ssh"' in text, text

with trial({"getty": GETTY + "[Conditions]\nWhen=flag:go\n"}, seconds=20) as machine:
    machine.wait_state("getty", "waiting")
    os.kill(machine.pid1, signal.SIGSTOP)
    assert "no console has a login" in wait_result(machine)
    machine.wait_console("the trial of svcd has failed")
    os.kill(machine.pid1, signal.SIGCONT)
    machine.wait_end(120)

with trial({"check": DAEMON.format("/usr/local/sbin/fsck.fake")}, {"/usr/local/sbin/fsck.fake": SLEEP}, PAUSE_S // 2) as machine:
    machine.wait_state("check", "ready")
    holds_for(lambda: not os.path.exists(machine.result), PAUSE_S)
    machine.svcctl("stop", "check")
    assert "no console has a login" in wait_result(machine)
