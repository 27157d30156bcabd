# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

from ansible_collections.inference.recon.plugins.plugin_utils._fleet import read_host
from ansible_collections.inference.recon.plugins.plugin_utils._report import gate
from ansible_collections.inference.recon.plugins.plugin_utils._report.json import render

from tests.unit.plugins.plugin_utils import stories

REFUSED = {"unreachable": True, "msg": "ssh: connect to host h port 22: Connection refused"}
HOSTS = [
    read_host("kpro6", {"ansible_facts": stories.kpro6()}, ""),
    read_host("dflash-train", {"ansible_facts": stories.dflash_train()}, ""),
    read_host("gone", {"r": REFUSED}, "r"),
]


def report() -> Any:
    return json.loads(render(HOSTS, "2026-12-01T00:00:00+00:00"))


def test_head() -> None:
    found = report()
    assert {key: found[key] for key in found if key != "hosts"} == {
        "schema_version": 1,
        "surveyed_at": "2026-12-01T00:00:00+00:00",
        "totals": {"ok": 2, "unreachable": 1},
    }


def test_unreached_host() -> None:
    assert report()["hosts"][0] == {
        "name": "gone",
        "state": "unreachable",
        "answer": "nothing listens on this port",
        "next": "check the port; a host that is still starting needs a moment",
        "same_machine_as": None,
        "failure": {"code": "refused", "message": "nothing listens on this port"},
        "facts": None,
    }


def test_surveyed_host_has_its_facts_untouched() -> None:
    by_name = {host["name"]: host for host in report()["hosts"]}
    assert by_name["kpro6"] == {
        "name": "kpro6",
        "state": "ok",
        "answer": "every GPU answers",
        "next": None,
        "same_machine_as": None,
        "failure": None,
        "facts": stories.kpro6(),
    }
    assert by_name["dflash-train"]["same_machine_as"] == "kpro6"


def test_hostile_strings_survive_as_data() -> None:
    name = "\x1b[2J\u202e\ud800{{ x }}\n"
    text = render([read_host(name, {"ansible_facts": stories.no_gpu()}, "")], "")
    assert text.isascii()
    assert "\x1b" not in text
    assert json.loads(text)["hosts"][0]["name"] == name


def test_gate_passes_nobody() -> None:
    assert gate.render(HOSTS) == "RECON-GATE verdict=unknown ready=0 not_ready=2 unreachable=1"
    assert gate.render([]) == "RECON-GATE verdict=unknown ready=0 not_ready=0 unreachable=0"
