# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One bridge for the lab; a network namespace and a veth pair for each host."""

from __future__ import annotations

import json
from collections.abc import Iterable

from . import settings
from .commands import run


def namespace(name: str) -> str:
    return settings.PREFIX + name


def namespaces() -> list[str]:
    """The names of the hosts that have a namespace now."""
    listed = json.loads(run(["ip", "-json", "netns", "list"]) or "[]")
    return [row["name"].removeprefix(settings.PREFIX) for row in listed if row["name"].startswith(settings.PREFIX)]


def add_bridge() -> None:
    if settings.BRIDGE in links():
        return
    batch(
        f"link add {settings.BRIDGE} type bridge",
        f"address add {settings.GATEWAY}/24 dev {settings.BRIDGE}",
        f"link set {settings.BRIDGE} up",
    )


def add_host(name: str, number: int, address: str) -> None:
    space, outside = namespace(name), f"{settings.BRIDGE}v{number}"
    batch(
        f"netns add {space}",
        f"link add {outside} type veth peer name eth0 netns {space}",
        f"link set {outside} master {settings.BRIDGE} up",
    )
    inside = ("link set lo up", f"address add {address}/24 dev eth0", "link set eth0 up")
    batch(*inside, f"route add default via {settings.GATEWAY}", options=("-netns", space))


def remove_hosts(names: Iterable[str]) -> None:
    """A veth pair goes with its namespace."""
    there = set(namespaces())
    for name in there.intersection(names):
        run(["ip", "netns", "delete", namespace(name)])


def remove_bridge() -> None:
    if settings.BRIDGE in links():
        run(["ip", "link", "delete", settings.BRIDGE])


def links() -> list[str]:
    return [row["ifname"] for row in json.loads(run(["ip", "-json", "link", "show"]))]


def batch(*lines: str, options: tuple[str, ...] = ()) -> None:
    run(["ip", *options, "-batch", "-"], stdin="\n".join(lines) + "\n")
