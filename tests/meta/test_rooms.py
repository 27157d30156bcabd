# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may import what: targets have the standard library and never the judge, and only `_run.py` starts processes."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.meta.collection import ROOT, files

TARGET = [
    path for path in files() if path.suffix == ".py" and path.parts[:2] in (("plugins", "modules"), ("plugins", "module_utils"))
]
OURS = "ansible_collections.inference.recon.plugins.module_utils"
STARTS_PROCESSES = {"subprocess", "pty", "multiprocessing", "_posixsubprocess"}
STARTS_PROCESSES_OF_OS = {"fork", "forkpty", "popen", "posix_spawn", "posix_spawnp", "system"}
STARTS_PROCESSES_OF_MODULE = {"run_command"}


def imports(tree: ast.AST) -> set[str]:
    """Return the dotted names of all modules that a file imports."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


def calls(tree: ast.AST) -> set[str]:
    """Return the names after the dot of everything that is called or passed on: `os.fork` gives `fork`."""
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("path", TARGET, ids=str)
def test_target_code_needs_only_the_standard_library(path: Path) -> None:
    allowed = (OURS, "ansible.module_utils")
    foreign = [
        name
        for name in imports(ast.parse((ROOT / path).read_text()))
        if not name.startswith(allowed) and name.split(".")[0] not in sys.stdlib_module_names
    ]
    assert foreign == []


@pytest.mark.parametrize("path", [path for path in TARGET if path.name != "_run.py"], ids=str)
def test_only_run_starts_processes(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text())
    assert imports(tree) & STARTS_PROCESSES == set()
    assert calls(tree) & (STARTS_PROCESSES_OF_OS | STARTS_PROCESSES_OF_MODULE) == set()


@pytest.mark.parametrize("path", [path for path in TARGET if path.parts[1] == "modules" and path.name != "__init__.py"], ids=str)
def test_a_door_does_not_parse(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text())
    assert imports(tree) & {"re", "xml.etree.ElementTree", "ctypes", "csv"} == set()
    assert [node.name for node in tree.body if isinstance(node, ast.ClassDef)] == []
