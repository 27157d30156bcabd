# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the lab lives and how its parts are called: one number tells two labs of one machine apart."""

from __future__ import annotations

import os
import platform
from pathlib import Path

try:
    RELEASE = platform.freedesktop_os_release()
except OSError:  # macOS has none
    RELEASE = {}

NUMBER = int(os.environ.get("RECON_LAB", "77"))
CACHE = Path(os.environ.get("RECON_CACHE", "/var/cache/inference-recon"))
WORK = Path("/var/tmp/inference-recon-lab") / str(NUMBER)
LOCK = WORK.with_suffix(".lock")

# The benchmark range of RFC 2544, which nobody routes. The addresses exist only in the lab's own namespaces.
SUBNET = f"198.18.{NUMBER}"
GATEWAY = f"{SUBNET}.1"
FIRST_ADDRESS = 10

BRIDGE = f"recon{NUMBER}"
PREFIX = f"recon{NUMBER}-"

HOSTS = WORK / "hosts"
KEY = WORK / "id_ed25519"
KNOWN_HOSTS = WORK / "known_hosts"
CONTROL_PATHS = WORK / "cp"
CGROUP = WORK / "cgroup"
