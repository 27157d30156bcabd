# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The unit and the container of a process, from /proc/PID/cgroup (cgroups(7))."""

import re
from dataclasses import dataclass
from typing import List, Optional, Tuple


@dataclass(frozen=True)
class Membership:
    """`unit` inside `container` where there is one; `hidden` where a cgroup namespace shows nothing but /."""

    unit: Optional[str] = None
    engine: Optional[str] = None
    container: Optional[str] = None
    hidden: bool = False


_PARENTS = {"lxc": "lxc", "docker": "docker"}
_PREFIXES = (
    # (prefix, suffix, engine): as the engines name their cgroups under systemd and without it
    ("lxc.payload.", "", "lxc"),
    ("docker-", ".scope", "docker"),
    ("libpod-", ".scope", "podman"),
    ("libpod-", "", "podman"),
    ("cri-containerd-", ".scope", "containerd"),
    ("crio-", ".scope", "cri-o"),
    ("machine-", ".scope", "systemd-nspawn"),
)


def parse_cgroup(text: str) -> Membership:
    """Read the text of /proc/PID/cgroup: the `0::` line, else that of name=systemd."""
    path = _path(text)
    if path is None or path == "/":
        return Membership(hidden=True)
    parts = [part for part in path.split("/") if part]
    engine = container = None
    inside = 0
    for place, part in enumerate(parts):
        found = _container(parts, place, part)
        if found is not None:
            engine, container, inside = found[0], found[1], place + 1
    units = [part for part in parts[inside:] if part.endswith(".service")]
    return Membership(units[-1] if units else None, engine, container)


def _path(text: str) -> Optional[str]:
    by_name = {}
    for line in text.splitlines():
        number, unused, rest = line.partition(":")
        controllers, unused, path = rest.partition(":")
        by_name["unified" if (number, controllers) == ("0", "") else controllers] = path
    unified = by_name.get("unified")
    if unified in (None, "/") and "name=systemd" in by_name:  # hybrid: the processes live in systemd's own hierarchy
        return by_name["name=systemd"]
    return unified


def _container(parts: List[str], place: int, part: str) -> Optional[Tuple[str, str]]:
    if place and parts[place - 1] in _PARENTS and not part.endswith((".service", ".scope")):
        return _PARENTS[parts[place - 1]], part
    for prefix, suffix, engine in _PREFIXES:
        if part.startswith(prefix) and part.endswith(suffix) and len(part) > len(prefix) + len(suffix):
            return engine, _unescape(part[len(prefix) : len(part) - len(suffix)])
    return None


def _unescape(name: str) -> str:
    r"""Undo systemd's `\x2d` (systemd-escape(1))."""
    return re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(int(match.group(1), 16)), name)
