# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab's own key pair, host keys and ssh command line: nobody's ~/.ssh is read or written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from . import settings
from .commands import attempt, run

OPTIONS = (
    f"-oUserKnownHostsFile={settings.KNOWN_HOSTS}",
    "-oGlobalKnownHostsFile=/dev/null",
    "-oStrictHostKeyChecking=yes",
    "-oIdentitiesOnly=yes",
    "-oLogLevel=ERROR",
)


def public(key: Path) -> Path:
    return key.with_name(key.name + ".pub")


def make(key: Path, comment: str) -> None:
    """Make an ed25519 key pair without a passphrase, once."""
    if not key.exists():
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(key)])


def install(root: Path, name: str) -> str:
    """Give a host its own host key, and let the lab's key in as root and as recon; return the public host key."""
    host_key = root / "etc/ssh/ssh_host_ed25519_key"
    make(host_key, name)
    for home in (root / "root", root / "home/recon"):
        authorized = home / ".ssh/authorized_keys"
        shutil.copy(public(settings.KEY), authorized)
        owner = home.stat()
        os.chown(authorized, owner.st_uid, owner.st_gid)
        authorized.chmod(0o600)
    return " ".join(public(host_key).read_text().split()[:2])


def know(host_keys: dict[str, str]) -> None:
    """Write known_hosts: address to public host key."""
    settings.KNOWN_HOSTS.write_text("".join(f"{address} {key}\n" for address, key in sorted(host_keys.items())))


def command(address: str, *words: str, user: str = "root") -> list[str]:
    return ["ssh", "-i", str(settings.KEY), *OPTIONS, f"{user}@{address}", *words]


def close_masters() -> None:
    """End the ssh masters that ControlPersist left behind: their connections die with the hosts."""
    for socket in settings.CONTROL_PATHS.glob("*"):
        if socket.is_socket():
            attempt(["ssh", f"-oControlPath={socket}", "-Oexit", "lab"], timeout=10)
