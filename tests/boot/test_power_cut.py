#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 2400
"""
The power is cut while an admin changes policy, again and again: what is on the disk is the text before or after one of the
changes, never a part of it, nothing that was acknowledged is lost, and the machine boots with it. A change of two files
(revert) may be cut between them; then the history has it as begun, and the boot, or the next change, ends it first.

One machine changes policy all the time and logs each step. At random moments it is stopped, its root disk is copied, and it
goes on: each copy is what a power cut at that moment leaves. The copy has everything that the machine has written to the disk
so far, in that order, whether it has flushed it or not ("cache=unsafe" leaves out only the host's own flush, and QEMU
finishes what is under way before it stops). So the disk is one that writes at once. What a missing fsync() leaves in the
machine's memory is not on the copy, and that is what this test would find: a step that was acknowledged and is gone, or a
name without its text. A missing barrier between disk and cache is the file system's business, not svcctl's.

$SVCD_TEST_SEED and $SVCD_TEST_ROUNDS as in test_random_kills.
"""

import glob
import os
import random
import re
import shutil
import subprocess
import time

import vm_image
from deadline import wait_for
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]
SVCCTL = f"{STAGE}/usr/bin/svcctl"
ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "50"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))
N_STEPS = 6000 # more than a machine can do in the time
N_BOOTS = max(1, ROUNDS // 50)

SERVICES = [f"power-{number}" for number in range(6)]
LEVELS = ("boot", "on-demand", "manual", "never")

FSTAB = f"LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1\n"

# As little as can be logged in to: emulated processors have enough to do.
POLICY = ("[runlevel S]\nActivate=test-shell\n"
          "[runlevel 2]\nActivate=-networking -network-manager -dbus -elogind -rsyslog -cron\n")

# What svcd reads of the admin's: a word for policy, one for service files. The same line runs in the machine and on a copy.
DIGEST = ("echo $(sha256sum policy.d/*.policy | sha256sum | cut -c1-64) "
          "$(sha256sum services.d/*.svc services.d/*.svc.d/*.conf 2>/dev/null | sha256sum | cut -c1-64)")

DONE = re.compile(r"^@step (\d+) (\d+) ([0-9a-f]{64} [0-9a-f]{64})$", re.M)


def steps(chance):
    """Lines of sh: a change each, which no two have in common."""
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
    """A disk with services to argue about, which needs no other disk."""
    vm_image.put_file(disk, "/etc/fstab", FSTAB)
    vm_image.put_file(disk, "/etc/svcd/policy.d/local.policy", POLICY)
    vm_image.put_file(disk, "/root/steps", script(chance))
    for name in SERVICES:
        vm_image.put_file(disk, f"/etc/svcd/services.d/{name}.svc", "[Service]\nExec=/bin/sleep infinity\n")


def acknowledged(vm):
    """step -> (exit status, digest), of all that the machine has told."""
    return {int(number): (int(status), digest) for number, status, digest in DONE.findall(vm.shell.text())}


def flushes(vm):
    """How often the machine has flushed its disk: each fsync() of svcctl's is one at least."""
    return sum(row["stats"]["flush_operations"] for row in vm.qmp("query-blockstats"))


def wait_a_moment(vm, chance):
    """A change is some seconds of thought on emulated processors and a few fsync(); most cuts are to hit among those."""
    until = time.monotonic() + 20
    target = flushes(vm) + chance.randrange(1, 12)
    if chance.random() < 0.25:
        time.sleep(chance.random() * 0.4)
    else:
        while flushes(vm) < target and time.monotonic() < until:
            time.sleep(0.001)


def cut(vm, path):
    """What a power cut now would leave in @path; returns the last step that the machine had told of."""
    vm.qmp("stop")
    vm_image.copy_disk(vm.disks[0], path)
    # Read after the copy: by now QEMU has passed on all that the serial port had taken.
    last = max(acknowledged(vm))
    vm.qmp("cont")
    return last


def extract(disk, tree):
    """The files of the admin and of svcd, as they are after the journal was replayed."""
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
    """Files that svcd accepts, nobody's temporary ones among them, and a history that can be read."""
    status, output = below_root(tree, "check")
    assert status == 0, f"svcctl check: {status}\n{output}"
    names = {name for name in os.listdir(f"{tree}/etc/svcd/policy.d") if name.endswith(".policy")}
    assert {name for name in names if not name.startswith(".")} <= {"local.policy", "90-svcctl.policy"}, names
    status, output = below_root(tree, "policy", "log")
    assert status == 0, f"svcctl policy log: {status}\n{output}"


def check_texts(told, last, digest, tree):
    """Both words are those of a step: the last one told, or of what came after and was not told yet. Returns that step."""
    # The change after the last one told may be done, and the one after that begun.
    window = (last, last + 1, last + 2)
    if after := [step for step in window if told[step][1] == digest]:
        return after[0]
    for number, word in enumerate(digest.split()):
        assert word in [told[step][1].split()[number] for step in window], \
            f"{tree}, step {last}: {('policy', 'service files')[number]} as neither before nor after the change"
    assert glob.glob(f"{tree}/var/lib/svcd/policy-history/*.begun"), f"{tree}, step {last}: half of a change, and no trace of it"
    return last + 1


def check_undo(tree, told, step):
    """After the power cut the newest change can be taken back: what was there before it is there again."""
    status, output = below_root(tree, "undo")
    assert status == 0, f"svcctl undo: {status}\n{output}"
    found = digest_of(tree)
    assert found in [told[number][1] for number in range(step)], f"after step {step} was undone: the files of no earlier step"


def digest_after_boot(tree):
    """What the boot is to make of the files: nothing else, unless a change was cut between two of them."""
    ended = f"{tree}-ended"
    shutil.copytree(tree, ended, symlinks=True)
    status, output = below_root(ended, "policy", "recover")
    assert status == 0, f"svcctl policy recover: {status}\n{output}"
    return digest_of(ended)


def check_boot(disk, digest):
    """A copy boots as it is, up to a login, with what was on the disk after what was begun there is ended."""
    with Machine([disk], *vm_image.boot_files()) as vm:
        vm.wait_console("svcd-vm login:")
        vm.wait_shell()
        assert vm.sh(f"cd /etc/svcd; {DIGEST}").strip() == digest, "the booted machine has other files"
        vm.sh("svcctl check && svcctl policy && svcctl policy log")
        assert not [name for name in vm.services() if name.startswith("power-") and
                    vm.services()[name]["problem"]], vm.sh("svcctl list --all")


def take_cuts(vm, directory, chance, to_boot):
    """Cuts the power ROUNDS times. Returns [(last step told, digest, tree)], and the copies that are to be booted."""
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
            kept[f"{directory}/boot-{number}"] = digest_after_boot(tree)
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
            wait_for(lambda: len(acknowledged(vm)) > 3, 120, "the machine changes policy")
            found, kept = take_cuts(vm, directory, chance, to_boot)
            # So that the changes that were under way have been told, too.
            wait_for(lambda: max(acknowledged(vm)) > found[-1][0] + 2, 60, "the last changes end")
            told = acknowledged(vm)

        bad = {number: row for number, row in told.items() if row[0] not in (0, 5)}
        assert not bad, f"steps failed: {bad}"
        n_begun = sum(bool(glob.glob(f"{tree}/var/lib/svcd/policy-history/*.begun")) for _last, _digest, tree in found)
        steps_found = [check_texts(told, *row) for row in found]
        n_between = sum(step > row[0] for step, row in zip(steps_found, found))
        for step, (_last, _digest, tree) in zip(steps_found, found):
            check_undo(tree, told, step)
        for path, digest in kept.items():
            check_boot(path, digest)
        print(f"{ROUNDS} cuts in {len(told)} changes: {n_begun} while one was written, {n_between} after it was written and "
              f"before it was told; {len(kept)} copies booted")


main()
