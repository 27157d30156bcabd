# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""All hosts of a run: what each said or why it said nothing, worst first, and which names are one machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Topology
from ansible_collections.inference.recon.plugins.plugin_utils._connection import Failure, explain
from ansible_collections.inference.recon.plugins.plugin_utils._gpus import describe_uses
from ansible_collections.inference.recon.plugins.plugin_utils._links import ranges
from ansible_collections.inference.recon.plugins.plugin_utils._load import FactsError, load
from ansible_collections.inference.recon.plugins.plugin_utils._states import state_of

FACT = "nvidia_topology"

_NOT_SURVEYED = Failure("not_surveyed", "not surveyed in this run", "run without --tags and --start-at-task", reached=True)


@dataclass(frozen=True)
class Host:
    """One name of the inventory: facts as they came and as typed, or a failure instead."""

    name: str
    state: str
    facts: Optional[Mapping[str, Any]] = None
    topology: Optional[Topology] = None
    problems: tuple[Problem, ...] = ()
    failure: Optional[Failure] = None

    @property
    def failing(self) -> str:
        """Return the indexes of the GPUs at fault, `?` for those that have none."""
        uses = describe_uses(self.topology.gpus, self.problems) if self.topology else []
        indexes = [gpu.index for gpu, use in uses if use.kind == "fault"]
        known = ranges(index for index in indexes if index is not None)
        return ",".join(filter(None, [known, "?" if None in indexes else ""]))

    @property
    def tone(self) -> str:
        """Return how the host's name is to look: good, bad or plain."""
        if state_of(self.state).label.isupper() or self.failing:
            return "bad"
        return "good" if self.state == "ok" else "plain"


def read_host(name: str, variables: Mapping[str, Any], result_name: str) -> Host:
    """Return what the run knows of a host. The survey's own result wins: cached facts may be of another day."""
    result = variables.get(result_name)
    if isinstance(result, Mapping) and not result.get("skipped"):
        facts = _facts_in(result)
        return _from_facts(name, facts) if facts is not None else _without_facts(name, _explain(name, variables, result))
    facts = _facts_in(variables)
    return _from_facts(name, facts) if facts is not None else _without_facts(name, _NOT_SURVEYED)


def _facts_in(holder: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    facts = holder.get("ansible_facts")
    found = facts.get(FACT) if isinstance(facts, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _from_facts(name: str, facts: Mapping[str, Any]) -> Host:
    try:
        topology = load(Topology, facts)
        problems = tuple(load(Problem, row, "problems[]") for row in facts.get("problems") or ())
    except (FactsError, TypeError) as error:
        return _without_facts(
            name, Failure("facts_unreadable", str(error), "survey with the same version of the collection", True)
        )
    return Host(name, topology.state, facts, topology, problems)


def _without_facts(name: str, failure: Failure) -> Host:
    return Host(name, "unknown" if failure.reached else "unreachable", failure=failure)


def _explain(name: str, variables: Mapping[str, Any], result: Mapping[str, Any]) -> Failure:
    texts = [str(result[key]) for key in ("msg", "module_stdout", "module_stderr") if result.get(key)]
    return explain("\n".join(texts), _address(name, variables), unreachable=bool(result.get("unreachable")))


def _address(name: str, variables: Mapping[str, Any]) -> str:
    """Return what a person would type to reach this host."""
    user, port = variables.get("ansible_user"), variables.get("ansible_port")
    host = str(variables.get("ansible_host") or name)
    host = name if "{{" in host else host  # an inventory's own template; nothing is templated here
    host = f"[{host}]" if ":" in host else host
    return (f"{user}@" if user else "") + host + (f":{port}" if port else "")


def sort_hosts(hosts: Iterable[Host]) -> list[Host]:
    """Return hosts worst first, those alike in the order of the inventory."""
    return sorted(hosts, key=lambda host: (state_of(host.state).rank, not host.failing))


def find_aliases(hosts: Iterable[Host]) -> dict[str, tuple[str, int]]:
    """Return for each further name of a machine its first name and how many GPU UUIDs are equal.

    The first name is the one that sees most of who uses its GPUs: more likely the machine than a container on it.
    """
    owners: dict[str, Host] = {}
    aliases: dict[str, tuple[str, int]] = {}
    for host in sorted(hosts, key=_blindness):
        uuids = {gpu.uuid for gpu in host.topology.gpus if gpu.uuid} if host.topology else set()
        first = next((owners[uuid] for uuid in sorted(uuids) if uuid in owners), host)
        if first is not host:
            aliases[host.name] = (first.name, sum(owners.get(uuid) is first for uuid in uuids))
        owners.update({uuid: first for uuid in uuids if uuid not in owners})
    return aliases


def _blindness(host: Host) -> int:
    """Rank hosts by what they see of processes: into containers, their own, not whose they are."""
    if any(problem.code == "owner_hidden" for problem in host.problems):
        return 2
    gpus = host.topology.gpus if host.topology else []
    return 0 if any(process.container for gpu in gpus for process in gpu.processes or ()) else 1


def count_states(hosts: Iterable[Host]) -> dict[str, int]:
    """Return how many hosts are in each state, best first."""
    counts: dict[str, int] = {}
    for host in reversed(sort_hosts(hosts)):
        counts[host.state] = counts.get(host.state, 0) + 1
    return counts
