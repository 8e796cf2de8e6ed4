#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""[Socket]: the first client starts the service, and no client is refused during a restart of the
service or of the manager."""

import listener
from deadline import wait_for
from sandbox import Sandbox

SOCKETS = "ListenStream=/run/deep/er/x.sock\nSocketMode=0620\nSocketGroup=tty\nDirectoryMode=0711\n"
POLICY = "[service x]\nActivation=on-demand\n[service idle]\nActivation=on-demand\n[service boot]\nActivation=boot\nRunlevels=2\n"

SERVICES = {
    "x": listener.service(socket_section=SOCKETS, more="Restart=on-failure"),
    "idle": listener.service("idle", socket_section="ListenStream=/run/idle.sock"),
    "boot": listener.service(socket_section="ListenStream=/run/boot.sock"),
}

with Sandbox(SERVICES, policy=POLICY, files={**listener.FILES, "/etc/group": "root:x:0:\ntty:x:5:\n", "/etc/passwd": "root:x:0:0::/root:/bin/sh\n"}) as box:
    box.wait_state("boot", "ready")
    path = box.path("/run/deep/er/x.sock")

    def ask(of="/run/deep/er/x.sock"):
        return listener.ask(box.path(of))

    def is_refused():
        try:
            ask()
        except ConnectionRefusedError:
            return True
        except ConnectionResetError:
            pass  # its connection was already in the backlog
        return False

    # The service is idle, but its socket is open, with the requested mode and owner.
    assert box.state("x") == "idle"
    seen = box.run("stat -c %F:%a:%U:%G /run/deep/er/x.sock /run/deep/er").stdout.split("\n")
    assert seen[:2] == ["socket:620:root:tty", "directory:711:root:root"], seen
    assert "a connection starts it" in box.svcctl("explain", "x", check=False).stdout
    status = box.svcctl("status", "x", check=False).stdout
    assert "/run/deep/er/x.sock" in status, status

    answer = ask()
    assert answer["pid"] == box.pid("x") and answer["names"] == ["x.socket"], answer
    row = box.svcctl_json("status", "x")[0]
    assert row["want_reason"] == "requested by a connection", row
    assert any(cause["text"] == "connection on /run/deep/er/x.sock" for cause in row["causes"]), row["causes"]

    # A service that exits when idle is started again by the next client.
    first = ask("/run/idle.sock")
    box.wait_state("idle", "idle")
    second = ask("/run/idle.sock")
    assert first["pid"] != second["pid"]

    # A client that comes during a restart, a crash, or the death of the manager is served
    # afterwards.
    for disturb in (lambda: box.svcctl("restart", "x"), lambda: box.kill(box.pid("x")), lambda: box.kill_manager(wait=False),
                    lambda: box.svcctl("reexec")):
        disturb()
        assert ask(), "no service answered"
        assert ask("/run/boot.sock")
    box.wait_up()

    # This also applies to an idle service while there is no manager.
    box.wait_state("idle", "idle")
    box.kill_manager(wait=False)
    assert ask("/run/idle.sock")
    box.wait_up()
    box.wait_state("idle", "idle")
    assert box.state("x") == "ready" and box.state("boot") == "ready"

    # A restart of a service that was started at boot does not lose a client either.
    before = box.pid("boot")
    box.svcctl("restart", "boot")
    assert ask("/run/boot.sock")["pid"] != before

    # An admin's stop closes the socket, and a start opens it.
    box.svcctl("stop", "x")
    box.wait_state("x", "idle")
    wait_for(is_refused, what="a stopped service does not listen")
    box.svcctl("start", "x")
    assert ask()

    # The policy "never" forbids the socket, and a policy change takes effect at once.
    box.write("/etc/svcd/policy.d/zz.policy", "[service idle]\nActivation=never\n")
    box.svcctl("reload-files")
    wait_for(lambda: box.svcctl_json("status", "idle", check=False)["data"][0]["listens"][0]["open"] is False,
             what="its socket is closed")
