# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The report for a machine: report.json."""

import json
from collections.abc import Sequence
from typing import Any

from ansible_collections.inference.recon.plugins.plugin_utils._advice import answer, next_step
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host, count_states, find_aliases, sort_hosts

SCHEMA_VERSION = 1


def render(hosts: Sequence[Host], surveyed_at: str) -> str:
    """Return the report as JSON in ASCII: a reader decodes what a host said, nothing else ever interprets it."""
    aliases = find_aliases(hosts)
    report = {
        "schema_version": SCHEMA_VERSION,
        "surveyed_at": surveyed_at,
        "totals": count_states(hosts),
        "hosts": [_describe(host, aliases.get(host.name, (None, 0))[0]) for host in sort_hosts(hosts)],
    }
    return json.dumps(report, indent=2, ensure_ascii=True) + "\n"


def _describe(host: Host, same_machine_as: str | None) -> dict[str, Any]:
    failure = host.failure
    return {
        "name": host.name,
        "state": host.state,
        "answer": answer(host),
        "next": None if next_step(host) == "-" else next_step(host),
        "same_machine_as": same_machine_as,
        "failure": {"code": failure.code, "message": failure.message} if failure else None,
        "facts": {"nvidia_topology": host.facts} if host.facts is not None else None,
    }
