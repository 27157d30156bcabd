# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A recorded machine of tests/hosts on a lab host: its files, its libraries, and its GPU processes for real."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path, PurePosixPath

from . import settings
from .commands import run
from .hosts import Host

HERE = Path(__file__).resolve().parent
INSIDE = "/opt/recorded"
LAY = "/opt/lab/lay.sh"
STAY = "/opt/lab/stay"
STARTS = "/opt/lab/processes"
LIBRARIES = "usr/lib/x86_64-linux-gnu"

UNIT = """\
[Unit]
Description=A recorded GPU process

[Service]
Type=forking
Environment=RECON_LAB_PID={pid}
ExecStart=@{program} {arguments}
"""

SCRIPT = """\
#!/bin/bash
mkdir -p /sys/fs/cgroup{cgroup}
echo $$ >/sys/fs/cgroup{cgroup}/cgroup.procs
start() {{ RECON_LAB_PID={pid} exec -a "$1" {program} "${{@:2}}"; }}
start {arguments} </dev/null >/dev/null 2>&1
"""


def folder(host: Host) -> Path:
    """Where the recorded files of a host lie; they are bound into it at INSIDE."""
    return settings.WORK / "recorded" / host.name


def build(host: Host) -> Path:
    made = folder(host)
    shutil.rmtree(made, ignore_errors=True)
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
    """Arrange a real process with the recorded id, program path, arguments and cgroup.

    A service of the host is a unit of its systemd. A cgroup that something else made (a container's, seen from the
    machine) is made by a script of lay.sh.
    """
    arguments = recorded.joinpath("cmdline").read_text().rstrip("\0").split("\0")
    cgroup = PurePosixPath(recorded.joinpath("cgroup").read_text().strip().removeprefix("0::"))
    program = arguments[0] if arguments[0].startswith("/") else STAY
    place(root / program[1:])
    if cgroup.parent == PurePosixPath("/system.slice"):
        write_unit(root / "etc/systemd/system", cgroup.name, recorded.name, program, arguments)
    else:
        write_script(root / STARTS[1:], cgroup, recorded.name, program, arguments)


def write_unit(units: Path, unit: str, pid: str, program: str, arguments: list[str]) -> None:
    quoted = " ".join(quote(argument) for argument in arguments)
    (units / unit).write_text(UNIT.format(pid=pid, program=program, arguments=quoted))
    wanted = units / "multi-user.target.wants"
    wanted.mkdir(exist_ok=True)
    (wanted / unit).symlink_to(f"/etc/systemd/system/{unit}")


def write_script(folder: Path, cgroup: PurePosixPath, pid: str, program: str, arguments: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    script = SCRIPT.format(cgroup=cgroup, pid=pid, program=program, arguments=shlex.join(arguments))
    (folder / pid).write_text(script)


def quote(argument: str) -> str:
    """For ExecStart of systemd.service(5): its own specifiers and variables are text here."""
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


def place(program: Path) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(settings.WORK / "stay", program)


def compile_stay() -> None:
    """Compile once, through a rename: hosts are prepared side by side."""
    source, finished = HERE / "stay.c", settings.WORK / "stay"
    if not finished.exists() or finished.stat().st_mtime < source.stat().st_mtime:
        unfinished = finished.with_suffix(".new")
        run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(unfinished), str(source)])
        os.rename(unfinished, finished)
