# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A recorded machine of tests/hosts on a lab host: its files, its libraries, and its GPU processes for real."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from . import CHECKOUT, settings
from .commands import LabError, run
from .hosts import Host

HERE = Path(__file__).resolve().parent
INSIDE = "/opt/recorded"
LAY = "/opt/lab/lay.sh"
STAY = "/opt/lab/stay"
LIBRARIES = "usr/lib/x86_64-linux-gnu"

UNIT = """\
[Unit]
Description=A recorded GPU process

[Service]
Type=forking
Environment=RECON_LAB_PID={pid}
ExecStart=@{program} {arguments}
"""


def build(host: Host) -> Path:
    """Make the recorded files of a host; they are bound into it at INSIDE."""
    made = settings.WORK / "recorded" / host.name
    if not made.is_dir():
        run([sys.executable, "-m", "tests.standin", "build", str(host.recorded), str(made)], timeout=120)
    return made


def install(made: Path, root: Path) -> None:
    """Put into a root file system what lies in plain folders there: programs, libraries, units."""
    (root / "opt/lab").mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "lay.sh", root / LAY[1:])
    # A link, not a copy: the stand-in finds its recorded outputs beside its own real path.
    if (made / "bin/nvidia-smi").exists():
        (root / "usr/bin/nvidia-smi").symlink_to(f"{INSIDE}/bin/nvidia-smi")
    if (made / LIBRARIES).is_dir():
        shutil.copytree(made / LIBRARIES, root / LIBRARIES, symlinks=True, dirs_exist_ok=True)
    for process in sorted(made.glob("proc/[0-9]*")):
        install_process(process, root)


def install_process(recorded: Path, root: Path) -> None:
    """Make a unit that runs a real process with the recorded id, program path and arguments."""
    arguments = recorded.joinpath("cmdline").read_text().rstrip("\0").split("\0")
    unit = unit_of(recorded.joinpath("cgroup").read_text())
    program = arguments[0] if arguments[0].startswith("/") else STAY
    place(root, program)
    services = root / "etc/systemd/system"
    quoted = " ".join(quote(argument) for argument in arguments)
    (services / unit).write_text(UNIT.format(pid=recorded.name, program=program, arguments=quoted))
    wanted = services / "multi-user.target.wants"
    wanted.mkdir(exist_ok=True)
    (wanted / unit).symlink_to(f"/etc/systemd/system/{unit}")


def unit_of(cgroup: str) -> str:
    services = [part for part in cgroup.replace("\n", "/").split("/") if part.endswith(".service")]
    if not services:
        raise LabError(f"a recorded process runs in no unit: {cgroup.strip()}")
    return services[-1]


def quote(argument: str) -> str:
    """For ExecStart of systemd.service(5): its own specifiers and variables are text here."""
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


def place(root: Path, program: str) -> None:
    binary = settings.WORK / "stay"
    target = root / program[1:]
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(binary, target)


def compile_stay() -> None:
    """Compile once, through a rename: hosts are prepared side by side."""
    source, finished = HERE / "stay.c", settings.WORK / "stay"
    if not finished.exists() or finished.stat().st_mtime < source.stat().st_mtime:
        unfinished = finished.with_suffix(".new")
        run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(unfinished), str(source)])
        os.rename(unfinished, finished)
