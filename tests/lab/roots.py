# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Root file systems: made once by mmdebstrap, kept in the cache, never written to afterwards."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from . import settings
from .commands import locked, run

RECIPE = (
    "--mode=root",
    "--variant=minbase",
    "--include=systemd,systemd-sysv,dbus,openssh-server,python3,python3-apt,sudo,iproute2,procps,pciutils",
    '--aptopt=Acquire::Languages "none"',
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    # Locked passwords ("*"), keys only: the lab lays the keys over.
    '--customize-hook=chroot "$1" useradd --create-home --shell /bin/bash --password "*" recon',
    '--customize-hook=rm -f "$1"/etc/ssh/ssh_host_*',
    # Nothing reaches the network from here, and a first boot must not wait for anything.
    '--customize-hook=chroot "$1" systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer',
    '--customize-hook=mkdir -p "$1"/root/.ssh "$1"/home/recon/.ssh && chmod 700 "$1"/root/.ssh "$1"/home/recon/.ssh',
    '--customize-hook=chroot "$1" chown recon:recon /home/recon/.ssh',
)


def root(suite: str) -> Path:
    """The root file system of a Debian suite, built on first use."""
    recipe = hashlib.sha256("\n".join(RECIPE).encode()).hexdigest()[:8]
    finished = settings.CACHE / "roots" / f"{suite}-{recipe}"
    with locked(settings.CACHE / "roots.lock"):
        if not finished.is_dir():
            print(f"lab: making the {suite} root file system in {finished} (about a minute, once)", file=sys.stderr)
            build(suite, finished)
    return finished


def build(suite: str, finished: Path) -> None:
    """Build beside, then rename: a killed build never looks like a finished one."""
    finished.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{finished.name}.", dir=finished.parent))
    unfinished.chmod(0o755)  # apt's own user reads there
    try:
        made = unfinished / "root"
        run(["mmdebstrap", *RECIPE, suite, str(made)], timeout=1200)
        os.rename(made, finished)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
