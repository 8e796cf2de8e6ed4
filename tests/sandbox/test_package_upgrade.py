#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Installing, upgrading and removing packages does not change policy.

The test uses real dpkg, its own package in three versions, and two of Debian's, which are packed
again from their installed files. Under the Debian-habits policy an installed daemon runs.
"""

from deadline import holds_for
from sandbox import Sandbox

HABITS = "/usr/lib/svcd/policy-examples/60-debian-habits.policy"

# Maintainer scripts do not touch daemons here; test_packages.py covers Debian's own commands in
# them.
FILES = {
    "/usr/sbin/policy-rc.d": {"text": "#!/bin/sh\nexit 101\n", "mode": 0o755},
    "/etc/svcd/policy.d/local.policy": {"text": "[runlevel 2]\nActivate=ticker\n\n[service fixed]\nActivation=never\n"
                                                "Reason=not on this machine\n"},
}

# As a future dh_installsvcd might do: the files are read again, and a service is stopped before its
# removal.
SCRIPTS = {
    "postinst": "#!/bin/sh\nset -e\nsvcctl reload-files\n",
    "prerm": "#!/bin/sh\nset -e\n[ \"$1\" != remove ] || svcctl stop ticker\n",
    "postrm": "#!/bin/sh\nset -e\n[ \"$1\" = upgrade ] || svcctl reload-files\n",
}


def daemon(argument, more=""):
    return f"[Service]\nDescription=It ticks, {argument}\nExec=/usr/bin/ticker {argument}\n{more}"


def version(number):
    """The content of the package. Each version changes the service file; the second brings two more
    daemons."""
    files = {
        "/usr/bin/ticker": "#!/bin/sh\nexec sleep infinity\n",
        "/etc/ticker.conf": f"level = {number}\n",
        "/usr/lib/svcd/services.d/ticker.svc": daemon(f"v{number}", f"Restart=on-failure\nStopTimeout={number}s\n"),
    }
    if number >= 2:
        files["/usr/lib/svcd/services.d/ticker-exporter.svc"] = daemon("export", "[Conditions]\nWhen=service:ticker\n")
        files["/usr/lib/svcd/services.d/fixed.svc"] = daemon("fixed", "Restart=always\n")
    return files


def build(box, number):
    """Build the .deb of that version inside the sandbox; returns its path."""
    tree = f"/root/ticker-{number}"
    for path, text in version(number).items():
        box.write(tree + path, text, 0o755 if "/bin/" in path else 0o644)
    for name, text in SCRIPTS.items():
        box.write(f"{tree}/DEBIAN/{name}", text, 0o755)
    box.write(f"{tree}/DEBIAN/conffiles", "/etc/ticker.conf\n")
    box.write(f"{tree}/DEBIAN/control", f"Package: ticker\nVersion: {number}\nArchitecture: all\n"
                                        "Maintainer: nobody <root@localhost>\nDescription: it ticks\n")
    box.run(f"dpkg-deb --build -Znone --root-owner-group {tree} {tree}.deb")
    return f"{tree}.deb"


def repack(box, name, newer):
    """A .deb of an installed Debian package with its maintainer scripts, and with a higher version
    for an upgrade."""
    tree = f"/root/{name}"
    fields = "".join(f"{field}: ${{{field}}}\\n" for field in ("Package", "Architecture", "Maintainer", "Pre-Depends", "Depends"))
    box.run(f"""
        mkdir -p {tree}/DEBIAN
        dpkg-query -W -f='{fields}Version: ${{Version}}{newer}\\nDescription: ${{binary:Summary}}\\n' {name} |
            grep -v ': $' >{tree}/DEBIAN/control
        for file in conffiles preinst postinst prerm postrm; do
            [ ! -e /var/lib/dpkg/info/{name}.$file ] || cp -p /var/lib/dpkg/info/{name}.$file {tree}/DEBIAN/$file
        done
        dpkg-query -L {name} | while read -r file; do
            if [ -L "$file" ] || [ -f "$file" ]; then cp -a --parents "$file" {tree}; fi
        done
        dpkg-deb --build -Znone {tree} {tree}.deb""")
    return f"{tree}.deb"


def dpkg(box, *argv):
    box.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-confold", *argv, timeout=120)


def wanted(box):
    """The wanted services, with the file and line of each reason."""
    return {name: (row["wanted"], row["policy"], row["policy_origin"]) for name, row in box.services().items()}


def pids(box):
    return {name: row["pid"] for name, row in box.services().items() if row.get("pid")}


def admins_files(box):
    """Names, inodes, times and contents."""
    return box.run("find /etc/svcd -printf '%p %i %T@ %s\\n' | sort; find /etc/svcd -type f | sort | xargs cat").stdout


def check_our_package(box):
    packages = {number: build(box, number) for number in (1, 2, 3)}
    files, others, before = admins_files(box), pids(box), wanted(box)

    # A service that the admin's policy names starts when it is installed. Others do not.
    dpkg(box, "--install", packages[1])
    box.wait_state("ticker", "ready")
    first = box.pid("ticker")
    assert "Exec=/usr/bin/ticker v1" in box.svcctl("cat", "ticker").stdout
    running = dict(others, ticker=first)
    assert {name: row for name, row in wanted(box).items() if name != "ticker"} == before
    box.svcctl("set", "ticker", "boot", "--reason", "the clock in the hall")
    box.svcctl("edit", "ticker", "Nice=5")
    before, files = wanted(box), admins_files(box)
    box.write("/etc/ticker.conf", "level = mine\n")

    dpkg(box, "--install", packages[2])
    box.wait_at_rest()
    assert "Exec=/usr/bin/ticker v2" in box.svcctl("cat", "ticker").stdout, "the new service file was not read"
    now = wanted(box)
    added = {name: now.pop(name) for name in ("ticker-exporter", "fixed")}
    assert now == before, (now, before)
    assert added["ticker-exporter"][:2] == (False, "on-demand"), added
    assert added["fixed"][:2] == (False, "never") and "local.policy" in added["fixed"][2], added
    assert pids(box) == running, "an upgrade has started, stopped or restarted something"
    assert admins_files(box) == files and box.read("/etc/ticker.conf") == "level = mine\n"

    # The changed definition applies at the next start.
    box.svcctl("restart", "ticker")
    assert box.run("cut", "-d", " ", "-f", "19", f"/proc/{box.pid('ticker')}/stat").stdout == "5\n", "the override is gone"
    running["ticker"] = box.pid("ticker")
    assert running["ticker"] != first

    # Another upgrade while the manager is killed: it reads the new files, and wants the same
    # services.
    before = wanted(box)
    dpkg(box, "--unpack", packages[3])
    box.kill_manager()
    dpkg(box, "--configure", "ticker")
    box.wait_at_rest()
    assert wanted(box) == before and pids(box) == running and admins_files(box) == files
    assert "Exec=/usr/bin/ticker v3" in box.svcctl("cat", "ticker").stdout

    dpkg(box, "--remove", "ticker")
    box.wait_at_rest()
    assert pids(box) == others and admins_files(box) == files
    dpkg(box, "--install", packages[1])
    box.wait_state("ticker", "ready")
    assert admins_files(box) == files, "policy outlives the package"


def check_debians_package(box):
    """cron, with its init script, its rc links and its maintainer scripts."""
    files, before, running = admins_files(box), wanted(box), pids(box)
    assert "cron" in running
    deb = repack(box, "cron", "+svcd1")
    box.run("rm -f /etc/rc?.d/S*cron")

    dpkg(box, "--install", deb)

    assert box.run("dpkg-query -W -f='${Version}' cron").stdout.endswith("+svcd1")
    assert box.run("ls /etc/rc2.d").stdout.count("cron") == 1, "its postinst did not run update-rc.d"
    box.svcctl("reload-files")
    box.wait_at_rest()
    assert (wanted(box), pids(box), admins_files(box)) == (before, running, files)


def check_new_daemon(policy, is_started):
    """Install nginx on a machine without it: the test first removes it."""
    with Sandbox(root="debian", vendor=True, files=FILES, policy=policy, mounts=("sys",)) as box:
        box.wait_up()
        box.wait_at_rest()
        deb = repack(box, "nginx", "")
        box.svcctl("stop", "nginx", check=False)
        dpkg(box, "--purge", "--force-depends", "nginx")
        # A stop by hand would stay in force; reset it, as if nginx had never been there:
        box.svcctl("clear", "nginx", check=False)
        assert not box.pid("nginx")

        dpkg(box, "--install", deb)
        box.svcctl("reload-files")

        if is_started:
            box.wait_state("nginx", "ready")
        else:
            box.wait_at_rest()
            holds_for(lambda: box.state("nginx") == "idle", 0.5, "no policy wants nginx")
            box.svcctl("start", "nginx")
            assert box.pid("nginx")

        # A new daemon follows policy; a forbidden one stays forbidden.
        dpkg(box, "--install", build(box, 2))
        box.wait_state("ticker", "ready")
        box.wait_at_rest()
        assert box.state("ticker-exporter") == ("ready" if is_started else "idle"), box.service("ticker-exporter")
        assert box.state("fixed") == "idle"


with Sandbox(root="debian", vendor=True, files=FILES, mounts=("sys",)) as machine:
    machine.wait_state("cron", "ready")
    machine.wait_up()
    machine.wait_at_rest()
    check_our_package(machine)
    check_debians_package(machine)
    with open(machine.path(HABITS), encoding="utf-8") as file:
        habits = file.read()

check_new_daemon(None, False)
check_new_daemon(habits, True)
