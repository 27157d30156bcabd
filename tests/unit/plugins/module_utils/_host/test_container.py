# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""https://systemd.io/CONTAINER_INTERFACE, and the traces that engines leave which do not keep to it."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._host.container import container_engine

EXT4 = "29 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
OVERLAY = "812 700 0:54 / / rw,relatime - overlay none rw,lowerdir=/l,upperdir=/u,workdir=/w\n"
TOOLKIT = "840 812 0:60 / /proc/driver/nvidia rw,nosuid - tmpfs tmpfs rw\n"

ENGINES = [
    # what lies there, and the engine it speaks of
    ({"/run/systemd/container": "systemd-nspawn\n"}, "systemd-nspawn"),
    ({"/run/systemd/container": "lxc\n", "/.dockerenv": ""}, "lxc"),
    ({"/proc/1/environ": "PATH=/bin\0container=podman\0HOME=/\0"}, "podman"),
    ({"/proc/1/environ": "container=\0"}, None),
    ({"/proc/1/environ": "not_container=docker\0"}, None),
    ({"/.dockerenv": ""}, "docker"),
    ({"/run/.containerenv": ""}, "podman"),
    ({"/dev/lxd/sock": ""}, "lxc"),
    ({"/proc/self/mountinfo": OVERLAY}, "container"),
    ({"/proc/self/mountinfo": EXT4 + TOOLKIT}, "container"),
    ({"/proc/self/mountinfo": OVERLAY, "/cdrom/.disk/info": "Ubuntu"}, None),
    ({"/proc/self/mountinfo": EXT4 + OVERLAY.replace(" / / ", " / /var/lib/docker/overlay2/x/merged ")}, None),
    ({"/proc/self/mountinfo": EXT4}, None),
    ({}, None),
]


@pytest.mark.parametrize(("files", "engine"), ENGINES)
def test_engines(tree, files, engine):
    assert container_engine(tree.lay(files)) == engine
