# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polkit: a machine with a real system bus, other users, and a polkit that the test controls."""

import threading

import gi
gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

from deadline import wait_for  # noqa: E402
from sandbox import Sandbox  # noqa: E402

SOCKET = "/run/dbus/system_bus_socket"
NOBODY = ("setpriv", "--reuid=65534", "--clear-groups")
# This uid does not fit into an int (CVE-2018-19788).
GIANT = ("setpriv", "--reuid=4000000000", "--clear-groups")

DBUS = """[Service]
Exec=/usr/bin/dbus-daemon --system --nofork --nopidfile --nosyslog
Ready=path:/run/dbus/system_bus_socket
RuntimeDirectory=dbus
Restart=on-failure
RestartLimit=100/10s
RestartDelay=10ms
"""

SERVICES = {
    "a": "[Service]\nExec=/bin/sleep infinity\n",
    "b": "[Service]\nExec=/bin/sleep infinity\n",
    "waits": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=flag:go\n",
}

POLKIT_XML = """<node><interface name="org.freedesktop.PolicyKit1.Authority">
<method name="CheckAuthorization">
<arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/><arg type="a{ss}" direction="in"/>
<arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/>
</method></interface></node>"""


class Polkit:
    """A polkit with the test's answer: "yes", "no", "password" (yes if polkit may ask for a
    password), or none."""

    def __init__(self, address, says):
        self.says = says
        self.asked = []
        self.silent = []
        context = GLib.MainContext()
        self.loop = GLib.MainLoop(context)
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(context, address, ready), daemon=True).start()
        assert ready.wait(60)

    def _serve(self, context, address, ready):
        context.push_thread_default()
        self.bus = connect(address)
        interface = Gio.DBusNodeInfo.new_for_xml(POLKIT_XML).interfaces[0]
        self.bus.register_object("/org/freedesktop/PolicyKit1/Authority", interface, self._on_call, None, None)
        self.bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                           GLib.Variant("(su)", ("org.freedesktop.PolicyKit1", 0)), None, 0, -1, None)
        ready.set()
        self.loop.run()

    def _on_call(self, _bus, _sender, _path, _interface, _method, args, invocation):
        self.asked.append(args.unpack())
        if self.says == "silence":
            self.silent.append(invocation)
        else:
            may_ask = args.unpack()[3] == 1
            is_yes = self.says == "yes" or (self.says == "password" and may_ask)
            invocation.return_value(GLib.Variant("((bba{ss}))", ((is_yes, self.says == "password" and not may_ask, {}),)))

    def answer_last(self, says):
        """Answer the pending question. The answer is sent when this returns."""
        self.silent.pop().return_value(GLib.Variant("((bba{ss}))", ((says == "yes", False, {}),)))
        return self.bus.flush_sync(None)

    def leave(self):
        self.bus.close_sync(None)
        self.loop.quit()


def connect(address):
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


class BusMachine(Sandbox):
    """A Debian with a bus, and with its own polkit or none."""

    def __init__(self, has_polkit, services=None, policy="[runlevel 2]\nActivate=a b waits\n", stage=None):
        super().__init__(dict(services or SERVICES, dbus=DBUS), policy=policy, root="debian", stage=stage)
        self.has_polkit = has_polkit

    def __enter__(self):
        super().__enter__()
        self.address = f"unix:path={self.path(SOCKET)}"
        if not self.has_polkit:
            self.remove("/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service")
        self.write("/etc/passwd", self.read("/etc/passwd") + "giant:x:4000000000:4000000000::/:/bin/false\n")
        self.wait_up()
        self.svcctl("start", "dbus")
        self.wait_state("dbus", "ready")
        self.wait_named()
        return self

    def send(self, method, *args, who=(), check=False, options=()):
        """Run dbus-send inside, as the given user."""
        return self.run(*who, "dbus-send", "--system", "--print-reply", "--reply-timeout=60000", *options,
                        "--dest=org.svcd1", "/org/svcd1", method, *args, check=check)

    def manager(self, method, *args, who=(), options=()):
        return self.send(f"org.svcd1.Manager.{method}", *args, who=who, options=options)

    def wait_named(self):
        wait_for(lambda: self.manager("ListServices").returncode == 0, what="org.svcd1 is on the bus")


def refused(done, error, sentence):
    assert done.returncode != 0 and error in done.stderr and sentence in done.stderr, done
