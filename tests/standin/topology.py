# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""How two devices of a host reach each other, in the words of nvidia-smi topo -m."""

import os
from typing import Any

from tests.standin.host import Gpu, Host

# What NVML's nvmlDeviceGetTopologyCommonAncestor answers (nvml.h, nvmlGpuTopologyLevel_t).
LEVELS = {"PIX": 10, "PXB": 20, "PHB": 30, "NODE": 40, "SYS": 50}


def position(bus: str, path: str | None) -> list[str]:
    """Return the kernel's path of a device: root complex, bridges, device. Without a path it has a root port of its own."""
    domain, number = bus.split(":")[:2]
    bridges = path or f"{int(number, 16) - 1:02x}:01.0"
    root = f"pci{domain}:{bridges.split(':')[0]}"
    return [root, *(f"{domain}:{bridge}" for bridge in bridges.split("/")), bus]


def pcie(one: list[str], other: list[str], same_node: bool) -> str:
    """Return PIX, PXB, PHB, NODE or SYS, as the legend of topo -m defines them."""
    common = _common(one, other)
    if common == 0:
        return "NODE" if same_node else "SYS"
    if common == 1:
        return "PHB"
    below = max(len(one), len(other)) - common  # the device itself, and the bridges above it up to the shared one
    return "PIX" if below <= 2 else "PXB"


def _common(one: list[str], other: list[str]) -> int:
    return len(os.path.commonprefix([one, other]))  # of lists it compares whole parts


def path_of(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the PCIe path between two rows that have bus, path and numa."""
    ways = [position(row["bus"], row.get("path")) for row in (one, other)]
    return pcie(*ways, same_node=one.get("numa") == other.get("numa"))


def place(gpu: Gpu) -> dict[str, Any]:
    return {"bus": gpu.bus, "path": gpu.path, "numa": gpu.numa}


def links(host: Host, index: int) -> list[dict[str, Any]]:
    """Return a GPU's NVLinks: where each leads ("switch" or a GPU's index) and whether it is up."""
    gpu = host.gpus[index]
    peers: list[Any] = []
    if host.nvlink == "switch":
        peers = ["switch"] * gpu.nvlinks
    elif host.nvlink:
        for bridge in host.nvlink:
            if index in bridge["pair"]:
                peers += [next(peer for peer in bridge["pair"] if peer != index)] * bridge["links"]
    peers += [None] * (gpu.nvlinks - len(peers))
    return [{"peer": peer, "up": peer is not None and link not in gpu.nvlinks_down} for link, peer in enumerate(peers)]


def nvlinks_between(host: Host, one: int, other: int) -> int:
    up = [[link["peer"] for link in links(host, index) if link["up"]] for index in (one, other)]
    if host.nvlink == "switch":
        return min(len(peers) for peers in up)
    return min(up[0].count(other), up[1].count(one))


def path(host: Host, one: int, other: int) -> str:
    count = nvlinks_between(host, one, other)
    return f"NV{count}" if count else path_of(place(host.gpus[one]), place(host.gpus[other]))
