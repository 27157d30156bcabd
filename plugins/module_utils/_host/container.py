# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Which container engine we are inside of, if any."""

from typing import Optional

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root

_MARKS = (
    # (file, engine): https://systemd.io/CONTAINER_INTERFACE, docker and podman create theirs in every container
    ("/.dockerenv", "docker"),
    ("/run/.containerenv", "podman"),
    ("/dev/lxd/sock", "lxc"),
)


def container_engine(root: Root) -> Optional[str]:
    """Return docker, podman, lxc, systemd-nspawn, …, `container` where only its traces are seen, or None."""
    named = root.read("/run/systemd/container") or _environment_of_init(root)
    if named:
        return named
    for path, engine in _MARKS:
        if root.exists(path):
            return engine
    return "container" if _looks_contained(root) else None


def _environment_of_init(root: Root) -> Optional[str]:
    for entry in (root.read("/proc/1/environ") or "").split("\0"):
        name, unused, value = entry.partition("=")
        if name == "container" and value:
            return value
    return None


def _looks_contained(root: Root) -> bool:
    """An overlay as root, or a /proc/driver/nvidia of its own: what containerd and NVIDIA's toolkit mount."""
    for line in (root.read("/proc/self/mountinfo") or "").splitlines():
        before, unused, after = line.partition(" - ")
        mount_point = before.split(" ")[4:5]
        fs_type = after.split(" ")[0]
        if mount_point == ["/"] and fs_type == "overlay" and not root.exists("/cdrom"):
            return True
        if mount_point == ["/proc/driver/nvidia"]:
            return True
    return False
