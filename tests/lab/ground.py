# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all hosts stand on: limits, the work folder, the bridge; and its removal."""

from __future__ import annotations

import os
from pathlib import Path

from . import keys, network, recorded, settings
from .commands import run

# The least a machine must allow.
LEAST = {
    # 128 are too few for systemd from about 15 hosts on.
    "fs/inotify/max_user_instances": 1024,
    # Recorded processes keep their ids; the kernel's default on a small machine is 32768.
    "kernel/pid_max": 4194304,
}


def prepare() -> None:
    for name, least in LEAST.items():
        setting = Path("/proc/sys") / name
        if int(setting.read_text()) < least:
            setting.write_text(str(least))
    mount_work()
    keys.make(settings.KEY, "recon-lab")
    recorded.compile_stay()
    network.add_bridge()


def mount_work() -> None:
    """In memory: on any machine a file system that an overlay can write to, and nothing is left of it."""
    if not os.path.ismount(settings.WORK):
        settings.WORK.mkdir(parents=True, exist_ok=True)
        run(["mount", "-t", "tmpfs", "-o", "mode=0700", "recon-lab", str(settings.WORK)])
        run(["mount", "--make-private", str(settings.WORK)])
    for folder in (settings.HOSTS, settings.CONTROL_PATHS, settings.CGROUP):
        folder.mkdir(exist_ok=True)
    if not os.path.ismount(settings.CGROUP):
        run(["mount", "-t", "cgroup2", "recon-lab", str(settings.CGROUP)])


def clear() -> None:
    network.remove_bridge()
    for mount in (settings.CGROUP, settings.WORK):
        run(["umount", "--lazy", str(mount)])
    settings.WORK.rmdir()
