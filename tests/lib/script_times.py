# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Script times: the start and end of init scripts under any init, recorded by the kernel. The kernel
records each exec and exit from its own start on. The machine is not changed.

    with Machine(disks, *files, cmdline=script_times.KERNEL_WORDS) as vm:
        starts = script_times.recorded(vm)         all runs until now
        script_times.follow(vm)                    from now on events go to the kernel's console
        vm.wait_end()
        stops = script_times.told(vm.console.text())
"""

import dataclasses
import re

EVENTS = "sched:sched_process_exec,sched:sched_process_exit"

# The ring buffer holds a boot; tp_printk sends later events to the console, when the buffer cannot
# be read any more.
KERNEL_WORDS = f"trace_event={EVENTS} trace_buf_size=16M trace_clock=boot tp_printk tp_printk_stop_on_boot"

TRACING = "/sys/kernel/tracing"
SCRIPT = re.compile(r"/etc/(?:init\.d/|rc[0-6S]\.d/[SK][0-9][0-9])([^/]+)")
EVENT = re.compile(r"(\d+\.\d+)[]:]* +sched_process_(exec|exit): (?:filename|comm)=(.+?) pid=(\d+) ")

# Selects only the wanted programs and their exits, because all events would take minutes on a
# serial line.
PICK = r"""
mountpoint -q @ || mount -t tracefs tracefs @
awk '/^# entries-in-buffer/ { split($3, kept, "/"); if (kept[1] != kept[2]) { print "events were lost: " $3; exit } }
     /sched_process_exec:/ && / filename=(\/etc|\/sbin|\/usr\/sbin)\/[^ ]* / {
         split($0, part, " pid="); split(part[2], word, " "); print; picked[word[1]] = 1 }
     /sched_process_exit:/ { n = split($0, part, " pid="); split(part[n], word, " "); if (word[1] in picked) print }' @/trace
""".replace("@", TRACING)

FOLLOW = r"""
echo 'filename ~ "/etc/*"' >@/events/sched/sched_process_exec/filter
echo 7 >/proc/sys/kernel/printk; echo 1 >/proc/sys/kernel/tracepoint_printk
""".replace("@", TRACING)


@dataclasses.dataclass
class Run:
    """One execution of a program; seconds since the kernel's start. @end: None while it runs."""
    path: str
    pid: int
    begin: float
    end: float | None = None


def runs(text):
    """The executions in the kernel's lines, in order."""
    found, running = [], {}
    for stamp, kind, name, pid in EVENT.findall(text):
        pid = int(pid)
        if kind == "exec":
            # A process may execute several programs. Its exit ends all of them, because the caller
            # waits for that.
            found.append(Run(name, pid, float(stamp)))
            running.setdefault(pid, []).append(found[-1])
        else:
            for run in running.pop(pid, ()):
                run.end = float(stamp)
    return found


def scripts(all_runs):
    """Script name -> its runs."""
    result = {}
    for run in all_runs:
        match = SCRIPT.fullmatch(run.path)
        if match:
            result.setdefault(match[1], []).append(run)
    return result


def recorded(vm):
    """All runs since the kernel's start: scripts, and programs of /sbin."""
    text = vm.sh(PICK)
    assert "events were lost" not in text, text
    return runs(text)


def follow(vm):
    """Send the events to the console from now on."""
    vm.sh(FOLLOW)


def told(console):
    """The runs since follow(), from the console."""
    return runs(console)


def dependencies(text):
    """Pairs (A, B): A must have ended before B begins; and the interactive scripts. @text: a
    .depend file of insserv."""
    pairs, interactive = [], []
    for line in text.splitlines():
        name, colon, words = line.partition(":")
        if colon:
            pairs += [(word, name.strip()) for word in words.split()]
        elif line.startswith("INTERACTIVE"):
            interactive = line.partition("=")[2].split()
    return pairs, interactive


def closure(pairs):
    """The transitive closure of @pairs, in order."""
    after = {}
    for first, second in pairs:
        after.setdefault(first, set()).add(second)
    result = []
    for first in sorted(after):
        seen, ahead = set(), [first]
        while ahead:
            ahead += [name for name in after.get(ahead.pop(), ()) if name not in seen]
            seen.update(ahead)
        result += [(first, second) for second in sorted(seen)]
    return result
