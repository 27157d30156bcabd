# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What this machine lacks to be a lab."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess

from . import settings

PACKAGES = {
    "systemd-nspawn": "systemd-container",
    "mmdebstrap": "mmdebstrap",
    "ssh": "openssh-client",
    "ip": "iproute2",
    "gcc": "gcc libc6-dev",
}


def missing() -> str | None:
    """One line that says what is missing and how to get it, or None."""
    if settings.RELEASE.get("ID") not in ("debian", "ubuntu"):
        return "needs Debian or Ubuntu (systemd-nspawn, mmdebstrap)"
    if os.geteuid() != 0:
        return "needs root (systemd-nspawn, overlay mounts, network namespaces)"
    packages = [package for tool, package in PACKAGES.items() if not shutil.which(tool)]
    if importlib.util.find_spec("yaml") is None:
        packages.append("python3-yaml")
    if packages:
        return f"needs packages: apt-get install {' '.join(packages)}"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return "needs the right to mount (CAP_SYS_ADMIN): in a container, a privileged one"
    return None
