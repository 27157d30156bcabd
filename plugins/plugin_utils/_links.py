# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""How a host's GPUs are joined, said in one line."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ansible_collections.inference.recon.plugins.module_utils._nvidia.ranges import format_ranges
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Gpu, Link, Topology


@dataclass(frozen=True)
class Joined:
    """`cell` is the word for the fleet table, `text` the whole answer."""

    cell: str
    text: str


def describe_links(topology: Topology) -> Joined:
    """Say what joins the GPUs: one kind of NVLink between all, what falls out of it, or PCIe and its sockets."""
    if topology.interconnect == "single":
        return Joined("-", "one GPU, nothing to join")
    if topology.links is None or topology.interconnect is None:
        return Joined("?", "?")
    unknown = [link for link in topology.links if link.path is None]
    told = [link for link in topology.links if link.path is not None]
    joined = _describe_pcie(topology.gpus, told) if topology.interconnect == "pcie" else _describe_nvlink(topology.gpus, told)
    if not unknown:
        return joined
    return Joined(f"{joined.cell} ?", f"{joined.text}; ? between {_pairs(unknown)}")


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in any order as ranges: 0-3,7."""
    return format_ranges(sorted(numbers))


def _pairs(links: Sequence[Link]) -> str:
    return ", ".join(f"{link.a}-{link.b}" for link in links)


def _nvlinks(links: Iterable[Link]) -> list[Link]:
    return [link for link in links if link.path and link.path.startswith("NV")]


def _describe_nvlink(gpus: Sequence[Gpu], links: Sequence[Link]) -> Joined:
    fast = _nvlinks(links)
    if not fast:
        return Joined("?", "?")
    usual = Counter(link.path for link in fast).most_common(1)[0][0] or "?"
    off = _off_the_mesh(gpus, links)
    inside = [link for link in links if link.a not in off and link.b not in off]
    slower = [link for link in inside if link.path != usual]
    if not off and not slower:
        return Joined(usual, f"{usual} between every pair")
    if len(slower) >= len(_nvlinks(inside)):
        return Joined(f"{usual} part", f"{usual} between {_pairs(fast)} only; PCIe between the others")
    texts = [f"{usual} between every pair" if not off else f"{usual} between the others"]
    if off:
        texts.insert(0, f"GPU {ranges(off)} OFF THE MESH ({_paths_of(off, links)} to all others)")
    if slower:
        texts.append("but " + ", ".join(f"{link.path} between {link.a}-{link.b}" for link in slower))
    return Joined(f"{usual} part", ", ".join(texts))


def _off_the_mesh(gpus: Sequence[Gpu], links: Sequence[Link]) -> list[int]:
    """Return the GPUs that have NVLink to none, where the others have it; all in pairs fall out of nothing."""
    joined = {index for link in _nvlinks(links) for index in (link.a, link.b)}
    return [gpu.index for gpu in gpus if gpu.index is not None and gpu.index not in joined]


def _paths_of(indexes: Sequence[int], links: Sequence[Link]) -> str:
    return "/".join(sorted({link.path or "?" for link in links if link.a in indexes or link.b in indexes}))


def _describe_pcie(gpus: Sequence[Gpu], links: Sequence[Link]) -> Joined:
    """Group GPUs by what lies between them: SYS crosses from one socket (or NUMA node) to the next."""
    groups = {gpu.index: {gpu.index} for gpu in gpus if gpu.index is not None}
    for link in links:
        if link.path != "SYS" and link.a in groups and link.b in groups:
            merged = groups[link.a] | groups[link.b]
            groups.update(dict.fromkeys(merged, merged))
    sides = sorted({tuple(sorted(group)) for group in groups.values()})
    every_pair = len(links) == len(groups) * (len(groups) - 1) // 2
    if len(sides) == 1 or not every_pair:
        return Joined("PCIe", f"PCIe only ({', '.join(sorted({link.path or '?' for link in links}))})")
    kind = "socket" if len(sides) == 2 else "NUMA node"
    return Joined("PCIe", f"PCIe only ({' | '.join(ranges(side) for side in sides)} by {kind})")
