#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The machine always boots: the kernel command line overrides each file, and can exclude the admin's
policy.

A broken policy file is ignored with messages, and all other files are used.
"""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "base": SLEEP,
    "web": SLEEP + "[Conditions]\nWhile=service:store\n",
    "store": SLEEP,
    "rescue-shell": SLEEP,
}

# The vendor wants base and web; the admin wants rescue-shell instead of web.
VENDOR = {"/usr/lib/svcd/policy.d/50-vendor.policy": "[runlevel 1]\nActivate=rescue-shell\n[runlevel 2]\nActivate=base web\n"
                                                     "[defaults]\nRunlevel=2\n"}
ADMIN = "[runlevel 2]\nActivate=-web rescue-shell\n[service store]\nActivation=never\n"

BROKEN = {
    "a key of a service": "[runlevel 2]\nActivate=rescue-shell\n[service web]\nExec=/bin/false\n",
    "no policy at all": "}{ this is not a policy\n[[[\n",
    "nothing but zeros": {"bytes": "\0" * 4096},
    "not UTF-8": {"bytes": "[runlevel 2]\nActivate=\xff\xfe\n"},
    "a circle": "[runlevel 2]\nInclude=3\n[runlevel 3]\nInclude=2\n",
    "somebody else's": {"text": "[service base]\nActivation=never\n", "uid": 1000},
    "cut off in the middle": "[runlevel 2]\nActivate=rescue-shell\n[service base]\nActivation=nev",
}


def box_of(policy, cmdline="", extra=None):
    return Sandbox(SERVICES, policy=policy, files=dict(VENDOR, **(extra or {})), cmdline=cmdline)


def states(box):
    return {name: row["state"] for name, row in box.services().items()}


def check_files_decide():
    with box_of(ADMIN) as box:
        box.wait_states({"base": "ready", "rescue-shell": "ready", "web": "idle", "store": "idle"})


def check_runlevel():
    """svcd.runlevel=1 overrides a policy that boots into another runlevel."""
    with box_of("[defaults]\nRunlevel=2\n", "ro svcd.runlevel=1") as box:
        box.wait_states({"rescue-shell": "ready"})
        box.wait_at_rest()
        assert box.overview()["runlevel"] == "1" and states(box)["base"] == "idle"
    # An invalid value does not prevent the boot.
    with box_of(None, "svcd.runlevel=moon svcd.nevr=base svcd.never=nobody svcd.policy=mine") as box:
        box.wait_states({"base": "ready", "web": "ready"})
        for word in ("moon", "svcd.nevr", "nobody", "svcd.policy=mine"):
            assert word in box.console(), f"the console does not show {word}"


def check_never():
    """svcd.never= for two services, one of them needed by another: no need, admin or policy starts
    them."""
    with box_of("[service store]\nActivation=boot\n[runlevel 2]\nActivate=store\n",
                "svcd.never=store svcd.never=rescue-shell") as box:
        box.wait_states({"base": "ready"})
        box.wait_at_rest()
        assert states(box)["store"] == "idle" and states(box)["web"] == "waiting", states(box)
        for name in ("store", "rescue-shell"):
            done = box.svcctl("start", name, check=False)
            assert done.returncode == 8 and "kernel command line" in done.stdout + done.stderr, done
        assert "kernel command line" in box.svcctl("explain", "store").stdout
        assert not box.pid("store")
        box.kill_manager()
        assert box.svcctl("start", "store", check=False).returncode == 8


def check_vendor_only():
    """svcd.policy=vendor ignores /etc and /run, reports it, and can be combined with svcd.never=.
    """
    with box_of(ADMIN, "svcd.policy=vendor", {"/run/svcd/policy.d/x.policy": "[service base]\nActivation=never\n"}) as box:
        box.wait_states({"base": "ready", "web": "ready", "store": "ready"})
        box.wait_console("svcd.policy=vendor")
        assert states(box)["rescue-shell"] == "idle"
        box.svcctl("reload-files")
        box.kill_manager()
        box.wait_at_rest()
        assert states(box)["web"] == "ready" and states(box)["rescue-shell"] == "idle", "the parameter was forgotten"
    with box_of("}{ broken\n", "svcd.policy=vendor svcd.never=web") as box:
        box.wait_states({"base": "ready"})
        box.wait_at_rest()
        assert states(box)["web"] == "idle"


def check_broken_file(what, content):
    """The file is ignored as a whole; the vendor's policy and the other files decide, and the error
    is shown."""
    path = "/etc/svcd/policy.d/20-broken.policy"
    with box_of("[service web]\nReason=the other file counts\n", extra={path: content}) as box:
        box.wait_states({"base": "ready", "web": "ready", "store": "ready"})
        assert states(box)["rescue-shell"] == "idle", f"{what}: half of the file is used"
        box.wait_console(path)
        assert path in box.svcctl("explain", check=False).stdout, f"{what}: explain does not report it"
        assert box.svcctl("check", check=False).returncode == 10, what
        assert box.svcctl_json("list", "--all") and "the other file counts" in box.svcctl("status", "web").stdout

        # The corrected file is used without a reboot.
        box.remove(path)
        box.write(path, "[runlevel 2]\nActivate=rescue-shell\n")
        box.svcctl("reload-files")
        box.wait_state("rescue-shell", "ready")


check_files_decide()
check_runlevel()
check_never()
check_vendor_only()
for sort, text in BROKEN.items():
    check_broken_file(sort, text)
