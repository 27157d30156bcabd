# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import (
    count_states,
    find_aliases,
    read_host,
    sort_hosts,
)

from tests.unit.plugins.plugin_utils import stories

UNREACHABLE = {"unreachable": True, "msg": "ssh: connect to host 203.0.113.7 port 36472: Connection refused"}


def read(name: str, **variables: Any) -> Any:
    return read_host(name, variables, "surveyed")


def surveyed(name: str, facts: dict[str, Any]) -> Any:
    return read(name, surveyed={"ansible_facts": facts})


def test_facts_of_the_run() -> None:
    host = surveyed("b200-rental", stories.b200_rental())
    assert (host.state, len(host.topology.gpus), host.topology.pci_gpu_count, host.failure) == ("ok", 7, 8, None)


def test_facts_from_gather_facts() -> None:
    assert read("h", ansible_facts=stories.no_gpu()).state == "no_gpu"


def test_a_host_that_is_gone_does_not_shine_with_old_facts() -> None:
    host = read("h", ansible_facts=stories.kpro6(), surveyed=UNREACHABLE)
    assert (host.state, host.facts, host.failure.code) == ("unreachable", None, "refused")


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({}, "not_surveyed"),
        ({"surveyed": {"skipped": True}}, "not_surveyed"),
        ({"surveyed": None}, "not_surveyed"),
        ({"ansible_facts": {"nvidia_topology": "no"}}, "not_surveyed"),
        ({"surveyed": {"msg": "Unsupported parameters: x"}}, "survey_failed"),
        ({"surveyed": {"rc": 127, "msg": "?", "module_stdout": "/bin/sh: 1: /usr/bin/python3: not found\r\n"}}, "python_missing"),
        ({"surveyed": {"ansible_facts": {"discovered_interpreter_python": "/usr/bin/python3"}, "msg": "crash"}}, "survey_failed"),
    ],
)
def test_a_host_without_facts_is_unknown_and_says_why(variables: dict[str, Any], code: str) -> None:
    host = read_host("h", variables, "surveyed")
    assert (host.state, host.failure and host.failure.code, host.facts) == ("unknown", code, None)


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        ({}, "h"),
        ({"ansible_host": "203.0.113.7", "ansible_port": 36472, "ansible_user": "root"}, "root@203.0.113.7:36472"),
        ({"ansible_host": "2001:db8::7", "ansible_port": "22"}, "[2001:db8::7]:22"),
        ({"ansible_host": "{{ lookup('pipe', 'id') }}"}, "h"),
    ],
)
def test_changed_key_names_the_address_to_forget(variables: dict[str, Any], address: str) -> None:
    result = {"unreachable": True, "msg": "Host key for h has changed and you have requested strict checking."}
    assert read("h", surveyed=result, **variables).failure.advice == f"make forget HOST={address}"


BROKEN = [
    ("gpus", "none"),
    ("gpus", [1]),
    ("gpus", None),
    ("links", {"a": 0}),
    ("driver", []),
    ("pci_gpu_count", "8"),
    ("pci_gpu_count", True),
    ("state", None),
    ("problems", 7),
    ("problems", [{"code": []}]),
]


@pytest.mark.parametrize(("key", "value"), BROKEN)
def test_facts_of_another_shape_are_unknown(key: str, value: object) -> None:
    facts = copy.deepcopy(stories.kpro6())
    facts["nvidia_topology"][key] = value
    host = surveyed("h", facts)
    assert (host.state, host.failure.code) == ("unknown", "facts_unreadable")


def test_keys_of_a_newer_target_are_fine() -> None:
    facts = copy.deepcopy(stories.no_gpu())
    facts["nvidia_topology"].update(invented_later=1, state="invented_later")
    assert surveyed("h", facts).state == "invented_later"


def test_order_is_worst_first_and_an_invented_state_no_better_than_unknown() -> None:
    invented = copy.deepcopy(stories.no_gpu())
    invented["nvidia_topology"]["state"] = "invented_later"
    hosts = [
        surveyed("ok", stories.b200_rental()),
        surveyed("faulty", stories.a6000_lost()),
        surveyed("none", stories.no_gpu()),
        surveyed("invented", invented),
        read("gone", surveyed=UNREACHABLE),
        surveyed("mismatch", stories.mismatch()),
        surveyed("degraded", stories.degraded()),
    ]
    assert [host.name for host in sort_hosts(hosts)] == ["invented", "mismatch", "degraded", "gone", "none", "faulty", "ok"]
    assert list(count_states(hosts)) == ["ok", "no_gpu", "unreachable", "degraded", "driver_library_mismatch", "invented_later"]


@pytest.mark.parametrize("order", [1, -1])
def test_one_machine_under_two_names_goes_by_the_one_that_sees_owners(order: int) -> None:
    hosts = [surveyed("kpro6", stories.kpro6()), surveyed("dflash-train", stories.dflash_train())][::order]
    assert find_aliases([*hosts, surveyed("b200-rental", stories.b200_rental())]) == {"dflash-train": ("kpro6", 8)}


def test_hosts_without_uuids_are_not_one_machine() -> None:
    assert find_aliases([surveyed("a", stories.mismatch()), surveyed("b", stories.mismatch()), read("c")]) == {}
