# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""Texts that lie, attack or never end: one JSON with values that can be, in bounded time, and never a traceback."""

import json
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.faults.look import flat
from tests.faults.replay import Replay, replay
from tests.faults.test_blanking import QUERY, TOPO, XML
from tests.standin import build

SECONDS = 5
HOST = "kpro6"


@lru_cache(maxsize=None)
def asked(reader: str = "nvidia_smi") -> Replay:
    return replay(HOST, reader)


def text_of(command: str) -> str:
    return asked().outcomes[command].out


def look_at(command: str, text: str) -> dict[str, Any]:
    started = time.monotonic()
    facts = asked().with_output(command, text).look()
    assert time.monotonic() - started < SECONDS
    hold(facts)
    return facts


def hold(facts: dict[str, Any]) -> None:
    """Hold what no input may change: texts on one line, numbers that can be, messages that end."""
    assert len(json.dumps(facts)) < 4 << 20
    for key, value in flat(facts).items():
        if isinstance(value, str):
            assert value.isprintable(), key
            assert len(value) <= 400, key
        if isinstance(value, (int, float)):
            assert 0 <= value < 1 << 63, key


def element(tag: str, content: str) -> str:
    """Return the log with this content in the first element of a name."""
    text = text_of(XML)
    start = text.index(f"<{tag}>") + len(tag) + 2
    return text[:start] + content + text[text.index(f"</{tag}>", start) :]


NUMBERS = [
    "-1",
    "1e9 MiB",
    "\u0663 MiB",
    "\u00b2 MiB",
    "nan MiB",
    "inf MiB",
    "9" * 5000 + " MiB",
    "1_000 MiB",
    "+5 MiB",
    "0x10 MiB",
]


@pytest.mark.parametrize("number", NUMBERS, ids=range(len(NUMBERS)))
def test_memory_that_is_no_number(number: str) -> None:
    facts = look_at(XML, element("total", number))
    assert facts["gpus"][0]["memory_total_mib"] is None
    assert (facts["state"], facts["gpus"][0]["state"]) == ("degraded", "error")


@pytest.mark.parametrize("watts", ["nan W", "inf W", "-600.00 W", "6e2 W", "\u0666\u0660\u0660.00 W", "600,00 W"])
def test_power_that_is_no_number(watts: str) -> None:
    facts = look_at(XML, element("current_power_limit", watts))
    assert facts["gpus"][0]["power"]["limit_watts"] is None
    assert facts["state"] == "degraded"


@pytest.mark.parametrize("count", ["999999", "0", "-1", "9" * 5000, "\u0662", "1"])
def test_count_that_lies(count: str) -> None:
    facts = look_at(XML, element("attached_gpus", count))
    assert len(facts["gpus"]) == 2
    # Fewer promised than there are takes nothing away; more promised than there are is a GPU that is missing.
    assert facts["state"] == ("ok" if count in ("0", "1") else "degraded")


@pytest.mark.parametrize("version", ["\u0665\u0668\u0660", "nan", "580." * 2000, "-580.1", "v580"])
def test_version_that_is_none(version: str) -> None:
    facts = look_at(XML, element("driver_version", version))
    assert facts["driver"]["version"] is None
    assert "driver" in {row["source"] for row in facts["problems"]}


NAMES = {
    "newlines": "NVIDIA\nRTX\r\nstate: ok",
    "escapes": "NVIDIA &#x9b;31m &#x85; &#x202e;0006 ORP XTR",
    "ten-kilobytes": "N" * 10_000,
    "right-to-left": "\u202eNVIDIA\u200b\u2028RTX",
    "secret": "NVIDIA hf_abcdefghijklmnop",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_name_that_attacks_a_terminal(name: str) -> None:
    facts = look_at(XML, element("product_name", name))
    assert facts["gpus"][0]["name"]
    assert facts["gpus"][0]["product"] is None
    assert "hf_abc" not in json.dumps(facts)


BILLION_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<nvidia_smi_log><gpu><product_name>&b;</product_name></gpu></nvidia_smi_log>"
)
LOGS = {
    "billion-laughs": BILLION_LAUGHS,
    "entity-in-utf-16": BILLION_LAUGHS.replace("<!ENTITY", "<!\u200bENTITY"),
    "external-entity": BILLION_LAUGHS.replace('"ha"', 'SYSTEM "file:///etc/passwd"'),
    "deep": "<nvidia_smi_log>" + "<gpu>" * 200_000,
    "deep-and-closed": "<nvidia_smi_log>" + "<gpu>" * 50_000 + "</gpu>" * 50_000 + "</nvidia_smi_log>",
    "other-document": "<html><body>login</body></html>",
    "no-gpu": "<nvidia_smi_log></nvidia_smi_log>",
    "nul": "<nvidia_smi_log>\x00</nvidia_smi_log>",
    "surrogate": "<nvidia_smi_log>\udcff</nvidia_smi_log>",
    "one-long-line": "x" * (8 << 20),
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_log_that_is_none(log: str) -> None:
    facts = look_at(XML, log)
    assert facts["state"] == "degraded"
    assert XML in {row["source"] for row in facts["problems"]} or facts["gpus"][0]["state"] != "ok"


def doubled(tag: str) -> str:
    """Return the log whose second GPU says what the first one says in this element."""
    text = text_of(XML)
    start = text.index(f"<{tag}>") + len(tag) + 2
    first = text[start : text.index(f"</{tag}>", start)]
    second = text.rindex(f"<{tag}>") + len(tag) + 2
    return text[:second] + first + text[text.index(f"</{tag}>", second) :]


def test_two_gpus_at_one_address() -> None:
    facts = look_at(XML, doubled("pci_bus_id"))
    assert facts["state"] == "degraded"


def test_two_gpus_of_one_index() -> None:
    lines = text_of(QUERY).splitlines()
    facts = look_at(QUERY, "\n".join([lines[0], "0" + lines[1][1:]]))
    assert (QUERY, "parse_error") in {(row["source"], row["code"]) for row in facts["problems"]}


def matrix(gpus: int, nics: int) -> str:
    names = [f"GPU{index}" for index in range(gpus)] + [f"NIC{index}" for index in range(nics)]
    lines = ["\t" + "\t".join([*names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])]
    lines += ["\t".join([name, *["PIX"] * len(names), "0-3", "0", "", "N/A"]) for name in names]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("gpus", "nics", "state"), [(200, 100, "degraded"), (1500, 20, "ok")])
def test_matrix_of_a_machine_that_cannot_be(gpus: int, nics: int, state: str) -> None:
    """Hundreds of GPUs that nobody else knows are missing ones; thousands are no matrix, and its fields unknown."""
    assert look_at(TOPO, matrix(gpus, nics))["state"] == state


def process(pid: int) -> str:
    cells = f"<pid>{pid}</pid><type>C</type><process_name>p</process_name><used_memory>1 MiB</used_memory>"
    return f"<process_info>{cells}</process_info>"


def test_thousands_of_processes() -> None:
    facts = look_at(XML, element("processes", "".join(process(pid) for pid in range(1, 5001))))
    assert len(facts["gpus"][0]["processes"]) == 5000


PROC = {
    # A file of /proc or /etc, and what stands in it
    "huge-passwd": ("etc/passwd", b"x" * (2 << 20) + b"\n" + b"".join(b"u%d:x:%d:\n" % (uid, uid) for uid in range(1, 9999))),
    "latin-1-passwd": ("etc/passwd", b"r\xf6\xf6t:x:0:0::/:/bin/sh\n"),
    "huge-cgroup": ("proc/47028/cgroup", b"0::/" + b"a/" * (1 << 19)),
    "binary-cgroup": ("proc/47028/cgroup", b"\xff\xfe\x00\n0::/\xff.service\n"),
    "escaped-cgroup": ("proc/47028/cgroup", b"0::/machine.slice/machine-\\x1b\\x0a\\xff.scope/system.slice/a\x1b.service\n"),
    "no-uid": ("proc/47028/status", b"Uid:\n"),
    "strange-uid": ("proc/47028/status", b"Uid:\t\x1b[31m\n"),
    "binary-modules": ("proc/modules", bytes(range(256)) * 64),
    "long-version": ("proc/driver/nvidia/version", b"NVRM version: NVIDIA UNIX " + b"Kernel Module 1.1" * 60_000),
    "odd-minor": ("proc/driver/nvidia/gpus/0000:01:00.0/information", b"Device Minor: \t ../../etc/shadow\n"),
    "arabic-minor": ("proc/driver/nvidia/gpus/0000:01:00.0/information", "Device Minor: \u0660\n".encode()),
}


@pytest.mark.parametrize("reader", ["nvml", "nvidia_smi"])
@pytest.mark.parametrize(("path", "content"), PROC.values(), ids=PROC)
def test_kernel_texts_that_are_strange(path: str, content: bytes, reader: str, tmp_path: Path) -> None:
    tree = build(HOST, tmp_path / "tree", {"container": "docker"})
    (tree / path).write_bytes(content)
    started = time.monotonic()
    facts = asked(reader).look(tree)
    assert time.monotonic() - started < SECONDS
    hold(facts)


def refuse(tree: Path) -> None:
    (tree / "proc/47028/cgroup").unlink()
    (tree / "proc/47028/cgroup").mkdir()


def make_loop(tree: Path) -> None:
    (tree / "proc/47028/cgroup").unlink()
    (tree / "proc/47028/cgroup").symlink_to("cgroup")


@pytest.mark.parametrize("change", [refuse, make_loop])
def test_process_that_has_vanished(change: Callable[[Path], None], tmp_path: Path) -> None:
    tree = build(HOST, tmp_path / "tree")
    change(tree)
    facts = asked().look(tree)
    hold(facts)
    assert ("/proc/47028", "process_hidden") in {(row["source"], row["code"]) for row in facts["problems"]}
