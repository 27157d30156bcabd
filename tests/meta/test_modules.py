# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every module must be: same in check mode, documented as it behaves, and in the action group."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import yaml
from ansible.playbook.task import Task

from tests.meta.collection import ACTIONS, FACTS, MODULES, NAMESPACE, ROOT, documentation

every_module = pytest.mark.parametrize("name", MODULES)
COMPARED = {"type": "str", "default": None, "choices": None, "elements": None, "required": False, "aliases": []}
"""What an option says in its specification and in its documentation, with what silence means."""


class CreatedError(Exception):
    """The module has said how it is to be called."""


def call_of(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], bool]:
    """Return a module's argument specification and whether it supports check mode."""
    if name in ACTIONS:
        action = importlib.import_module(f"ansible_collections.{NAMESPACE}.plugins.action.{name}")
        return action.ARGUMENTS, action.ActionModule._supports_check_mode

    def create(**arguments: Any) -> None:
        raise CreatedError(arguments)

    module = importlib.import_module(f"ansible_collections.{NAMESPACE}.plugins.modules.{name}")
    monkeypatch.setattr(module, "AnsibleModule", create)
    with pytest.raises(CreatedError) as created:
        module.main()
    return created.value.args[0]["argument_spec"], created.value.args[0]["supports_check_mode"]


def described(options: dict[str, Any], nested: str) -> dict[str, Any]:
    """Return what options say, in one form for specification (`options` within) and documentation (`suboptions`)."""
    rows = {}
    for name, option in options.items():
        rows[name] = {key: option.get(key, silent) for key, silent in COMPARED.items()}
        rows[name]["options"] = described(option.get(nested) or {}, nested)
    return rows


def tasks_in(items: list[Any]) -> list[dict[str, Any]]:
    """Return the tasks of examples, which may be whole plays."""
    return [task for item in items for task in (item.get("tasks", []) if "hosts" in item else [item])]


def test_there_are_modules() -> None:
    assert MODULES


@every_module
def test_supports_check_mode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call_of(name, monkeypatch)[1] is True


@every_module
def test_says_so(name: str) -> None:
    assert documentation(name)["doc"]["attributes"]["check_mode"]["support"] == "full"


@pytest.mark.parametrize("name", FACTS)
def test_says_that_it_gives_facts(name: str) -> None:
    assert documentation(name)["doc"]["attributes"]["facts"]["support"] == "full"


@every_module
def test_documents_its_options(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    specification, unused = call_of(name, monkeypatch)
    assert described(documentation(name)["doc"]["options"], "suboptions") == described(specification, "options")


@every_module
def test_examples_use_full_names(name: str) -> None:
    tasks = tasks_in(yaml.safe_load(documentation(name)["examples"]))
    actions = [key for task in tasks for key in task if key not in Task.fattributes]
    assert [action for action in actions if action.count(".") != 2] == []
    assert [task for task in tasks if not task.get("name")] == []
    assert f"{NAMESPACE}.{name}" in documentation(name)["examples"]


def test_action_group_holds_every_module() -> None:
    groups = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["action_groups"]
    assert {group: sorted(members) for group, members in groups.items()} == {"recon": MODULES}
