# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What the kernel side of the driver says in /proc/driver/nvidia and /proc/modules, without a driver call.

https://download.nvidia.com/XFree86/Linux-x86_64/580.95.05/README/proc.html
"""

import re
from dataclasses import dataclass
from typing import Dict, Optional, Set, Tuple

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import is_whole

_VERSION = re.compile(r"^NVRM version: +NVIDIA UNIX (?P<open>Open )?.*?Kernel Module .*?(?P<version>[0-9]+\.[0-9]+(\.[0-9]+)?) ")


@dataclass(frozen=True)
class Module:
    """`loaded` None where /proc does not tell; version and flavor (open, proprietary) None where the text is strange."""

    loaded: Optional[bool]
    version: Optional[str] = None
    flavor: Optional[str] = None
    nouveau: Optional[bool] = None


def parse_version(text: str) -> Tuple[Optional[str], Optional[str]]:
    """Return (version, flavor) of the text of /proc/driver/nvidia/version."""
    for line in text.splitlines():
        match = _VERSION.match(line + " ")
        if match:
            return match.group("version"), "open" if match.group("open") else "proprietary"
    return None, None


def parse_information(text: str) -> Dict[str, str]:
    """Return the `Key: value` lines of /proc/driver/nvidia/gpus/ID/information."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, mark, value in pairs if mark}


def read_module(root: Root) -> Module:
    """Read which kernel modules hold the cards."""
    names = _module_names(root)
    nouveau = None if names is None else "nouveau" in names
    text = root.read("/proc/driver/nvidia/version")
    if text is not None:
        version, flavor = parse_version(text)
        return Module(True, version, flavor, nouveau)
    if names is None or root.exists("/proc/driver/nvidia/version"):
        return Module(None, nouveau=nouveau)
    # A container may hide /proc/driver/nvidia; the list of modules is the machine's.
    return Module("nvidia" in names, nouveau=nouveau)


def _module_names(root: Root) -> Optional[Set[str]]:
    text = root.read("/proc/modules")
    if text is not None:
        return {line.split(" ")[0] for line in text.splitlines()}
    # A kernel without loadable modules has no such file in a /proc that is otherwise there.
    return set() if root.names("/proc") and not root.exists("/proc/modules") else None


@dataclass(frozen=True)
class Grant:
    """The cards in /proc/driver/nvidia/gpus.

    `devices` maps a PCI bus id to whether its /dev node can be read, None where that could not be told.
    """

    devices: Dict[str, Optional[bool]]


def read_grant(root: Root) -> Optional[Grant]:
    """Read which cards this host was given, or None where /proc does not tell."""
    names = root.names("/proc/driver/nvidia/gpus")
    if names is None:
        return None
    return Grant({name.lower(): _has_device(root, name) for name in names})


def _has_device(root: Root, bus_id: str) -> Optional[bool]:
    information = parse_information(root.read("/proc/driver/nvidia/gpus", bus_id, "information") or "")
    minor = information.get("Device Minor", "")
    return root.readable("/dev/nvidia" + minor) if is_whole(minor) else None
