# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line of the lab."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from . import ground, inventory, keys, needs, pythons, roots, settings
from .commands import LabError, attempt, locked
from .hosts import OWN_RELEASE, Host, all_hosts
from .machine import Machine, known, record, remains, settle, start, stop

Result = TypeVar("Result")

MISSING = 3


def main() -> int:
    arguments = vars(parse())
    function = arguments.pop("function")
    lacking = needs.missing()
    if lacking:
        print(f"lab: {lacking}", file=sys.stderr)
        return MISSING
    try:
        function(**arguments)
    except (LabError, OSError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab", description="Real hosts for the tests: systemd-nspawn, systemd, sshd.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, function, text in (
        ("up", up, "start hosts that are not up, and wait until all are at work"),
        ("down", down, "end hosts and remove everything the lab made for them"),
        ("status", status, "what runs"),
        ("inventory", lambda: print(inventory.text(), end=""), "the running hosts as an Ansible inventory"),
        ("hosts", lambda: print(*all_hosts(), sep="\n"), "the names that up knows"),
        ("ssh", ssh, "log in to a host: ssh NAME or USER@NAME, and a command if any"),
    ):
        command = commands.add_parser(name, help=text)
        command.set_defaults(function=function)
        if name in ("up", "down"):
            command.add_argument("--hosts", type=lambda text: text.split(","), metavar="NAME,…", help="default: all")
        if name == "ssh":
            command.add_argument("name")
            command.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")
    return parser.parse_args()


def up(hosts: list[str] | None) -> None:
    with locked(settings.LOCK):
        machines = choose(hosts)
        ground.prepare()
        stop(remains() - set(known()))  # what a killed run left half made
        host_keys = together(start, machines)
        know(machines, host_keys)
        together(settle, machines)
        for machine, host_key in zip(machines, host_keys):
            record(machine, host_key)
    status()


def choose(names: list[str] | None) -> list[Machine]:
    """The hosts to start: those asked for that are not up."""
    table = all_hosts()
    unknown = set(names or ()) - set(table)
    if unknown:
        raise LabError(f"no host {', '.join(sorted(unknown))}; there are {', '.join(table)}")
    running = known()
    numbers = free_numbers(running)
    chosen = []
    for host in table.values():
        if (names and host.name not in names) or host.name in running:
            continue
        lacking = lacks(host)
        if lacking and names:
            raise LabError(lacking)
        if lacking:
            print(f"lab: left out: {lacking}", file=sys.stderr)
            continue
        python = pythons.find(host.python) if host.python else None
        chosen.append(Machine(host, next(numbers), python))
    return chosen


def lacks(host: Host) -> str | None:
    """What a host of another Python or release than this machine's needs and cannot have here."""
    if host.python and not pythons.find(host.python):
        return f"{host.name} needs Python {host.python}, which neither pyenv nor PATH has here"
    try:
        roots.root(host.root)
    except LabError as error:
        if host.root == OWN_RELEASE:
            raise
        return f"{host.name} needs {host.root}: {error}"
    return None


def free_numbers(running: dict[str, dict[str, str]]) -> Iterator[int]:
    taken = {int(facts["address"].rpartition(".")[2]) for facts in running.values()}
    return (number for number in range(settings.FIRST_ADDRESS, 255) if number not in taken)


def together(function: Callable[[Machine], Result], machines: list[Machine]) -> list[Result]:
    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(function, machines))


def know(machines: list[Machine], host_keys: list[str]) -> None:
    running = {facts["address"]: facts["host_key"] for facts in known().values()}
    keys.know({**running, **{machine.address: key for machine, key in zip(machines, host_keys)}})


def down(hosts: list[str] | None) -> None:
    with locked(settings.LOCK):
        ground.mount_work()  # to find by its cgroup what a lost folder does not tell
        keys.close_masters()
        stop(remains() & set(hosts or remains()))
        if not remains():
            ground.clear()


def status() -> None:
    table = all_hosts()
    for name, facts in known().items():
        ask = "systemctl is-system-running" if name in table and table[name].systemd else "echo sshd"
        state = attempt(keys.command(facts["address"], ask), timeout=20).strip() or "silent"
        print(f"{name:20} {facts['address']:15} {state:10} {facts['interpreter']}")


def ssh(name: str, words: list[str]) -> None:
    user, unused, name = name.rpartition("@")
    host = known().get(name)
    if not host:
        raise LabError(f"{name} is not up")
    os.execvp("ssh", keys.command(host["address"], *words, user=user or "root"))


sys.exit(main())
