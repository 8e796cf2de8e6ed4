#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sound in a user's session: PipeWire and its helpers are services of svcd --user, and start with
the first client."""


import life
from deadline import wait_for
from own_session import RUNTIME, OwnSession, user_files
from sandbox import Sandbox, debian_root

PACKAGES = f"{life.COMMON} pipewire pipewire-pulse wireplumber pulseaudio-utils"
NAMES = ("pipewire", "wireplumber", "pipewire-pulse")
SOCKETS = {"pipewire": f"{RUNTIME}/pipewire-0", "pipewire-pulse": f"{RUNTIME}/pulse/native"}


def states(session):
    return {name: session.state(name) for name in NAMES}


def sound_works(session):
    """A PulseAudio client plays silence to the end, through all three services."""
    assert "PipeWire" in session.run("pactl", "info").stdout
    wait_for(lambda: "auto_null" in session.run("wpctl", "inspect", "@DEFAULT_AUDIO_SINK@", check=False).stdout,
             what="wireplumber knows where sound goes")
    session.run("paplay", "/tmp/silence.wav")


def nothing_runs_before_somebody_asks(session):
    assert states(session) == dict.fromkeys(NAMES, "idle"), states(session)
    wait_for(lambda: all(session.box.exists(path) for path in SOCKETS.values()), what="their sockets are open")


def the_first_client_starts_them(session):
    sound_works(session)
    assert states(session) == dict.fromkeys(NAMES, "ready"), states(session)


def a_restart_and_a_crash_refuse_nobody(session):
    # When only wireplumber 0.4.13 is restarted, it fails on an audio output that already exists
    # ("This should never happen").
    for name, works in (("wireplumber", False), ("pipewire", True), ("pipewire-pulse", True)):
        for end in ("svcctl --user restart --wait {name}", "kill -KILL {pid}"):
            before = session.pid(name)
            session.run(*end.format(name=name, pid=before).split())
            if name == "pipewire":
                # pipewire-pulse refuses clients at the moment when it loses pipewire.
                wait_for(lambda: "PipeWire" in session.run("pactl", "info").stdout, what="an answer")
            assert not works or "PipeWire" in session.run("pactl", "info").stdout
            wait_for(lambda: session.pid(name) not in (0, before), what=f"{name} is another process")
            for each in NAMES:
                session.wait_state(each, "ready")
            if works:
                sound_works(session)


def a_stop_leaves_nothing(session):
    for name in reversed(NAMES):
        session.svcctl("stop", name)
    left = [line for line in session.processes().values() if "pipewire" in line or "wireplumber" in line]
    assert left == [], left


with Sandbox(root=debian_root(*PACKAGES.split()), files=user_files(policy="")) as box, OwnSession(box) as session:
    box.write("/tmp/silence.wav", "")
    box.run("/usr/bin/python3", "-c", "import wave; w = wave.open('/tmp/silence.wav', 'wb'); w.setparams((1, 2, 48000, 0, 'NONE', ''));"
            "w.writeframes(bytes(9600))")
    box.run("mkdir", "-p", *(f"/run/systemd/{name}" for name in ("seats", "sessions", "users", "machines")))  # as elogind does
    nothing_runs_before_somebody_asks(session)
    the_first_client_starts_them(session)
    a_restart_and_a_crash_refuse_nobody(session)
    a_stop_leaves_nothing(session)
