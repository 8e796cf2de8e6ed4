#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The clients of docs/dbus.md, in C, Python, JavaScript and shell, work as printed, also across a
replacement of the manager.

Each does the same as the others, and prints the same as svcctl.
"""


import os
import re
import subprocess
import tempfile
import threading

from deadline import wait_for
from polkit import BusMachine

SOURCE = os.environ["SVCD_SOURCE"]

# The language of a block: the name of its file, and the command.
LANGUAGES = {"c": ("client.c", ["./client"]), "python": ("client.py", ["/usr/bin/python3", "client.py"]),
             "js": ("client.js", ["gjs", "-m", "client.js"]), "sh": ("client.sh", ["sh", "client.sh"])}

# "migrate" keeps the boot in progress.
SERVICES = {
    "broken": "[Service]\nDescription=Something broken\nExec=/bin/sh -c 'exit 3'\nRestart=no\n",
    "migrate": "[Service]\nDescription=A long migration\nType=task\nExec=/bin/sh -c 'until [ -e /run/go ]; do sleep 0.1; done'\n",
    "shop": "[Service]\nExec=/bin/sh -c 'sleep 0.3; touch /run/shop; exec sleep infinity'\nReady=path:/run/shop\n",
    "waits": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=flag:rain\n",
    "sick": "[Service]\nExec=/bin/false\nRestart=no\nReady=path:/run/never\n",
}
POLICY = "[runlevel 2]\nActivate=broken migrate waits\n"


def write_clients(directory):
    """The blocks of the page, each as a file."""
    with open(f"{SOURCE}/docs/dbus.md", encoding="utf-8") as page:
        blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.M | re.S))
    assert set(blocks) == set(LANGUAGES), set(blocks)
    for language, (name, _command) in LANGUAGES.items():
        with open(f"{directory}/{name}", "w", encoding="utf-8") as file:
            file.write(blocks[language])
    build = re.match(r"/\* (cc .*) \*/\n", blocks["c"])[1]
    subprocess.run(["sh", "-c", f"{build} -Wall -Wextra -Werror"], cwd=directory, check=True)


class Client:
    """Run one client of the page on the bus of the sandbox."""

    def __init__(self, box, directory, language):
        self.command, self.cwd = LANGUAGES[language][1], directory
        self.environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=box.address)
        self.heard = []
        self.process = None

    def run(self, *words):
        done = subprocess.run([*self.command, *words], cwd=self.cwd, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def says(self, *words):
        status, out, problem = self.run(*words)
        assert (status, problem) == (0, ""), (self.command, words, status, out, problem)
        return out

    def begin(self, *words):
        """Start a client that keeps running; its lines go to self.heard."""
        self.process = subprocess.Popen([*self.command, *words], cwd=self.cwd, env=self.environment, stdout=subprocess.PIPE,
                                        text=True, start_new_session=True)
        threading.Thread(target=lambda: self.heard.extend(iter(self.process.stdout.readline, "")), daemon=True).start()

    def wait_heard(self, text, n_before=0):
        wait_for(lambda: text in "".join(self.heard[n_before:]), what=f"{self.command} says {text!r} ({self.heard})")

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
        self.process.wait()


def follows_the_boot(box, clients):
    """Follow a boot in progress, across a replacement of the manager, to its end."""
    for client in clients.values():
        client.begin("boot")
    for client in clients.values():
        client.wait_heard("A long migration\n")
    n_heard = {language: len(client.heard) for language, client in clients.items()}
    box.kill_manager()
    box.wait_named()
    for language, client in clients.items():
        client.wait_heard("A long migration\n", n_heard[language])
    assert not box.overview()["boot_finished"]
    box.write("/run/go", "")
    for client in clients.values():
        assert client.process.wait(60) == 0
        client.wait_heard("failed:")
        assert client.heard[-1] == "failed: broken\n", client.heard
    assert box.overview()["boot_finished"]


def lists_what_failed(box, client):
    box.svcctl("start", "sick", check=False)
    box.wait_state("sick", "failed")
    out = client.says("failed")
    assert {line.split(":")[0] for line in out.splitlines()} == {
        name for name, row in box.services().items() if row["state"] == "failed"} == {"broken", "sick"}, out
    assert "exit status 3" in out and "exit status 1" in out, out
    box.svcctl("clear", "sick")


def starts_and_stops(box, client):
    for verb, state in (("start", "ready"), ("stop", "idle")):
        said = client.says(verb, "shop")
        assert (said, box.state("shop")) == (f"shop is {state}\n", state), said
    box.remove("/run/shop")
    said = client.says("start", "sick")
    assert (said, box.state("sick")) == ("sick is failed\n", "failed"), said
    box.svcctl("clear", "sick")
    status, _out, problem = client.run("start", "nosuch")
    assert status != 0 and "nosuch" in problem, problem


def sets_a_flag_and_watches_it(box, client):
    client.heard.clear()
    client.begin("watch", "flag:rain")
    try:
        client.wait_heard("flag:rain is false")
        client.says("flag", "rain", "on")
        client.wait_heard("flag:rain is true")
        box.wait_state("waits", "ready")
        n_heard = len(client.heard)
        box.kill_manager()
        box.wait_named()
        client.wait_heard("flag:rain is true", n_heard)
        client.says("flag", "rain", "off")
        client.wait_heard("flag:rain is false", n_heard)
        box.wait_state("waits", "waiting")
    finally:
        client.end()


with tempfile.TemporaryDirectory() as directory, BusMachine(False, SERVICES, POLICY) as box:
    write_clients(directory)
    clients = {language: Client(box, directory, language) for language in LANGUAGES}
    follows_the_boot(box, clients)
    for client in clients.values():
        lists_what_failed(box, client)
        starts_and_stops(box, client)
        sets_a_flag_and_watches_it(box, client)
