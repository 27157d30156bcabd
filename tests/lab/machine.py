# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One host: an overlay on a shared root file system, booted by systemd-nspawn in a namespace and cgroup of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from . import keys, network, pythons, recorded, roots, settings
from .commands import LabError, attempt, run
from .hosts import Host

HERE = Path(__file__).resolve().parent
SSHD = ("--as-pid2", "/bin/sh", "-c", "mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e")
BOOT_SECONDS = 60


@dataclass(frozen=True)
class Machine:
    """A host with its place in the lab; number: the last part of its address."""

    host: Host
    number: int
    python: pythons.Python | None

    @property
    def name(self) -> str:
        return self.host.name

    @property
    def address(self) -> str:
        return f"{settings.SUBNET}.{self.number}"

    @property
    def folder(self) -> Path:
        return settings.HOSTS / self.name

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def interpreter(self) -> str:
        return str(self.python.interpreter) if self.python else "/usr/bin/python3"


def start(machine: Machine) -> str:
    """Prepare the root file system, boot, wait until sshd answers; return the host's public key."""
    host_key = prepare(machine)
    network.add_host(machine.name, machine.number, machine.address)
    wait_for_sshd(machine, boot(machine))
    return host_key


def prepare(machine: Machine) -> str:
    upper, work = machine.folder / "upper", machine.folder / "work"
    for folder in (upper, work, machine.root):
        folder.mkdir(parents=True)
    layers = f"lowerdir={roots.root(machine.host.root)},upperdir={upper},workdir={work}"
    run(["mount", "-t", "overlay", "overlay", "-o", layers, str(machine.root)])
    etc = machine.root / "etc"
    (etc / "hostname").write_text(f"{machine.name}\n")
    (etc / "hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {machine.name}\n")
    (etc / "machine-id").write_text(f"{uuid.uuid4().hex}\n")
    if not machine.host.sftp:
        config = etc / "ssh/sshd_config"
        config.write_text(config.read_text().replace("Subsystem", "#Subsystem"))
    if machine.host.recorded:
        recorded.install(recorded.build(machine.host), machine.root)
    return keys.install(machine.root, machine.name)


def boot(machine: Machine) -> subprocess.Popen[bytes]:
    arguments = [
        "--quiet", "--register=no", "--keep-unit", "--link-journal=no", "--resolv-conf=off", "--timezone=off",
        f"--directory={machine.root}", f"--machine={machine.name}",
    ]  # fmt: skip
    if machine.python and machine.python.prefix:
        arguments.append(f"--bind-ro={machine.python.prefix}")
    if machine.host.recorded:
        arguments.append(f"--bind-ro={recorded.folder(machine.host)}:{recorded.INSIDE}")
    arguments += ("--boot",) if machine.host.systemd else SSHD
    cgroup = settings.PREFIX + machine.name
    # A session and an environment of its own: neither this terminal's ^C nor its variables reach the host.
    return subprocess.Popen(
        ["ip", "netns", "exec", network.namespace(machine.name), str(HERE / "boot.sh"), cgroup, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=(machine.folder / "console.log").open("wb"),
        stderr=subprocess.STDOUT,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        start_new_session=True,
    )


def wait_for_sshd(machine: Machine, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + BOOT_SECONDS
    while not answers(machine.address):
        if process.poll() is not None or time.monotonic() > deadline:
            said = (machine.folder / "console.log").read_text(errors="replace").strip().splitlines() or [""]
            raise LabError(f"{machine.name} did not boot: {said[-1]}")
        time.sleep(0.1)


def answers(address: str) -> bool:
    try:
        with socket.create_connection((address, 22), timeout=1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def settle(machine: Machine) -> None:
    """Wait for the last unit (until then nobody but root may log in), then lay the recorded machine over."""
    if machine.host.systemd:
        state = attempt(keys.command(machine.address, "systemctl is-system-running --wait")).strip()
        if state != "running":
            failed = attempt(keys.command(machine.address, "systemctl --failed --plain --no-legend")).split()
            raise LabError(f"{machine.name} is {state or 'silent'}: {' '.join(failed[:1])}")
    if machine.host.recorded:
        run(keys.command(machine.address, f"sh {recorded.LAY}"))


def record(machine: Machine, host_key: str) -> None:
    """Note that a host is at work: one without this note was never finished."""
    facts = {"address": machine.address, "interpreter": machine.interpreter, "host_key": host_key}
    (machine.folder / "host.json").write_text(json.dumps(facts))


def known() -> dict[str, dict[str, str]]:
    """The hosts at work: name to address, interpreter and host key."""
    return {file.parent.name: json.loads(file.read_text()) for file in sorted(settings.HOSTS.glob("*/host.json"))}


def remains() -> set[str]:
    """Every host of which anything is left: a folder, a cgroup, a namespace."""
    folders = {folder.name for folder in settings.HOSTS.glob("*")}
    cgroups = {folder.name.removeprefix(settings.PREFIX) for folder in settings.CGROUP.glob(f"{settings.PREFIX}*")}
    return folders | cgroups | set(network.namespaces())


def stop(names: set[str]) -> None:
    """End everything these hosts run and remove what they left; the hosts are throw-away, so nothing is halted first."""
    for name in names:
        kill(settings.CGROUP / (settings.PREFIX + name))
    network.remove_hosts(names)
    for name in names:
        folder = settings.HOSTS / name
        if os.path.ismount(folder / "root"):
            run(["umount", "--lazy", str(folder / "root")])
        shutil.rmtree(folder, ignore_errors=True)


def kill(cgroup: Path) -> None:
    """Kill what runs in a cgroup and below, which is exactly what the lab started there, and remove it."""
    if not cgroup.is_dir():
        return
    (cgroup / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + 10
    while "populated 1" in (cgroup / "cgroup.events").read_text():
        if time.monotonic() > deadline:
            raise LabError(f"a process in {cgroup} does not die")
        time.sleep(0.02)
    for folder, *unused in os.walk(cgroup, topdown=False):
        os.rmdir(folder)
