# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RETURN reaches the leaves, and holds for every result: no key without a row, no row without a key, types as written."""

from __future__ import annotations

import json
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.meta.collection import FACTS, MODULES, NAMESPACE, ROOT, documentation

EXPECTED = sorted((ROOT / "tests" / "hosts").glob("*/expected/*.json"))
TYPES: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool, "list": list, "dict": dict}
WORDS = {"code", "kind", "state"}
"""Keys whose value is a word of a list, which stands in their row."""

Row = dict[str, Any]


def module_of(path: Path) -> str:
    """Return whose facts a file expects: `nvidia_topology.cuda_check_all.json` has those of a run with that option."""
    return path.name.split(".")[0]


def facts_row(name: str) -> Row:
    """Return the documentation of a module's facts."""
    return documentation(name)["return"]["ansible_facts"]["contains"][name]


def rows(path: str, row: Row) -> Iterator[tuple[str, Row]]:
    """Yield a row and all rows below it, each with its path."""
    yield path, row
    for key, below in row.get("contains", {}).items():
        yield from rows(f"{path}.{key}", below)


def keys(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value and all values below it; the items of a list share the list's path, as rows do."""
    yield path, value
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            for key, below in item.items():
                yield from keys(f"{path}.{key}", below)


def faults(name: str, facts: dict[str, Any]) -> list[str]:
    """Return what in these facts is not as documented."""
    documented = dict(rows(name, facts_row(name)))
    free = tuple(f"{path}." for path, row in documented.items() if row["type"] == "dict" and "contains" not in row)
    wrong = []
    for path, value in keys(name, facts):
        if path.startswith(free):
            continue
        if path not in documented:
            wrong.append(f"{path} has no row")
        elif value is not None and not has_type(value, documented[path]):
            wrong.append(f"{path} is no {documented[path]['type']}: {value!r}")
    return sorted(set(wrong))


def has_type(value: Any, row: Row) -> bool:
    """Say whether a value is what its row says; a bool is no int."""
    if row["type"] == "list":
        return isinstance(value, list) and all(isinstance(item, TYPES[row["elements"]]) for item in value)
    return isinstance(value, TYPES[row["type"]]) and (row["type"] == "bool" or not isinstance(value, bool))


@pytest.mark.parametrize("name", MODULES)
def test_every_row_is_whole(name: str) -> None:
    wrong = []
    for path, row in rows("", {"contains": documentation(name)["return"]}):
        wanted = {"description", "type", "returned"} | ({"elements"} if row.get("type") == "list" else set())
        if "contains" not in row:
            wanted.add("sample")
        wrong += [f"{path} lacks {key}" for key in sorted(wanted - row.keys()) if path]
        if "sample" in row and not has_type(row["sample"], row):
            wrong.append(f"{path} has a sample of another type")
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("name", FACTS)
def test_facts_are_one_key_with_the_name_of_the_module(name: str) -> None:
    assert list(documentation(name)["return"]["ansible_facts"]["contains"]) == [name]


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_recorded_facts_are_as_documented(path: Path) -> None:
    wrong = faults(module_of(path), json.loads(path.read_text()))
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_this_machine_are_as_documented(name: str, tmp_path: Path) -> None:
    facts = result_here(name, tmp_path)["ansible_facts"]
    assert list(facts) == [name]
    wrong = faults(name, facts[name])
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("name", FACTS)
def test_every_documented_key_is_recorded_somewhere(name: str) -> None:
    told = {path for file in EXPECTED if module_of(file) == name for path, value in keys(name, json.loads(file.read_text()))}
    asked = {path for path, row in rows(name, facts_row(name)) if not path.endswith(".message")}  # free text is not recorded
    untold = sorted(asked - told)
    assert untold == [], "\n".join(untold)


@pytest.mark.parametrize("name", FACTS)
def test_what_is_volatile_is_documented_so(name: str) -> None:
    volatile = import_module(f"ansible_collections.{NAMESPACE}.plugins.module_utils._facts").VOLATILE[name]
    said = {path for path, row in rows(name, facts_row(name)) if "Volatile" in " ".join(row["description"])}
    assert said == {f"{name}.{key.replace('[]', '')}" for key in volatile}


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_recorded_words_are_documented(path: Path) -> None:
    name = module_of(path)
    documented = {row_path: " ".join(row["description"]) for row_path, row in rows(name, facts_row(name))}
    recorded = {
        (key, word)
        for key, word in keys(name, json.loads(path.read_text()))
        if isinstance(word, str) and key.rpartition(".")[2] in WORDS
    }
    assert [(key, word) for key, word in sorted(recorded) if f"V({word})" not in documented[key]] == []


def result_here(name: str, folder: Path) -> dict[str, Any]:
    """Return what a module says about this machine when Ansible runs it."""
    subprocess.run(
        ["ansible", "localhost", "--connection", "local", "--tree", folder, "--module-name", f"{NAMESPACE}.{name}"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return json.loads((folder / "localhost").read_text())
