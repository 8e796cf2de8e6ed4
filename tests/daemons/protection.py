# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Protection: checks that the sandbox keys of a service file are in force for its process.

    assert not protection.missing(box, text_of_the_file, pid)

Each key of the file is checked in the kernel's data: /proc/PID/status and /proc/PID/mountinfo.
There is no comparison with another run, because that would not notice a missing key.
"""

# The capabilities, in the order of their numbers (capabilities(7)).
CAPABILITIES = """CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE
    NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT
    SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG
    WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE""".split()

# Keys that filter system calls.
FILTERS = ("SystemCallFilter", "SystemCallArchitectures", "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime",
           "RestrictSUIDSGID", "LockPersonality", "MemoryDenyWriteExecute", "ProtectHostname", "ProtectKernelLogs")
# Further capabilities that a key removes.
TAKEN = {"ProtectKernelModules": ["SYS_MODULE"], "ProtectKernelLogs": ["SYSLOG"], "PrivateDevices": ["MKNOD", "SYS_RAWIO"],
         "ProtectClock": ["SYS_TIME", "WAKE_ALARM"]}
# Keys that appear as private mounts of the process.
PLACES = {"PrivateTmp": ("/tmp", "/var/tmp"), "ProtectHome": ("/home", "/root"), "ProtectKernelTunables": ("/proc/sys",)}
READ_ONLY = {"ProtectKernelTunables": ("/proc/sys", "/sys"), "ProtectControlGroups": ("/sys/fs/cgroup",)}
SYSTEM = {"yes": ("/usr",), "full": ("/usr", "/etc"), "strict": ("/",)}


def keys_of(text):
    """key -> its values, without negative ones."""
    found = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#") and value not in ("no", "false"):
            found.setdefault(key, []).append(value)
    return found


def bounds(lines):
    """The capabilities left by CapabilityBoundingSet=, as bits."""
    everything = (1 << len(CAPABILITIES)) - 1
    allowed = everything if lines and lines[0].startswith("~") else 0
    for line in lines:
        for word in line.lstrip("~").split():
            bit = 1 << CAPABILITIES.index(word.removeprefix("CAP_"))
            allowed = allowed & ~bit if line.startswith("~") else allowed | bit
    return allowed


def status_of(box, pid):
    return dict(line.split(":\t", 1) for line in box.read(f"/proc/{pid}/status").splitlines() if ":\t" in line)


def mounts_of(box, pid):
    """path -> options of its topmost mount."""
    rows = [line.split() for line in box.read(f"/proc/{pid}/mountinfo").splitlines()]
    return {row[4]: row[5].split(",") + row[row.index("-") + 3].split(",") for row in rows}


def missing_in_status(keys, status):
    bounding = int(status["CapBnd"], 16)
    if "NoNewPrivileges" in keys and status["NoNewPrivs"] != "1":
        yield "NoNewPrivileges"
    if "CapabilityBoundingSet" in keys and bounding & ~bounds(keys["CapabilityBoundingSet"]):
        yield f"CapabilityBoundingSet ({bounding:x})"
    for key, names in TAKEN.items():
        if key in keys and any(bounding >> CAPABILITIES.index(name) & 1 for name in names):
            yield f"{key} ({bounding:x})"
    if any(key in keys for key in FILTERS) and status["Seccomp"] != "2":
        yield "a filter of system calls"


def missing_in_mounts(keys, mounts):
    places = [(key, place, False) for key, names in PLACES.items() if key in keys for place in names]
    places += [(key, place, True) for key, names in READ_ONLY.items() if key in keys for place in names]
    places += [("ProtectSystem", place, True) for value in keys.get("ProtectSystem", []) for place in SYSTEM[value]]
    for key, place, read_only in places:
        if place not in mounts or (read_only and "ro" not in mounts[place]):
            yield f"{key} at {place}"


def missing(box, text, pid):
    """Names of the keys in the service file @text that are not in force for process @pid."""
    keys = keys_of(text)
    found = list(missing_in_status(keys, status_of(box, pid)))
    if any(key in keys for key in (*PLACES, *READ_ONLY, "ProtectSystem")):
        found += missing_in_mounts(keys, mounts_of(box, pid))
    return found
