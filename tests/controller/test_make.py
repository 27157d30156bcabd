# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The doors, typed by a person: real runs on this machine."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.controller.conftest import Person

NVIDIA = "0x10de"


def has_gpu() -> bool:
    """Look at the bus ourselves: the tests of this file are about a machine without a GPU."""
    return any(path.read_text().strip() == NVIDIA for path in Path("/sys/bus/pci/devices").glob("*/vendor"))


needs_no_gpu = pytest.mark.skipif(has_gpu(), reason="this machine has an NVIDIA device")


def report(person: Person, directory: str = "recon-report") -> Any:
    return json.loads((person.checkout / directory / "report.json").read_text())


def other_files(person: Person) -> set[Path]:
    """Return what lies in the checkout beside what a run may make."""
    mine = {".venv", ".cache", "recon-report", "__pycache__"}
    paths = (path.relative_to(person.checkout) for path in person.checkout.rglob("*"))
    return {path for path in paths if mine.isdisjoint(path.parts)}


@needs_no_gpu
def test_first_and_second_recon(person: Person) -> None:
    before = other_files(person)
    first = person.types("make", "recon")
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines() == [
        "localhost    no_gpu       no NVIDIA GPU on this machine",
        "",
        "1 host: 1 no_gpu",
        f"report  {person.checkout}/recon-report/report.json",
    ]
    assert first.stderr.count("setting up .venv") == 1
    assert "Traceback" not in first.stdout + first.stderr
    second = person.types("make", "recon")
    assert (second.returncode, second.stdout) == (0, first.stdout)
    assert second.stderr.splitlines() == [
        "recon: this machine only; HOST= or INVENTORY= names others",
        "Bring GPU hosts to readiness: 1 host ...",
    ]
    assert other_files(person) == before


@needs_no_gpu
def test_report_file(settled: Person) -> None:
    assert settled.types("make", "survey", "REPORT=elsewhere").returncode == 0
    found = report(settled, "elsewhere")
    (host,) = found["hosts"]
    assert (found["totals"], host["name"], host["state"], host["failure"]) == ({"no_gpu": 1}, "localhost", "no_gpu", None)
    assert host["facts"]["nvidia_topology"]["gpus"] == []
    modes = [stat.S_IMODE((settled.checkout / path).stat().st_mode) for path in ("elsewhere", "elsewhere/report.json")]
    assert modes == [0o700, 0o600]


def test_a_killed_set_up_starts_clean(settled: Person) -> None:
    (settled.checkout / ".venv" / "recon-stamp").unlink()
    (settled.checkout / ".venv" / "half-written").write_text("")
    done = settled.types("make", "setup")
    assert (done.returncode, done.stderr.count("setting up .venv")) == (0, 1)
    assert not (settled.checkout / ".venv" / "half-written").exists()


USAGE = [
    (["recon", "HOST=root@203.0.113.7:"], "'' is no port"),
    (["survey", "HOST=root@203.0.113.7;reboot"], "'203.0.113.7;reboot' is no host name"),
    (["survey", "HOST=-oProxyCommand=reboot"], "'-oProxyCommand=reboot' is not understood"),
    (["survey", "HOST=ssh root@203.0.113.7 -i ~/.ssh/no_such_key"], "there is no key file ~/.ssh/no_such_key"),
    (["survey", "INVENTORY=nowhere.yml"], "INVENTORY=nowhere.yml does not exist"),
    (["survey", "INVENTORY=nowhere.yml", "HOST=h"], "give HOST or INVENTORY, not both"),
    (["survey", "EXTRA=-e 'x"], "No closing quotation"),
    (["survey", "REPORT=README.md"], "README.md is no directory; REPORT=dir names another"),
    (["survey", "REPORT=/root/reports"], "/root is closed to you; REPORT=dir names another"),
    (["forget"], "'' names no host"),
    (["forget", "HOST=a;b"], "'a;b' is no host name"),
]


@pytest.mark.parametrize(("arguments", "line"), USAGE)
def test_wrong_settings_are_one_line(settled: Person, arguments: list[str], line: str) -> None:
    done = settled.types("make", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    ours = [text for text in done.stderr.splitlines() if not text.startswith("make")]
    assert len(ours) == 1
    assert ours[0].startswith("recon: ")
    assert line in ours[0]


def test_a_reader_that_goes_away_ends_the_run(settled: Person) -> None:
    done = settled.types("sh", "-c", "make survey | true; echo ended")
    assert done.stdout == "ended\n"
    assert "Traceback" not in done.stderr


def test_gate_passes_nobody(settled: Person) -> None:
    done = settled.types("make", "gate")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        2,
        "RECON-GATE verdict=unknown ready=0 not_ready=1 unreachable=0",
    )


@pytest.mark.parametrize("door", ["survey", "gate"])
def test_an_empty_inventory_is_no_success(settled: Person, door: str) -> None:
    settled.types("make", "survey")
    (settled.checkout / "empty.yml").write_text("all: {hosts: {}}\n")
    done = settled.types("make", door, "INVENTORY=empty.yml")
    assert done.returncode == 2
    assert "no host was surveyed" in done.stderr
    last = ["RECON-GATE verdict=unknown ready=0 not_ready=0 unreachable=0"] if door == "gate" else []
    assert [line for line in done.stdout.splitlines() if line.startswith("RECON-GATE")] == last


@needs_no_gpu
@pytest.mark.parametrize(
    "environ",
    [
        {"HOST": "x86_64-conda-linux-gnu", "LIMIT": "nobody", "EXTRA": "--nonsense"},
        {"LC_ALL": "C"},
        {"LANG": "xx_YY.UTF-8"},
        {"HOME": "/nonexistent"},
        {"ANSIBLE_CONFIG": "/nowhere/ansible.cfg", "ANSIBLE_COLLECTIONS_PATH": "/nowhere"},
    ],
    ids=str,
)
def test_what_the_shell_exports_does_not_lead_astray(settled: Person, environ: dict[str, str]) -> None:
    done = settled.types("make", "survey", **environ)
    assert (done.returncode, report(settled)["totals"]) == (0, {"no_gpu": 1}), done.stderr


def test_help_names_every_door(person: Person) -> None:
    done = person.types("make")
    assert done.returncode == 0
    for door in ("recon", "survey", "gate", "forget", "test", "lab", "lab-down"):
        assert f"make {door}" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_too_old_a_python_is_one_line(person: Person) -> None:
    old = person.checkout / "old"
    old.mkdir()
    (old / "python3").write_text("#!/bin/sh\nexit 127\n")
    (old / "python3").chmod(0o755)
    code = "import sys; sys.version_info = (3, 9, 6); sys.path.insert(0, 'bin'); import environment; sys.exit(environment.main())"
    done = person.types("/usr/bin/python3", "-c", code, PATH=str(old))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("recon: Python 3.10 or newer is needed here")
