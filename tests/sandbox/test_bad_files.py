#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each malformed file affects only itself: one error with its place and the remedy; all else boots.
"""

import time

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
DIRECTORY = "/etc/svcd/services.d"
LONG = "Environment=X=" + "y" * 8000 + "\n"

# Name, content, and parts of the expected error.
BAD = (
    ("unknown-section", "[Servise]\nExec=/bin/true\n", ["unknown-section.svc:1", "Service"]),
    ("unknown-key", SLEEP + "Restrat=always\n", ["unknown-key.svc:3", "Restart"]),
    ("duplicate-key", SLEEP + "Exec=/bin/true\n", ["duplicate-key.svc:3", "Exec"]),
    ("no-exec", "[Service]\nType=daemon\n", ["no-exec.svc", "Exec"]),
    ("bad-value", SLEEP + "Restart=sometimes\n", ["bad-value.svc:3", "always"]),
    ("bad-number", SLEEP + "Nice=77\n", ["bad-number.svc:3"]),
    ("nul", {"bytes": "[Service]\nExec=/bin/true\0x\n"}, ["nul.svc:2", "NUL"]),
    ("latin1", {"bytes": "[Service]\nDescription=caf\xe9\nExec=/bin/true\n"}, ["latin1.svc:2", "UTF-8"]),
    ("no-section", "Exec=/bin/true\n", ["no-section.svc:1"]),
    ("no-provider", SLEEP + "[Conditions]\nWhile=netwrok:up\n", ["no-provider.svc:4", "netwrok"]),
    ("no-service", SLEEP + "[Conditions]\nWhen=service:gooood\n", ["no-service.svc:4", "gooood"]),
    ("itself", SLEEP + "[Conditions]\nWhen=service:itself\n", ["itself"]),
    ("mebibyte", SLEEP + "Environment=X=" + "y" * (1 << 20) + "\n", ["mebibyte.svc"]),
    ("too-long-line", SLEEP + "Environment=X=" + "y" * 9000 + "\n", ["too-long-line.svc:3"]),
    ("fifo", {"fifo": True}, ["fifo.svc"]),
    ("directory", {"directory": True}, ["directory.svc"]),
    ("dangling", {"link": "/nowhere/at/all"}, ["dangling.svc"]),
    ("loop", {"link": "loop.svc"}, ["loop.svc"]),
    ("writable", {"text": SLEEP, "mode": 0o666}, ["writable.svc", "write"]),
    ("stranger", {"text": SLEEP, "mode": 0o644, "uid": 1000}, ["stranger.svc", "root"]),
    ("n" * 240, SLEEP, ["n" * 200]),
    ("has blank", SLEEP, ["has blank"]),
    ("new\nline", SLEEP, ["line"]),
    (".hidden", SLEEP, []),
)
BASE = [
    "[Service]", "Description=a service with lines to spoil", "Type=daemon", "Exec=/bin/sleep infinity", "Restart=always",
    "RestartDelay=5s", "StopTimeout=10s", "Nice=5", "Environment=A=b", "WorkingDirectory=/", "[Conditions]", "After=plain",
]


def spoil(number, line, damage):
    """A valid file with one damaged line: the error contains the line number."""
    lines = list(BASE)
    at = line % len(lines)
    lines[at] = damage(lines[at])
    name = f"spoilt-{number}"
    return name, {"bytes": "\n".join(lines) + "\n"}, [f"{name}.svc:{at + 1}:"]


# Each kind of damage is applied to each line, unless the line stays valid.
DAMAGES = (
    lambda line: line[:3] + "\0" + line[3:],
    lambda line: line[:3] + "\xff" + line[3:],
    lambda line: line + "\xc3",
    lambda line: "\x1b[2J" + line,
    lambda line: "=" + line,
    lambda line: line.replace("=", "", 1) if "=" in line else line[:-1],
    lambda line: "Un" + line if "=" in line else line.replace("[", "[Un"),
    lambda line: line.split("=")[0] + "=" + "z" * 8300 if "=" in line else line + "z" * 8300,
    lambda line: "[" + line,
    lambda line: "\xef\xbb\xbf" + line if line != BASE[0] else "\xef\xbb" + line,
    lambda line: "\xff\xfe" + "".join(letter + "\0" for letter in line),
    lambda line: "\0".join(["", *line]),
    lambda line: "%s%s%n",
    lambda line: "../../etc/passwd",
    lambda line: "\x7fELF\x02\x01\x01\0\0",
)
SPOILT = [spoil(index, index // len(DAMAGES), DAMAGES[index % len(DAMAGES)]) for index in range(len(DAMAGES) * len(BASE))]

# Odd, but valid.
GOOD = (
    ("plain", SLEEP),
    ("crlf", SLEEP.replace("\n", "\r\n")),
    ("bom", {"bytes": "\xef\xbb\xbf" + SLEEP}),
    ("long-line", SLEEP + LONG),
    ("comment", "# one\n[Service]\n# two\nExec=/bin/sh -c \"echo a ;echo b#c >/run/kept; exec sleep infinity\"\n"),
)
CYCLE = {
    "cycle-a": SLEEP + "[Conditions]\nWhen=service:cycle-b\n",
    "cycle-b": SLEEP + "[Conditions]\nWhen=service:cycle-c\n",
    "cycle-c": SLEEP + "[Conditions]\nWhen=service:cycle-a\n",
}

# Invalid drop-ins. The service itself is valid, and the error names the drop-in.
ODD_DROP_INS = {"directory": {"directory": True}, "fifo": {"fifo": True}, "loop": {"link": "loop.conf"},
                "utf16": {"bytes": "\xff\xfe[\0S\0e\0r\0v\0i\0c\0e\0]\0\n\0"}}

files = {f"{DIRECTORY}/{name}.svc": content for name, content, _words in [*BAD, *SPOILT]}
files.update({f"{DIRECTORY}/odd-{name}.svc": SLEEP for name in ODD_DROP_INS})
files.update({f"{DIRECTORY}/odd-{name}.svc.d/{name}.conf": content for name, content in ODD_DROP_INS.items()})
files.update({f"{DIRECTORY}/{name}.svc": content for name, content in GOOD})
files.update({f"{DIRECTORY}/{name}.svc": text for name, text in CYCLE.items()})
policy = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name, _content in GOOD)

with Sandbox(files=files, policy=policy) as box:
    box.wait_states({"plain": "ready", "long-line": "ready", "comment": "ready"})

    assert box.read("/run/kept") == "b#c\n", "a value was cut at a ; or a #"

    checked = box.svcctl("check", check=False)
    assert checked.returncode == 10, checked
    lines = (checked.stdout + checked.stderr).split("\n")
    for name in ODD_DROP_INS:
        assert [line for line in lines if f"{name}.conf" in line], f"no error of {name}.conf:\n" + "\n".join(lines)
    for name, _content, words in [*BAD, *SPOILT]:
        if words:
            found = [line for line in lines if all(word in line for word in words)]
            assert found, f"no error of {name!r} with {words}:\n" + "\n".join(lines)
    print(f"{len(BAD) + len(SPOILT) + len(ODD_DROP_INS)} malformed files")
    loading = time.monotonic()
    box.svcctl("reload-files", check=False)
    print(f"read again in {time.monotonic() - loading:.2f} s")
    cycle = [line for line in lines if all(name in line for name in CYCLE)]
    assert cycle, "the cycle is not named in full:\n" + "\n".join(lines)

    # CRLF and a BOM are either read or refused with an error; never half read.
    for name in ("crlf", "bom"):
        refused = [line for line in lines if f"{name}.svc" in line]
        assert refused or box.wait_state(name, "ready"), name
