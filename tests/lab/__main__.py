# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line of the lab."""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from . import inventory, keys, needs, network, pythons, recorded, roots, settings
from .commands import LabError, attempt, run
from .hosts import Host, all_hosts
from .machine import Machine, known, record, remains, settle, start, stop

Result = TypeVar("Result")

MISSING = 3

# The least a machine must allow: (sysctl, value, why).
LEAST = (
    ("fs/inotify/max_user_instances", 1024, "128 is too few for systemd from about 15 hosts on"),
    ("kernel/pid_max", 4194304, "recorded processes keep their ids; the kernel's default on a small machine is 32768"),
)


def main() -> int:
    arguments = parse()
    lacking = needs.missing()
    if lacking:
        print(f"lab: {lacking}", file=sys.stderr)
        return MISSING
    try:
        return int(arguments.function(arguments) or 0)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab", description="Real hosts for the tests: systemd-nspawn, systemd, sshd.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, function, text in (
        ("up", up, "start hosts that are not up, and wait until all are at work"),
        ("down", down, "end hosts and remove everything the lab made for them"),
        ("status", status, "what runs"),
        ("inventory", show_inventory, "the running hosts as an Ansible inventory"),
        ("hosts", show_hosts, "the names that up knows"),
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


def up(arguments: argparse.Namespace) -> None:
    with locked():
        machines = choose(arguments.hosts)
        prepare_ground({new.host.root for new in machines})
        stop(remains() - set(known()))  # what a killed run left half made
        host_keys = together(start, machines)
        know(machines, host_keys)
        together(settle, machines)
        for machine, host_key in zip(machines, host_keys):
            record(machine, host_key)
    show_status()


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
        python = pythons.find(host.python) if host.python else None
        if host.python and not python:
            leave_out(host, asked=bool(names))
            continue
        chosen.append(Machine(host, next(numbers), python))
    return chosen


def free_numbers(running: dict[str, dict[str, str]]) -> Iterator[int]:
    taken = {int(facts["address"].rpartition(".")[2]) for facts in running.values()}
    return (number for number in range(settings.FIRST_ADDRESS, 255) if number not in taken)


def leave_out(host: Host, *, asked: bool) -> None:
    said = f"{host.name} needs Python {host.python}, which neither pyenv nor PATH has here"
    if asked:
        raise LabError(said)
    print(f"lab: left out: {said}", file=sys.stderr)


def prepare_ground(suites: set[str]) -> None:
    for suite in sorted(suites):
        roots.root(suite)
    for name, least, unused in LEAST:
        setting = Path("/proc/sys") / name
        if int(setting.read_text()) < least:
            setting.write_text(str(least))
    if not os.path.ismount(settings.WORK):
        settings.WORK.mkdir(parents=True, exist_ok=True)
        # In memory, and so on any machine a file system that an overlay can write to.
        run(["mount", "-t", "tmpfs", "-o", "mode=0700", "recon-lab", str(settings.WORK)])
        run(["mount", "--make-private", str(settings.WORK)])
    for folder in (settings.HOSTS, settings.CONTROL_PATHS, settings.CGROUP):
        folder.mkdir(exist_ok=True)
    if not os.path.ismount(settings.CGROUP):
        run(["mount", "-t", "cgroup2", "recon-lab", str(settings.CGROUP)])
    keys.make(settings.KEY, "recon-lab")
    recorded.compile_stay()
    network.add_bridge()


def together(function: Callable[[Machine], Result], machines: list[Machine]) -> list[Result]:
    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(function, machines))


def know(machines: list[Machine], host_keys: list[str]) -> None:
    running = {facts["address"]: facts["host_key"] for facts in known().values()}
    keys.know({**running, **{machine.address: key for machine, key in zip(machines, host_keys)}})


def down(arguments: argparse.Namespace) -> None:
    with locked():
        if os.path.ismount(settings.WORK) and not os.path.ismount(settings.CGROUP):
            run(["mount", "-t", "cgroup2", "recon-lab", str(settings.CGROUP)])
        keys.close_masters()
        stop(remains() & set(arguments.hosts or remains()))
        if not remains():
            network.remove_bridge()
            clear_ground()


def clear_ground() -> None:
    for mount in (settings.CGROUP, settings.WORK):
        if os.path.ismount(mount):
            run(["umount", str(mount)])
    if settings.WORK.is_dir():
        settings.WORK.rmdir()


def status(unused: argparse.Namespace) -> None:
    show_status()


def show_status() -> None:
    table = all_hosts()
    for name, facts in known().items():
        ask = "systemctl is-system-running" if table[name].systemd else "echo sshd"
        state = attempt(keys.command(facts["address"], ask), timeout=20).strip() or "silent"
        print(f"{name:20} {facts['address']:15} {state:10} {facts['interpreter']}")


def show_inventory(unused: argparse.Namespace) -> None:
    print(inventory.text(), end="")


def show_hosts(unused: argparse.Namespace) -> None:
    print("\n".join(all_hosts()))


def ssh(arguments: argparse.Namespace) -> None:
    user, unused, name = arguments.name.rpartition("@")
    host = known().get(name)
    if not host:
        raise LabError(f"{name} is not up")
    os.execvp("ssh", keys.command(host["address"], *arguments.words, user=user or "root"))


@contextmanager
def locked() -> Iterator[None]:
    """One up or down at a time."""
    settings.WORK.parent.mkdir(parents=True, exist_ok=True)
    with settings.WORK.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


sys.exit(main())
