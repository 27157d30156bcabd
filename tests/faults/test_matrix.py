# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""What breaks around the module, against the module as a real process: its state, its end, its size and its silence."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.module import Run, run_module
from tests.standin import build

HOST = "kpro6"
TIMEOUT = 2
ALLOWANCE = 3
"""Seconds beyond the time limit: the start of Python, and the second in which a killed child is awaited."""
MOST_MIB = 200

# A mount namespace in which the kernel shows the recorded bus and driver: $1 is the tree.
SHOW = """
for each in sys/bus/pci proc/driver proc/modules; do
    [ ! -e "/$each" ] || mount --bind "$1/$each" "/$each" || exit 99
done
shift; exec "$@"
"""
NAMESPACE = ("unshare", "-m" if os.geteuid() == 0 else "-rm")


def run(tree: Path, **options: Any) -> Run:
    """Run the module where the recorded kernel shows, and hold what holds for every run."""
    ran = run_module(tree, (*NAMESPACE, "sh", "-c", SHOW, "sh", str(tree)), timeout=TIMEOUT, **options)
    assert ran.seconds < TIMEOUT + ALLOWANCE
    assert ran.peak_mib < MOST_MIB
    assert ran.rc == 0
    assert ran.err == ""
    assert ran.result["changed"] is False
    assert ran.facts["pci_gpu_count"] in (8, None)
    return ran


def reasons(ran: Run) -> set[tuple[str, str]]:
    return {(row["source"], row["code"]) for row in ran.facts["problems"]}


def lacking(what: str) -> None:
    """Skip on a person's machine; CI has to have it all."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(what)


@pytest.fixture(scope="module", autouse=True)
def namespace() -> None:
    """Without a mount namespace there is nothing to break safely."""
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        lacking("this machine gives no mount namespace")


XML, TOPO, QUERY = "nvidia-smi -q -x", "nvidia-smi topo -m", "nvidia-smi --query-gpu"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159\n"
NO_DRIVER = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
NO_LIBRARY = "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.\n"
LOST = "Unable to determine the device handle for GPU0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
INFOROM = "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n"

SMI = {
    # What nvidia-smi does, by command line: (faults of the stand-in, the host's state, a problem that says why)
    "hangs": ({"*": {"hang": True}}, "unresponsive", (XML, "timeout")),
    "ignores-sigterm": ({"*": {"hang": True, "ignore_term": True}}, "unresponsive", (XML, "timeout")),
    "hangs-in-one": ({"topo -m": {"hang": True}}, "ok", (TOPO, "timeout")),
    "leaves-a-child": ({"*": {"orphan": True}}, "ok", None),
    "err-cells": (
        {"-q -x": {"replace": [["<total>97887 MiB</total>", "<total>ERR!</total>"]]}},
        "degraded",
        ("nvidia_smi", "unreadable"),
    ),
    "half-an-xml": ({"-q -x": {"keep": 0.5}}, "degraded", (XML, "parse_error")),
    "floods-the-log": ({"-q -x": {"flood_mib": 100}}, "degraded", (XML, "too_much_output")),
    "floods": ({"*": {"flood_mib": 100}}, "unknown", (XML, "too_much_output")),
    "latin-1": ({"-q -x": {"replace": [["NVIDIA RTX", "NVIDIA \u00e9 RTX"]], "latin1": True}}, "ok", None),
    "says-nothing": ({"*": {"stdout": ""}}, "unknown", (XML, "parse_error")),
    "no-devices": ({"*": {"stdout": "No devices were found\n", "exit": 6}}, "no_devices", ("nvidia-smi", "driver_answer")),
    "no-driver": ({"*": {"stdout": NO_DRIVER, "exit": 9}}, "unknown", ("nvidia-smi", "driver_answer")),
    "no-library": ({"*": {"stdout": NO_LIBRARY, "exit": 12}}, "library_missing", None),
    "inforom": ({"-q -x": {"stderr": INFOROM, "exit": 14}}, "ok", (XML, "failed")),
    "lost": ({"*": {"stdout": LOST, "exit": 15}}, "degraded", ("nvidia_smi", "lost")),
    "mismatch": ({"*": {"stdout": MISMATCH, "exit": 18}}, "driver_library_mismatch", ("nvidia-smi", "driver_answer")),
    "unknown-error": (
        {"*": {"stdout": "Failed to initialize NVML: Unknown Error\n", "exit": 255}},
        "access_denied",
        ("nvidia-smi", "driver_answer"),
    ),
    "permissions": (
        {"*": {"stdout": "Failed to initialize NVML: Insufficient Permissions\n", "exit": 4}},
        "access_denied",
        ("nvidia-smi", "driver_answer"),
    ),
    "one-speaks-of-nvml": (
        {"nvlink -s": {"stdout": "Failed to initialize NVML: Unknown Error\n", "exit": 255}},
        "ok",
        ("nvidia-smi nvlink -s", "failed"),
    ),
}


@pytest.mark.parametrize(("faults", "state", "reason"), SMI.values(), ids=SMI)
def test_nvidia_smi_that(faults: dict[str, Any], state: str, reason: Any, tmp_path: Path) -> None:
    ran = run(build(HOST, tmp_path / "tree", {"faults": {"smi": faults}}), readers=["nvidia_smi"])
    assert ran.facts["state"] == state
    assert reason is None or reason in reasons(ran)


def forbid(tool: Path) -> None:
    tool.chmod(0o644)


def make_folder(tool: Path) -> None:
    tool.unlink()
    tool.mkdir()


def make_other_program(tool: Path) -> None:
    tool.write_bytes(b"\x7fELF of another machine")


TOOLS: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "gone": (Path.unlink, "library_missing", ""),
    "not-executable": (forbid, "unknown", "not_permitted"),
    "folder": (make_folder, "unknown", "not_permitted"),
    "other-program": (make_other_program, "unknown", "crash"),
}


@pytest.mark.parametrize(("spoil", "state", "code"), TOOLS.values(), ids=TOOLS)
def test_nvidia_smi_that_cannot_run(spoil: Callable[[Path], Any], state: str, code: str, tmp_path: Path) -> None:
    tree = build(HOST, tmp_path / "tree")
    spoil(tree / "bin/nvidia-smi")
    ran = run(tree, readers=["nvidia_smi"])
    assert ran.facts["state"] == state
    assert not code or (XML, code) in reasons(ran)


INIT = {9: "unknown", 18: "driver_library_mismatch", 4: "access_denied", 999: "access_denied", "hang": "unresponsive"}


@pytest.mark.parametrize(("error", "state"), INIT.items())
def test_nvml_that_does_not_start(error: int | str, state: str, tmp_path: Path) -> None:
    changes = {"faults": {"nvml": [{"call": "nvmlInit_v2", "error": error}]}}
    ran = run(build(HOST, tmp_path / "tree", changes), readers=["nvml"])
    assert ran.facts["state"] == state
    assert "nvml" in {source for source, unused in reasons(ran)}


def test_nvml_that_hangs_later(tmp_path: Path) -> None:
    changes = {"faults": {"nvml": [{"call": "nvmlDeviceGetCount_v2", "error": "hang"}]}}
    assert run(build(HOST, tmp_path / "tree", changes), readers=["nvml"]).facts["state"] == "unresponsive"


LOADING = "#include <unistd.h>\n__attribute__((constructor)) void start(void)"
UNTERMINATED = """
#include <string.h>
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = device; return 0; }
int nvmlDeviceGetName(void *device, char *name, unsigned size) { memset(name, 0xff, size); return 0; }
"""

LIBRARIES = {
    # What libnvidia-ml.so.1 is: (C or bytes, the host's state)
    "segfault": ("int nvmlInit_v2(void) { *(volatile int *)0 = 0; return 0; }", "unknown"),
    "abort": ("#include <stdlib.h>\nint nvmlInit_v2(void) { abort(); }", "unknown"),
    "exit": ("#include <stdlib.h>\nint nvmlInit_v2(void) { exit(0); }", "unknown"),
    "no-function": ("int something_else;", "unknown"),
    "segfault-while-loading": (LOADING + " { *(volatile int *)0 = 0; }", "unknown"),
    "hang-while-loading": (
        "#include <unistd.h>\n__attribute__((constructor)) void start(void) { for (;;) pause(); }",
        "unresponsive",
    ),
    "flood": (
        "#include <unistd.h>\nint nvmlInit_v2(void) { static char x[1 << 20]; for (;;) write(1, x, sizeof x); }",
        "unknown",
    ),
    "leaves-a-daemon": (
        "#include <unistd.h>\nint nvmlInit_v2(void) { if (!fork()) { setsid(); sleep(20); _exit(0); } return 999; }",
        "access_denied",
    ),
    "counts-a-million": (
        "int nvmlInit_v2(void) { return 0; } int nvmlDeviceGetCount_v2(unsigned *n) { *n = 999999; return 0; }",
        "unknown",
    ),
    "unterminated-texts": (UNTERMINATED, "degraded"),
    "no-library-at-all": (b"\xff not a library\n" * 100, "library_missing"),
    "other-word-size": (b"\x7fELF\x01\x01\x01" + bytes(45), "library_missing"),
    "empty": (b"", "library_missing"),
}


@pytest.mark.parametrize(("library", "state"), LIBRARIES.values(), ids=LIBRARIES)
def test_nvml_whose_library_is_broken(library: str | bytes, state: str, tmp_path: Path) -> None:
    tree = build(HOST, tmp_path / "tree")
    target = tree / "lib/libnvidia-ml.so.1"
    target.unlink()
    if isinstance(library, bytes):
        target.write_bytes(library)
    else:
        command = ["gcc", "-shared", "-fPIC", "-w", "-Wl,-soname,libnvidia-ml.so.1", "-x", "c", "-o", str(target), "-"]
        subprocess.run(command, input=library.encode(), check=True)
    ran = run(tree, readers=["nvml"])
    assert ran.facts["state"] == state
    assert [gpu["state"] for gpu in ran.facts["gpus"] if gpu["state"] == "ok"] == []


HIDDEN = {
    # What a container may cover with an empty file system
    "sys": ("/sys", "ok"),
    "driver": ("/proc/driver", "ok"),
    "proc": ("/proc", "ok"),
}


@pytest.mark.parametrize(("folder", "state"), HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("reader", ["nvml", "nvidia_smi"])
def test_kernel_that_is_hidden(folder: str, state: str, reader: str, tmp_path: Path) -> None:
    tree = build(HOST, tmp_path / "tree")
    cover = SHOW.replace("shift;", f"mount -t tmpfs none {folder} || exit 99; shift;")
    ran = run_module(tree, (*NAMESPACE, "sh", "-c", cover, "sh", str(tree)), timeout=TIMEOUT, readers=[reader])
    assert (ran.rc, ran.err, ran.facts["state"]) == (0, "", state)
    assert ran.seconds < TIMEOUT + ALLOWANCE
    assert any(folder in row["source"] for row in ran.facts["problems"])


@pytest.fixture
def immortal() -> Iterator[Path]:
    """A tree whose nvidia-smi belongs to root and waits: nobody else may kill it."""
    if os.geteuid() != 0:
        lacking("only root makes programs that others cannot kill")
    folder = Path(tempfile.mkdtemp(prefix="recon-immortal-"))
    folder.chmod(0o755)
    tree = build(HOST, folder / "tree")
    tool = tree / "bin/nvidia-smi"
    code = "#include <unistd.h>\nint main(void) { setuid(0); for (;;) pause(); }"
    subprocess.run(["gcc", "-x", "c", "-o", str(tool), "-"], input=code.encode(), check=True)
    tool.chmod(0o4755)
    yield tree
    for pid in running(tool):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder)


def running(tool: Path) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/exe") == str(tool):
                found.append(int(name))
        except OSError:  # it has ended
            pass
    return found


def test_nvidia_smi_that_cannot_be_killed(immortal: Path) -> None:
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    started = time.monotonic()
    ran = run_module(immortal, nobody, timeout=TIMEOUT, readers=["nvidia_smi"])
    # All four commands are waited for side by side, and so is their end.
    assert time.monotonic() - started < TIMEOUT + ALLOWANCE
    assert (ran.rc, ran.err, ran.facts["state"]) == (0, "", "unresponsive")
    assert len(running(immortal / "bin/nvidia-smi")) == 4  # the fault was real
