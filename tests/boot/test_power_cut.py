#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 2400
"""
The power fails while an admin changes policy, again and again: each file on the disk has its text
from before or after one change.

No file has only a part of a text, and no acknowledged change is lost. A power failure may hit
between the two files of one change (revert). Then the history reports it, and undo restores both
files.

One machine changes policy all the time and logs each step. At random moments the machine is
stopped, its root disk is copied, and the machine continues. Each copy is the result of a power
failure at that moment. The copy contains all writes of the machine to the disk so far, in order,
flushed or not ("cache=unsafe" only omits the host's own flush, and QEMU finishes pending writes
before it stops). So this disk has no cache of its own. Data that lacks an fsync() is in the
machine's memory, and not on the copy. The test finds this as a lost acknowledged step, or a name
without its text. A missing barrier between disk and cache would be a fault of the file system, not
of svcctl.

$SVCD_TEST_SEED and $SVCD_TEST_ROUNDS mean the same as in test_random_kills. long_power_cut.py has
more rounds, and boots two of the copies.
"""

import os
import random
import re
import shutil
import subprocess
import time

import vm_image
from deadline import wait_for
from vm import BOOT_S, Machine

STAGE = os.environ["SVCD_STAGE"]
SVCCTL = f"{STAGE}/usr/bin/svcctl"
ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "20"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))
N_STEPS = 6000 # more than a machine can do in the time
N_BOOTS = ROUNDS // 50

SERVICES = [f"power-{number}" for number in range(6)]
LEVELS = ("boot", "on-demand", "manual", "never")

FSTAB = f"LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1\n"

# Only the services that a login needs, because emulated processors are slow.
POLICY = ("[runlevel S]\nActivate=test-shell\n"
          "[runlevel 2]\nActivate=-networking -network-manager -dbus -elogind -rsyslog -cron\n")

# Digests of the admin's files: one of policy, one of service files. The same line runs in the
# machine and on a copy.
DIGEST = ("echo $(sha256sum policy.d/*.policy | sha256sum | cut -c1-64) "
          "$(sha256sum services.d/*.svc services.d/*.svc.d/*.conf 2>/dev/null | sha256sum | cut -c1-64)")

DONE = re.compile(r"^@step (\d+) (\d+) ([0-9a-f]{64} [0-9a-f]{64})$", re.M)


def steps(chance):
    """Lines of sh: a different change in each."""
    for number in range(1, N_STEPS + 1):
        name = chance.choice(SERVICES)
        yield chance.choice([
            f"svcctl set {name} {chance.choice(LEVELS)} --reason 'step {number}'",
            f"svcctl set {name} boot --runlevel {chance.choice('2345')} --reason 'step {number}'",
            f"svcctl enable {name}",
            f"svcctl disable {name}",
            f"svcctl edit {name} Environment=STEP={number}",
            f"svcctl undo {name}",
        ])


def script(chance):
    lines = ["cd /etc/svcd", f"say() {{ echo \"@step $1 $2 $({DIGEST})\"; }}", "say 0 0"]
    lines += [f"{command} >/run/step.out 2>&1; say {number} $?" for number, command in enumerate(steps(chance), 1)]
    return "\n".join(lines) + "\n"


def prepare(disk, chance):
    """Put services for the changes on the disk. The machine needs no other disk."""
    vm_image.put_file(disk, "/etc/fstab", FSTAB)
    vm_image.put_file(disk, "/etc/svcd/policy.d/local.policy", POLICY)
    vm_image.put_file(disk, "/root/steps", script(chance))
    for name in SERVICES:
        vm_image.put_file(disk, f"/etc/svcd/services.d/{name}.svc", "[Service]\nExec=/bin/sleep infinity\n")


def acknowledged(vm):
    """step -> (exit status, digest), for all steps that the machine has reported."""
    return {int(number): (int(status), digest) for number, status, digest in DONE.findall(vm.shell.text())}


def flushes(vm):
    """The number of disk flushes of the machine: each fsync() of svcctl is at least one."""
    return sum(row["stats"]["flush_operations"] for row in vm.qmp("query-blockstats"))


def wait_a_moment(vm, chance):
    """A change takes some seconds on emulated processors, and makes a few fsync() calls. Most cuts
    should fall between these calls."""
    until = time.monotonic() + 20
    target = flushes(vm) + chance.randrange(1, 12)
    if chance.random() < 0.25:
        time.sleep(chance.random() * 0.4)
    else:
        while flushes(vm) < target and time.monotonic() < until:
            time.sleep(0.001)


def cut(vm, path):
    """Write the disk as a power failure would leave it now to @path; returns the last reported
    step."""
    vm.qmp("stop")
    vm_image.copy_disk(vm.disks[0], path)
    # Read after the copy, because QEMU has now passed on all output of the serial port.
    last = max(acknowledged(vm))
    vm.qmp("cont")
    return last


def extract(disk, tree):
    """The files of the admin and of svcd, after a replay of the journal."""
    done = subprocess.run(["e2fsck", "-fy", disk], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode in (0, 1), f"the file system is broken: {done.stdout}"
    shutil.rmtree(tree, ignore_errors=True)
    for path in ("/etc/svcd", "/usr/lib/svcd", "/var/lib/svcd"):
        parent = tree + os.path.dirname(path)
        os.makedirs(parent, exist_ok=True)
        subprocess.run(["debugfs", "-R", f"rdump {path} {parent}", disk], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def digest_of(tree):
    return subprocess.run(["sh", "-c", DIGEST], cwd=f"{tree}/etc/svcd", check=True, stdout=subprocess.PIPE, text=True,
                          env={"PATH": os.environ["PATH"]}).stdout.strip()


def below_root(tree, *argv):
    done = subprocess.run([SVCCTL, *argv, "--root", tree], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def check_copy(tree):
    """svcd accepts the files, there are no temporary ones, and the history is readable."""
    status, output = below_root(tree, "check")
    assert status == 0, f"svcctl check: {status}\n{output}"
    names = {name for name in os.listdir(f"{tree}/etc/svcd/policy.d") if name.endswith(".policy")}
    assert {name for name in names if not name.startswith(".")} <= {"local.policy", "90-svcctl.policy"}, names
    status, output = below_root(tree, "policy", "log")
    assert status == 0, f"svcctl policy log: {status}\n{output}"


def is_half(tree):
    return "only partly in effect" in below_root(tree, "policy", "log")[1]


def check_texts(told, last, digest, tree):
    """Both digests belong to one step: the last reported step, or a later unreported step. Returns
    that step."""
    # The next change may be complete, and the change after that begun.
    window = (last, last + 1, last + 2)
    if after := [step for step in window if told[step][1] == digest]:
        return after[0]
    for number, word in enumerate(digest.split()):
        assert word in [told[step][1].split()[number] for step in window], \
            f"{tree}, step {last}: {('policy', 'service files')[number]}: neither the text before the change nor that after it"
    assert is_half(tree), f"{tree}, step {last}: half of a change, and no trace of it"
    return last + 1


def check_undo(tree, told, step):
    """After the power failure the newest change can be undone, which restores the earlier
    content."""
    status, output = below_root(tree, "undo")
    assert status == 0, f"svcctl undo: {status}\n{output}"
    found = digest_of(tree)
    assert found in [told[number][1] for number in range(step)], f"after step {step} was undone: the files of no earlier step"


def check_boot(disk, digest):
    """A copy boots up to a login, with the files as they are."""
    with Machine([disk], *vm_image.boot_files()) as vm:
        vm.wait_console("svcd-vm login:")
        vm.wait_shell()
        assert vm.sh(f"cd /etc/svcd; {DIGEST}").strip() == digest, "the booted machine has other files"
        vm.sh("svcctl check && svcctl policy && svcctl policy log")
        assert not [name for name in vm.services() if name.startswith("power-") and
                    vm.services()[name]["problem"]], vm.sh("svcctl list --all")


def take_cuts(vm, directory, chance, to_boot):
    """Cut the power ROUNDS times. Returns [(last reported step, digest, tree)], and the copies to
    boot."""
    found, kept = [], {}
    for number in range(ROUNDS):
        wait_a_moment(vm, chance)
        copy = f"{directory}/copy"
        last = cut(vm, copy)
        if number in to_boot:
            vm_image.copy_disk(copy, f"{directory}/boot-{number}")
        tree = f"{directory}/tree-{number}"
        extract(copy, tree)
        check_copy(tree)
        found.append((last, digest_of(tree), tree))
        if number in to_boot:
            kept[f"{directory}/boot-{number}"] = digest_of(tree)
    return found, kept


def main():
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    with vm_image.work_directory() as directory:
        disk = f"{directory}/root"
        vm_image.copy_disk(vm_image.disk_image(STAGE), disk)
        prepare(disk, chance)
        to_boot = set(chance.sample(range(ROUNDS), N_BOOTS))
        with Machine([disk], *vm_image.boot_files()) as vm:
            vm.wait_console("svcd-vm login:")
            vm.wait_shell()
            vm.sh_detached("sh /root/steps &")
            wait_for(lambda: len(acknowledged(vm)) > 3, BOOT_S, "the machine changes policy")
            found, kept = take_cuts(vm, directory, chance, to_boot)
            # Wait until the pending changes are reported, too.
            wait_for(lambda: max(acknowledged(vm)) > found[-1][0] + 2, BOOT_S, "the last changes end")
            told = acknowledged(vm)

        bad = {number: row for number, row in told.items() if row[0] not in (0, 5)}
        assert not bad, f"steps failed: {bad}"
        n_half = sum(is_half(tree) for _last, _digest, tree in found)
        steps_found = [check_texts(told, *row) for row in found]
        n_between = sum(step > row[0] for step, row in zip(steps_found, found))
        for step, (_last, _digest, tree) in zip(steps_found, found):
            check_undo(tree, told, step)
        for path, digest in kept.items():
            check_boot(path, digest)
        print(f"{ROUNDS} cuts in {len(told)} changes: {n_half} between the files of one, {n_between} after "
              f"one was written and before it was reported; {len(kept)} copies booted")


main()
