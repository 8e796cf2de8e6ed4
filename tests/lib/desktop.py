# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Desktop: the machine of vm_image.DESKTOP, its greeter, and a typing user.

    with Desktop(disk) as vm:
        vm.wait_shell()
        vm.wait_greeter()
        session = vm.log_in("alice", "alice")
        vm.as_user("alice", "loginctl list-sessions")
        ...
        vm.choose_power("Power Off…", vm.is_dark)
"""

import base64
import re
import time

import vm_image
from deadline import DeadlinePassed, wait_for
from vm import Machine

GREETER_S = 900
# The console has two or three colours; the letters of the greeter alone have hundreds of greys.
N_COLOURS_DRAWN = 100
TYPE_ATTEMPTS = 3

# The power menu of the greeter's top bar, from the top.
POWER_MENU = ["Suspend", "Restart…", "Power Off…"]
# The clock and the pointer are in the top bar; menus and dialogs are below it.
BAR_ROWS = 40
STILL_S = 1
STEP_S = 30
# The limit for a pixel's three bytes. The greeter's grey is lighter, and the background of a dialog
# is darker.
DARK = 20

BUS_CALL = "gdbus call --system -d org.freedesktop.DBus -o /org/freedesktop/DBus -m org.freedesktop.DBus"

# Runs a command as a process of the user's graphical session: in the cgroup of the session, for
# elogind and polkit, and with the bus and directory of gnome-shell.
AS_USER = """
shell=$(pgrep -u "$1" -x gnome-shell | head -n 1) && user=$1 && shift &&
echo $$ >"/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$shell/cgroup")/cgroup.procs" &&
exec runuser -u "$user" -- env $(tr '\\0' '\\n' <"/proc/$shell/environ" |
	grep -E '^(DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|HOME)=') "$@"
"""

# The bus or a timer starts these on demand, so they may run or not.
ON_DEMAND = "anacron fwupd nm-dispatcher nm-priv-helper packagekit udev-trigger-rest urandom-renew wpa_supplicant".split()


class Desktop(Machine):
    """One boot of a private disk."""

    def __init__(self, disk, **options):
        super().__init__([disk], *vm_image.boot_files(vm_image.DESKTOP), screen=True, memory_mib=2048, **options)

    def picture(self):
        """Like Machine.picture(), but presses a key first.

        GNOME blanks the screen after five minutes and suspends the machine after twenty. A key
        prevents both."""
        self.press("shift")
        return super().picture()

    # --- sessions ---

    def wait_session(self, user, other_than="none"):
        """Wait until the user has a session other than @other_than; returns its name. The loop runs
        inside the machine, because each call is slow."""
        line = self.sh(f"until loginctl list-sessions --no-legend | grep -w {user} | grep -vw {other_than}; do sleep 1; done",
                       GREETER_S)
        return line.split()[0]

    def wait_greeter(self, other_than="none"):
        """Wait for a login screen other than @other_than."""
        session = self.wait_session("Debian-gdm", other_than)
        assert self.session(session, "Class", "VTNr") == {"Class": "greeter", "VTNr": "1"}
        return session

    def session(self, name, *properties):
        """The properties of a session from elogind."""
        words = " ".join(f"-p {word}" for word in properties)
        return dict(line.split("=", 1) for line in self.sh(f"loginctl show-session {name} {words}").split("\n"))

    def wait_drawn(self, what):
        wait_for(lambda: self.n_colours() >= N_COLOURS_DRAWN, GREETER_S, f"{what} is drawn", 3)

    def log_in(self, user, password):
        """
        Type at the greeter: select the first user, and enter the password.

        Input before the dialog has appeared is lost without a sign, so repeat it.
        """
        for _attempt in range(TYPE_ATTEMPTS):
            self.press("esc")
            self.press("ret")
            self.sh("until pgrep -f 'gdm-session-worker .pam/gdm-password'; do sleep 1; done; sleep 2", GREETER_S)
            for letter in password:
                self.press(letter)
            self.press("ret")
            found = self.sh(f"for i in $(seq 20); do loginctl list-sessions --no-legend | grep -w {user} && exit; sleep 1; done",
                            GREETER_S)
            if found:
                return found.split()[0]
        raise AssertionError(f"{user} could not log in")

    # --- the greeter's menu ---

    def below_bar(self):
        """The screen without the top bar. Presses no key, because a menu ignores Return while
        another key is down."""
        width, _height, pixels = super().picture()
        return pixels[3 * width * BAR_ROWS:]

    def is_dark(self):
        """Whether a dialog is in front. It darkens its background, and therefore the last pixel."""
        return max(self.below_bar()[-3:]) < DARK

    def wait_still(self):
        """Wait until the screen stops changing; returns the picture."""
        shown, since = None, 0.0

        def is_still():
            nonlocal shown, since
            before, shown = shown, self.below_bar()
            if shown != before:
                since = time.monotonic()
            return time.monotonic() - since >= STILL_S
        wait_for(is_still, STEP_S, "the screen is still")
        return shown

    def see(self, act):
        """Call @act when the screen is still, and wait until it has changed and is still again."""
        before = self.wait_still()
        act()
        wait_for(lambda: self.below_bar() != before, STEP_S, "the screen changes")
        self.wait_still()

    def see_key(self, key):
        self.see(lambda: self.press(key))

    def open_system_menu(self):
        """Click in the upper right corner, which a large move of the mouse reaches. At the login
        screen no key opens the menu."""
        for _step in range(20):
            self.move_mouse(120, -120)
        try:
            self.see(lambda: self.mouse_button(True))
        finally:
            self.mouse_button(False)

    def choose_power(self, entry, is_heeded):
        """Choose an entry of POWER_MENU. Keys and clicks may be lost, mainly after a suspend, so
        repeat them."""
        for _attempt in range(TYPE_ATTEMPTS):
            for _open in ("dialog", "list", "menu"):
                self.press("esc")
            try:
                self.open_system_menu()
                for key in ["down", "ret"] + (POWER_MENU.index(entry) + 1) * ["down"]:
                    self.see_key(key)
                self.press("ret")
                wait_for(is_heeded, 2 * STEP_S, f"{entry} takes effect")
                return
            except DeadlinePassed as problem:
                print(f"once more, {entry}: {problem}", flush=True)
        raise AssertionError(f"{entry} could not be chosen")

    # --- users ---

    def as_user(self, user, command, check=True):
        """Run a line of sh in that user's graphical session, like Machine.sh()."""
        encoded = base64.b64encode(AS_USER.encode()).decode()
        inner = base64.b64encode(command.encode()).decode()
        return self.sh(f"echo {encoded} | base64 -d >/run/as-user; echo {inner} | base64 -d >/run/as-user-line; "
                       f"sh /run/as-user {user} sh /run/as-user-line", check=check)

    def told_at(self, line):
        """The kernel's time stamp of the last console line that begins with @line."""
        found = re.findall(rf"\[ *([0-9.]+)\] {re.escape(line)}", self.console.text())
        assert found, f"no line {line!r} on the console"
        return float(found[-1])

    # --- services ---

    def states(self):
        return {name: row["state"] for name, row in self.services().items()}

    def states_on_bus(self):
        """The states of the services from org.svcd1 on the system bus."""
        said = self.sh("gdbus call --system -d org.svcd1 -o /org/svcd1 -m org.svcd1.Manager.ListServices")
        rows = [dict(re.findall(r"'(Name|State)': <'([^']*)'>", row)) for row in said.split("}, {")]
        return {row["Name"]: row["State"] for row in rows}

    def wait_state(self, name, state):
        wait_for(lambda: self.service(name)["state"] == state, GREETER_S, f"{name} is {state}", 1)

    def boot_values(self):
        """Progress and Finished of org.svcd1.Boot on the system bus."""
        said = self.sh("gdbus call --system -d org.svcd1 -o /org/svcd1/boot -m org.freedesktop.DBus.Properties.GetAll org.svcd1.Boot",
                       check=False)[1]
        progress, finished = re.search(r"'Progress': <([0-9.]+)>", said), re.search(r"'Finished': <(true|false)>", said)
        return progress and finished and (float(progress.group(1)), finished.group(1) == "true")

    def wait_login_screen_told(self):
        """Wait until the greeter's shell has announced that the greeter is drawn."""
        self.sh(f"until {BUS_CALL}.GetConnectionUnixUser org.svcd1.LoginScreen | grep -w $(id -u Debian-gdm); do sleep 1; done",
                GREETER_S)

    def processes(self, name):
        return set(self.sh(f"cat /sys/fs/cgroup/svcd/{name}/cgroup.procs 2>/dev/null", check=False)[1].split())
