#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl enable, disable, set, override, revert, diff, presets and edit on a running machine:
changes are written, and are in force."""

import os
import select
import subprocess

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "keep": SLEEP,
    "web": SLEEP + "[Conditions]\nProvides=site\n",
    "needer": SLEEP + "[Conditions]\nWhile=service:base\n",
    "base": SLEEP,
    "loop-a": SLEEP + "[Conditions]\nWhen=service:loop-b\n",
    "loop-b": SLEEP,
    "rival": SLEEP + "[Conditions]\nConflicts=keep\n",
}
POLICY = """[runlevel 2]
Activate=keep needer
[runlevel 3]
Include=2
"""
OURS = "/etc/svcd/policy.d/90-svcctl.policy"


def check_enable_and_disable(box):
    pid = box.pid("keep")
    told = box.svcctl_json("enable", "web")
    assert told["written"] and told["starts"] == ["web"] and told["stops"] == [], told
    box.wait_state("web", "ready")

    said = box.svcctl("disable", "web").stdout
    assert "web: boot in runlevels 2 3 -> on-demand" in said and "Stops      web" in said, said
    box.wait_state("web", "idle")
    assert box.svcctl_json("disable", "web")["changed"] is False
    box.svcctl("set", "site", "never")
    assert box.svcctl_json("undo", "site")["services"][0]["name"] == "web", "by another name of it, too"
    assert box.svcctl_json("policy", "web")["activation"] == "on-demand"
    assert box.pid("keep") == pid

    box.svcctl("disable", "keep")
    said = box.svcctl("status", "keep", check=False).stdout
    assert f"on-demand ({OURS}:" in said, f"the origin is not the file that declares on-demand: {said}"
    box.svcctl("undo", "keep")
    box.wait_state("keep", "ready")


def check_file_that_others_may_write(box):
    """svcd ignores such a file, so a change in it would succeed without an effect."""
    box.svcctl("set", "web", "manual")
    before = box.read(OURS)
    for mode in ("0666", "0777"):
        box.run("chmod", mode, OURS)
        refused = box.svcctl("set", "web", "never", check=False)
        assert refused.returncode == 10 and "all users may write to it" in refused.stderr, refused
    box.run("chmod", "0644", OURS)
    box.run("chown", "1000", OURS)
    refused = box.svcctl("set", "web", "never", check=False)
    assert refused.returncode == 10 and "belongs to user 1000" in refused.stderr, refused
    box.run("chown", "0", OURS)
    assert box.read(OURS) == before


def check_what_still_starts_it(box):
    box.svcctl("enable", "base")
    told = box.svcctl_json("disable", "base")
    assert told["stops"] == [], told
    assert told["services"][0]["still_started_by"] == ["needer (While=service:base)"], told
    box.wait_state("base", "ready")

    box.svcctl("set", "base", "never", "--reason", "no such thing here")
    box.wait_state("base", "idle")
    box.wait_state("needer", "waiting", "idle")
    refused = box.svcctl("start", "base", check=False)
    assert refused.returncode == 8, refused
    assert "no such thing here" in box.svcctl("policy", "base").stdout
    box.svcctl("undo", "base")
    box.wait_state("needer", "ready")


def check_dry_run_writes_nothing(box):
    before = box.read(OURS) if box.exists(OURS) else None
    said = box.svcctl("set", "keep", "manual", "--dry-run").stdout
    assert "Stops      keep" in said and "nothing was written" in said, said
    assert (box.read(OURS) if box.exists(OURS) else None) == before
    assert box.state("keep") == "ready"


def check_mistakes_are_refused(box):
    before = box.read(OURS) if box.exists(OURS) else None
    missing = box.svcctl("enable", "webs", check=False)
    assert missing.returncode == 4 and "did you mean: web" in missing.stderr, missing
    loop = box.svcctl("edit", "loop-b", "When=service:loop-a", check=False)
    assert loop.returncode == 10 and "loop-a" in loop.stderr, loop
    unknown = box.svcctl("edit", "web", "When=service:nobody", check=False)
    assert unknown.returncode == 10 and "nobody" in unknown.stderr, unknown
    together = box.svcctl("enable", "rival", check=False)
    assert together.returncode == 10 and "keep" in together.stderr, together
    assert box.svcctl("set", "web", "sometimes", check=False).returncode == 2
    assert box.svcctl("set", "web", "boot", "--runlevel", "9", check=False).returncode == 2
    assert (box.read(OURS) if box.exists(OURS) else None) == before
    assert not box.exists("/etc/svcd/services.d/loop-b.svc.d")


def check_what_is_not_installed_yet(box):
    said = box.svcctl("set", "later", "never", "--reason", "not here").stdout
    assert "later: on-demand -> never" in said and "There is no service file yet" in said, said
    shown = box.svcctl("policy", "later").stdout
    assert "no file describes a service named later yet" in shown and "not here" in shown, shown
    assert box.svcctl("policy", "nobody", check=False).returncode == 4
    blind = box.run("env -u EDITOR -u VISUAL svcctl edit dbus", check=False)
    assert blind.returncode == 2 and "needs a terminal" in blind.stderr, blind
    box.write("/etc/svcd/services.d/later.svc", SLEEP)
    box.svcctl("reload-files")
    refused = box.svcctl("start", "later", check=False)
    assert refused.returncode == 8 and "its policy is never" in refused.stderr, refused
    box.remove("/etc/svcd/services.d/later.svc")
    box.svcctl("reload-files")

    # A service can be wanted before it is installed. A misspelt name gets a hint.
    box.svcctl("set", "later", "boot", "--runlevel", "2")
    box.write("/etc/svcd/services.d/later.svc", SLEEP)
    box.svcctl("reload-files")
    box.wait_state("later", "ready")
    box.remove("/etc/svcd/services.d/later.svc")
    box.svcctl("undo", "later")
    assert "Did you mean: web" in box.svcctl("set", "webb", "never", "--dry-run").stdout
    assert box.svcctl("set", "no/name", "never", check=False).returncode == 2
    assert box.svcctl("enable", "later", check=False).returncode == 4


def check_override(box):
    pid = box.pid("keep")
    box.svcctl("edit", "keep", "Description=kept for ever")
    assert "kept for ever" in box.svcctl("status", "keep").stdout
    assert box.pid("keep") == pid
    rows = box.svcctl_json("cat", "--diff", "keep")
    assert [(row["key"], row["value"]) for row in rows if row["key"] == "Description"] == [("Description", "kept for ever")]
    box.svcctl("undo", "keep")
    assert "kept for ever" not in box.svcctl("status", "keep", check=False).stdout


def check_runlevels(box):
    box.svcctl("set", "web", "boot", "--runlevel", "3")
    assert box.state("web") == "idle"
    told = box.svcctl_json("runlevel", "3", "--dry-run")
    assert told["starts"] == ["web"] and told["stops"] == [], told
    assert box.svcctl("runlevel").stdout.strip() == "N 2"
    box.svcctl("runlevel", "3")
    box.wait_state("web", "ready")
    box.svcctl("runlevel", "2")
    box.wait_state("web", "idle")


def check_until_reboot(box):
    box.svcctl("set", "web", "boot", "--runlevel", "2", "--until-reboot")
    box.wait_state("web", "ready")
    assert box.exists("/run/svcd/policy.d/90-svcctl.policy")
    machine = {row["name"]: row for row in box.svcctl_json("policy")["services"]}
    assert machine["web"]["wanted"] and machine["keep"]["wanted"], machine
    box.svcctl("set", "keep", "never", "--until-reboot")
    told = box.svcctl_json("disable", "keep")
    assert told["written"], f"disable has left a service on that is off only until the reboot: {told}"
    box.svcctl("undo", "keep", "--until-reboot")
    assert box.svcctl_json("policy", "keep")["activation"] == "on-demand"
    box.svcctl("undo")
    box.wait_state("keep", "ready")
    box.svcctl("set", "web", "never", "--until-reboot")
    box.wait_state("web", "idle")
    said = box.svcctl("enable", "web").stdout
    assert "/run/svcd/policy.d/90-svcctl.policy" in said and "has no effect yet" in said, said
    assert box.state("web") == "idle"
    box.svcctl("undo", "web", "--until-reboot")
    box.wait_state("web", "idle")


def check_edit(box):
    box.write("/tmp/good", "#!/bin/sh\necho '[Service]\nDescription=edited' > \"$1\"\n", 0o755)
    box.write("/tmp/bad", "#!/bin/sh\necho '[Service]\nDescripton=edited' > \"$1\"\n", 0o755)
    bad = box.run("EDITOR=/tmp/bad svcctl edit web", check=False)
    assert bad.returncode == 10 and "Descripton" in bad.stderr, bad
    box.run("EDITOR=/tmp/good svcctl edit web")
    assert "edited" in box.svcctl("cat", "web").stdout
    box.svcctl("undo", "web")
    # Another admin changes the same file while the editor runs.
    box.write("/tmp/slow", "#!/bin/sh\nsvcctl edit web Nice=5\nexec /tmp/good \"$1\"\n", 0o755)
    late = box.run("EDITOR=/tmp/slow svcctl edit web", check=False)
    assert late.returncode != 0 and "has been changed since the editor was started" in late.stderr, late
    assert "Nice=5" in box.svcctl("cat", "web").stdout
    draft = late.stderr.split("your text is in ")[1].split()[0]
    assert "edited" in box.read(draft), late
    box.run("rm", "-r", draft.rsplit("/", 1)[0])
    box.svcctl("undo", "web")
    # ^C goes to the editor and to svcctl, which has a draft to remove.
    box.write("/tmp/interrupted", "#!/bin/sh\nkill -INT 0\nsleep 100\n", 0o755)
    interrupted = box.run("EDITOR=/tmp/interrupted setsid -w svcctl edit web", check=False)
    assert interrupted.returncode == 1 and "failed; nothing was written" in interrupted.stderr, interrupted


class Terminal:
    """svcctl on a terminal: its output, and a typing user."""

    def __init__(self, box, line):
        self.ours, theirs = os.openpty()
        self.said = b""
        self.process = subprocess.Popen(box.command(["/bin/sh", "-c", line]), stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=box.run_environment(), start_new_session=True)
        os.close(theirs)

    def _read(self, seconds):
        """Return False at the end."""
        assert select.select([self.ours], [], [], seconds)[0], self.said
        try:
            some = os.read(self.ours, 4096)
        except OSError: # EIO: no process has the other side open
            return False
        self.said += some
        return bool(some)

    def answer(self, question, answer):
        while question not in self.said:
            assert self._read(30), self.said
        self.said = self.said.partition(question)[2]
        os.write(self.ours, answer)

    def end(self):
        """Return (exit code, the output since the last answer)."""
        while self._read(30):
            pass
        os.close(self.ours)
        return self.process.wait(30), self.said.decode()


def check_edit_asks(box):
    """The saved text is wrong: svcctl asks, and the editor gets the same text again."""
    # The editor writes a mistake, and corrects it the second time.
    box.write("/tmp/twice", "#!/bin/sh\nif grep -q Descripton \"$1\"; then sed -i s/Descripton/Description/ \"$1\"\n"
              "else echo '[Service]\nDescripton=edited twice' > \"$1\"; fi\n", 0o755)
    drop_in = "/etc/svcd/services.d/web.svc.d/90-svcctl.conf"
    question = b"Edit once more? [Y/n] "

    for no in (b"n\n", b"No\n", b"\x04"): # the last answer is the end of input
        terminal = Terminal(box, "EDITOR=/tmp/bad svcctl edit web")
        terminal.answer(b"did you mean Description", b"")
        terminal.answer(question, no)
        code, said = terminal.end()
        assert code == 10 and question.decode() not in said, (no, code, said)
        assert not box.exists(drop_in), no

    for yes in (b"\n", b"y\n"):
        terminal = Terminal(box, "EDITOR=/tmp/twice svcctl edit web")
        terminal.answer(question, yes)
        code, said = terminal.end()
        assert code == 0 and question.decode() not in said, (yes, code, said)
        assert box.read(drop_in) == "[Service]\nDescription=edited twice\n"
        box.svcctl("undo", "web")

    # svcctl asks after each mistake.
    terminal = Terminal(box, "EDITOR=/tmp/bad svcctl edit web")
    terminal.answer(question, b"\n")
    terminal.answer(question, b"n\n")
    assert terminal.end()[0] == 10

    # ^C means no.
    terminal = Terminal(box, "EDITOR=/tmp/bad setsid -cw svcctl edit web")
    terminal.answer(question, b"\x03")
    assert terminal.end()[0] == 10

    # No question without a terminal, or with JSON.
    piped = box.run("/bin/sh", "-c", "EDITOR=/tmp/bad svcctl edit web", check=False, stdin="y\ny\n")
    assert piped.returncode == 10 and question.decode() not in piped.stderr, piped
    terminal = Terminal(box, "EDITOR=/tmp/bad svcctl edit web --json")
    code, said = terminal.end()
    assert code == 10 and question.decode() not in said, (code, said)
    assert not box.exists(drop_in)
    assert not [name for name in box.run("ls", "/tmp").stdout.split() if name.startswith("svcctl-")]


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"keep": "ready", "needer": "ready", "base": "ready", "web": "idle"})
    check_enable_and_disable(box)
    check_what_still_starts_it(box)
    check_dry_run_writes_nothing(box)
    check_mistakes_are_refused(box)
    check_what_is_not_installed_yet(box)
    check_override(box)
    check_runlevels(box)
    check_until_reboot(box)
    check_edit(box)
    check_edit_asks(box)
    check_file_that_others_may_write(box)
