# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The report for a person at a terminal: each host, then the fleet, worst first; at most 100 columns."""

from collections.abc import Iterator, Sequence

from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Driver, Gpu, Topology
from ansible_collections.inference.recon.plugins.plugin_utils._advice import answer, next_step
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host, count_states, find_aliases, sort_hosts
from ansible_collections.inference.recon.plugins.plugin_utils._gpus import RANK, Use, describe_uses, long_name
from ansible_collections.inference.recon.plugins.plugin_utils._links import describe_links, ranges
from ansible_collections.inference.recon.plugins.plugin_utils._report import table
from ansible_collections.inference.recon.plugins.plugin_utils._report.text import Line, cut, hang, safe
from ansible_collections.inference.recon.plugins.plugin_utils._states import state_of


def render(hosts: Sequence[Host]) -> Iterator[Line]:
    """Yield the whole report."""
    ordered, aliases = sort_hosts(hosts), find_aliases(hosts)
    for host in ordered:
        yield from _render_host(host, aliases)
        yield Line("")
    if len(hosts) > 1:
        yield from table.render(ordered, aliases)
    yield Line(_totals(hosts, len(hosts) - len(aliases)))


def _render_host(host: Host, aliases: dict[str, tuple[str, int]]) -> Iterator[Line]:
    topology = host.topology
    uses = describe_uses(topology.gpus, host.problems) if topology else []
    said = _summary(topology, uses) if topology and topology.gpus else answer(host)
    head = f"{safe(host.name):<12} {state_of(host.state).label:<12} {safe(said)}"
    yield Line(cut(head), host.tone)
    for label, text in _answers(host, uses, aliases):
        yield from (Line(line) for line in hang(label, safe(text)))
    yield from _render_problems(host)


def _answers(host: Host, uses: Sequence[tuple[Gpu, Use]], aliases: dict[str, tuple[str, int]]) -> Iterator[tuple[str, str]]:
    topology = host.topology
    if topology and topology.gpus and host.state != "ok":
        yield "answer", answer(host)
    if next_step(host) != "-":
        yield "next", next_step(host)
    if topology:
        yield from _gpu_rows(uses)
        if topology.gpus:
            yield "links", describe_links(topology).text
        yield from (("driver", text) for text in _driver_texts(topology))
        yield from (("granted", text) for text in _grant_texts(topology))
    if host.name in aliases:
        name, count = aliases[host.name]
        yield "note", f"same machine as {name} ({count} equal GPU UUIDs)"


def _summary(topology: Topology, uses: Sequence[tuple[Gpu, Use]]) -> str:
    names: dict[str, int] = {}
    for gpu in topology.gpus:
        name = long_name(gpu)
        names[name] = names.get(name, 0) + 1
    cards = ", ".join(f"{count}x {name}" for name, count in names.items())
    kinds = [use.kind for unused, use in uses]
    words = {"free": "free", "busy": "busy", "fault": "at fault", "unknown": "unknown"}
    return f"{cards}: " + ", ".join(f"{kinds.count(kind)} {word}" for kind, word in words.items() if kind in kinds)


def _gpu_rows(uses: Sequence[tuple[Gpu, Use]]) -> Iterator[tuple[str, str]]:
    """Yield one row for all GPUs that are alike, what matters first."""
    alike: dict[Use, list[Gpu]] = {}
    for gpu, use in sorted(uses, key=lambda pair: RANK[pair[1].kind]):
        alike.setdefault(use, []).append(gpu)
    for use, gpus in alike.items():
        indexes = [gpu.index for gpu in gpus if gpu.index is not None]
        memory = use.memory if len(gpus) > 1 else use.memory.replace(" each", "")
        yield f"GPU {ranges(indexes) or '?'}", f"{use.word:<6} {memory:<20} {use.detail}"


def _driver_texts(topology: Topology) -> Iterator[str]:
    driver, libcuda = topology.driver, topology.libcuda
    if driver.version or driver.module_version or topology.gpus:
        yield f"{_version(driver)} {driver.module_flavor or '?'}, CUDA {driver.cuda_version or '?'}"
    if driver.reboot_pending:
        yield f"REBOOT PENDING: module {driver.module_version or '?'} is loaded, libraries are {driver.version or '?'}"
    if driver.nouveau_loaded:
        yield "nouveau is loaded and holds the cards"
    if libcuda.compat:
        yield f"programs get libcuda {libcuda.version or '?'} from a compat package: {libcuda.path or '?'}"


def _version(driver: Driver) -> str:
    return driver.version or driver.module_version or "?"


def _grant_texts(topology: Topology) -> Iterator[str]:
    bus, granted, listed = topology.pci_gpu_count, topology.granted_gpu_count, len(topology.gpus)
    if granted is not None and 0 < listed < granted:
        yield f"{granted} GPUs, ONLY {listed} ANSWER"
    if bus is not None and granted is not None and granted < bus:
        yield f"{granted} of the {bus} GPUs on the bus; the others are not for this host"


def _render_problems(host: Host) -> Iterator[Line]:
    for number, problem in enumerate(host.problems):
        label = "problems" if number == 0 else ""
        about = f"{problem.subject}: " if problem.subject else ""
        yield Line(cut(f"  {label:<8} {safe(f'{problem.source} {problem.code}  {about}{problem.message}')}"))


def _totals(hosts: Sequence[Host], machines: int) -> str:
    names = f"{len(hosts)} host{'' if len(hosts) == 1 else 's'}"
    known = names if machines == len(hosts) else f"{len(hosts)} names, {machines} machines"
    return f"{known}: " + ", ".join(f"{count} {state}" for state, count in count_states(hosts).items())
