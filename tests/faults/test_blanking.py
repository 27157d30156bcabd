# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""Take away each single thing that a look at a host rests on: it may get worse by that, never better and never wrong."""

import re
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml, smi_reader
from ansible_collections.inference.recon.plugins.module_utils._nvidia.smi_xml import parse_log

from tests.faults.law import Allowed, broken
from tests.faults.look import READERS, look
from tests.faults.replay import Replay, replay
from tests.standin import build, names

XML, TOPO, NVLINK, QUERY = smi_reader.COMMANDS
GARBAGE = "qwxz"
MOST_LINKS = 18
FREE_TEXTS = ("name", "architecture", "cluster_uuid", "device")
"""Fields in which any text is as good as another."""

HOSTS = ["hgx-b200", "hgx-b200-fabric", "kpro6", "a6000-lost", "h200-mig"]
"""One of each kind: switch and NICs, a fabric that is not up, no NVLink and a process, bridges, MIG."""


@lru_cache(maxsize=None)
def asked(name: str, reader: str) -> Replay:
    return replay(name, reader)


@lru_cache(maxsize=None)
def whole(name: str, reader: str) -> dict[str, Any]:
    return asked(name, reader).look()


def is_garbage(key: str, value: Any) -> bool:
    return key.rpartition(".")[2] in FREE_TEXTS and GARBAGE in str(value)


def is_fewer_links(key: str, value: Any) -> bool:
    """Whether a count of links fell: nvlink -s without a line is that of a card with a link less."""
    return ".nvlink." in key and isinstance(value, int) and value < MOST_LINKS


def is_without_nvlink(key: str, *_: Any) -> bool:
    """Whether these are the links of a GPU that says that it has none."""
    return key.startswith(("links.", "interconnect"))


def is_name_of_kernel(key: str, value: Any) -> bool:
    """Whether a process has the kernel's short name: the driver did not tell its own."""
    return ".processes." in key and key.endswith(".name") and value == "python"


def is_without_mig(key: str, value: Any) -> bool:
    return ".mig_devices" in key and value == []


def faults_of(
    name: str, command: str, mutations: Iterator[tuple[str, str]], allowed: Allowed = is_garbage, lacks: bool = False
) -> dict[str, list[str]]:
    """Return what is wrong with the look after each mutation, by what the mutation did."""
    found = {}
    for did, text in mutations:
        facts = asked(name, "nvidia_smi").with_output(command, text).look()
        found[did] = broken(whole(name, "nvidia_smi"), facts, allowed, lacks)
    assert found  # or nothing was mutated
    return {did: wrong for did, wrong in found.items() if wrong}


# --- the log of nvidia-smi -q -x


class Elements:
    """Where each element of a document begins and ends: [start, end) of it and of its content."""

    def __init__(self, text: str) -> None:
        self.found: list[tuple[str, int, int, int, int]] = []
        self._open: list[tuple[str, int, int]] = []
        self._raw = text.encode()
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.Parse(self._raw, True)

    def _start(self, tag: str, *_: Any) -> None:
        place = self._parser.CurrentByteIndex
        self._open.append((tag, place, self._raw.index(b">", place) + 1))

    def _end(self, tag: str) -> None:
        unused, start, inside = self._open.pop()
        end = self._parser.CurrentByteIndex
        path = "/".join([name for name, *unused in self._open] + [tag])
        self.found.append((path, start, self._raw.index(b">", end) + 1, inside, end))


def log_mutations(text: str, content: str | None) -> Iterator[tuple[str, str]]:
    """Replace the content of each element that is read, or (None) remove the element.

    All GPUs are read alike: elements of the second stand for those of the others.
    """
    recorded = parse_log(text)
    gpus = [(start, end) for path, start, end, *unused in Elements(text).found if path == "nvidia_smi_log/gpu"]
    low, high = gpus[min(1, len(gpus) - 1)]
    for path, start, end, inside, outside in Elements(text).found:
        if "/gpu" in path and not low <= start < high:
            continue
        if path.endswith(ROWS) and content is None:
            continue  # without a row it is another host
        removed = text[:start] + text[end:]
        if path == "nvidia_smi_log" or (start > low and parse_log(removed) == recorded and content is not None):
            continue  # nobody reads it
        mutated = removed if content is None else text[:inside] + content + text[outside:]
        if mutated != text:
            yield f"{path} at {start}: {content!r}", mutated


ROWS = ("/mig_device", "/process_info")

CONTENTS = {"removed": None, "emptied": "", "garbage": GARBAGE, "error": "ERR!", "unknown": "[Unknown Error]"}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("name", HOSTS)
def test_log_without_an_element(name: str, content: str | None) -> None:
    text = asked(name, "nvidia_smi").outcomes[XML].out
    assert faults_of(name, XML, log_mutations(text, content)) == {}


@pytest.mark.parametrize("name", HOSTS)
def test_log_of_a_card_that_lacks_a_thing(name: str) -> None:
    text = asked(name, "nvidia_smi").outcomes[XML].out
    assert faults_of(name, XML, log_mutations(text, "N/A"), is_without_mig, lacks=True) == {}


# --- the texts of the other commands

OF_TEXT = {TOPO: is_garbage, NVLINK: is_fewer_links, QUERY: is_garbage}


def line_mutations(text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        before, after = "".join(lines[:place]), "".join(lines[place + 1 :])
        yield f"line {place} removed: {line!r}", before + after
        yield f"line {place} emptied: {line!r}", before + "\n" + after
        yield f"line {place} garbage: {line!r}", before + GARBAGE + "\n" + after
        yield f"line {place} halved: {line!r}", before + line[: len(line) // 2] + "\n" + after
        yield f"cut before line {place}", before
    yield "all", ""


def cell_mutations(text: str, separator: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        cells = line.rstrip("\n").split(separator)
        for column, cell in enumerate(cells):
            for content in ("", GARBAGE, "ERR!", "[Unknown Error]", "\N{SUPERSCRIPT TWO}"):
                mutated = separator.join(cells[:column] + [content] + cells[column + 1 :])
                if content != cell and len(cells) > 1:
                    change = "".join(lines[:place]) + mutated + "\n" + "".join(lines[place + 1 :])
                    yield f"line {place}, {cell!r} became {content!r}", change


@pytest.mark.parametrize("command", [TOPO, NVLINK, QUERY])
@pytest.mark.parametrize("name", HOSTS)
def test_text_without_a_line(name: str, command: str) -> None:
    text = asked(name, "nvidia_smi").outcomes[command].out
    assert faults_of(name, command, line_mutations(text), OF_TEXT[command]) == {}


@pytest.mark.parametrize(("command", "separator"), [(TOPO, "\t"), (NVLINK, ": "), (QUERY, ", ")])
@pytest.mark.parametrize("name", HOSTS)
def test_text_without_a_cell(name: str, command: str, separator: str) -> None:
    text = asked(name, "nvidia_smi").outcomes[command].out
    assert faults_of(name, command, cell_mutations(text, separator), OF_TEXT[command]) == {}


# --- NVML's calls

CODE = Path(nvml.__file__).parent
CALLS = sorted({call for file in CODE.glob("*.py") for call in re.findall('"(nvml[A-Z][A-Za-z0-9_]+)"', file.read_text())})

LINK_STATE = "nvmlDeviceGetNvLinkState"
LACKS = (
    # (call, the error by which a card says that it lacks a thing), beside NOT_SUPPORTED
    (LINK_STATE, nvml.INVALID_ARGUMENT),
)
CODES = {
    "unknown": nvml.UNKNOWN,
    "lost": nvml.GPU_IS_LOST,
    "reset": nvml.RESET_REQUIRED,
    "no-permission": nvml.NO_PERMISSION,
    "no-function": nvml.FUNCTION_NOT_FOUND,
    "invalid-argument": nvml.INVALID_ARGUMENT,
    "of-the-future": 77,
}


def call_faults(name: str, code: int, gpu: int | None) -> dict[str, list[str]]:
    found = {}
    for call, refused in asked(name, "nvml").with_faults(CALLS, code, gpu).items():
        facts = refused.look()
        lacks = (call, code) in LACKS or code == nvml.NOT_SUPPORTED
        allowed = is_without_nvlink if lacks and call == LINK_STATE else is_name_of_kernel
        found[call] = broken(whole(name, "nvml"), facts, allowed, lacks)
    return {call: wrong for call, wrong in found.items() if wrong}


@pytest.mark.parametrize("gpu", [0, None], ids=["one", "all"])
@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
@pytest.mark.parametrize("name", HOSTS)
def test_nvml_without_a_call(name: str, code: int, gpu: int | None) -> None:
    assert call_faults(name, code, gpu) == {}


@pytest.mark.parametrize("name", HOSTS)
def test_nvml_of_a_card_that_lacks_a_thing(name: str) -> None:
    assert call_faults(name, nvml.NOT_SUPPORTED, 0) == {}


# --- the files of the kernel

FOLDERS = ("sys", "sys/bus", "sys/bus/pci", "sys/class", "proc", "proc/driver", "proc/driver/nvidia", "proc/driver/nvidia/gpus")


def raw_files(tree: Path) -> list[Path]:
    """Return the files that say something of a device. A link says that it is there: without it the host is another one."""
    roots = ("sys", "proc", "etc")
    return sorted(path for root in roots for path in (tree / root).rglob("*") if path.is_file() and not path.is_symlink())


@pytest.fixture(params=[(name, reader) for name in names() for reader in READERS], ids="-".join)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[dict[str, Any], Callable[[], dict[str, Any]], Path]:
    """A host's facts, a look at a copy of it that may be damaged, and that copy."""
    name, reader = request.param
    kept = asked(name, reader)
    tree = Path(shutil.copytree(kept.tree, tmp_path / "tree", symlinks=True))
    return whole(name, reader), lambda: kept.look(tree), tree


def is_number_of_user(key: str, value: Any) -> bool:
    return key.endswith(".user") and value.isdigit()  # without its name


@pytest.mark.parametrize(
    "content", [None, "", GARBAGE, "-1", "\N{SUPERSCRIPT TWO}"], ids=["removed", "emptied", "garbage", "-1", "²"]
)
def test_kernel_without_a_file(machine: Any, content: str | None) -> None:
    before, look_again, tree = machine
    found = {}
    for path in raw_files(tree):
        if path.name == "numa_node" and content == "-1":
            continue  # so the kernel says that the firmware names no node
        kept = path.read_bytes()
        path.unlink()
        if content is not None:
            path.write_text(content)
        found[str(path.relative_to(tree))] = broken(before, look_again(), is_number_of_user)
        path.write_bytes(kept)
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_kernel_without_a_folder(machine: Any) -> None:
    before, look_again, tree = machine
    found = {}
    for folder in filter(lambda folder: (tree / folder).exists(), FOLDERS):
        aside = (tree / folder).rename(tree.with_name("aside"))
        found[folder] = broken(before, look_again())
        aside.rename(tree / folder)
    assert found
    assert {folder: wrong for folder, wrong in found.items() if wrong} == {}


# --- the libraries and the tool: through real children

TOOLS = ("lib/libnvidia-ml.so.1", "lib/libcuda.so.1", "bin/nvidia-smi")


@pytest.mark.parametrize("gone", [TOOLS[:1], TOOLS[1:2], TOOLS[2:], TOOLS[::2], TOOLS])
@pytest.mark.parametrize("name", [name for name in names() if name != "no-gpu"])
def test_host_without_its_tools(name: str, gone: tuple[str, ...], tmp_path: Path) -> None:
    tree = build(name, tmp_path / "tree")
    before = look(tree)
    for path in gone:
        (tree / path).unlink()
    assert broken(before, look(tree), is_other_reader) == []


def is_other_reader(key: str, value: Any) -> bool:
    """Whether NVML has this from its own library, and nvidia-smi from another one."""
    return key == "driver.nvml_version" and isinstance(value, str)
