# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person with a fresh checkout: an unprivileged account where we may make one, and what they type and see."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_CHECKED_IN = shutil.ignore_patterns(".git", ".venv", ".cache", ".*_cache", "__pycache__", "recon-report", "output")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

# The doors' own code; the tests of it import it as the doors do.
sys.path.insert(0, str(ROOT / "bin"))


@dataclass(frozen=True)
class Person:
    """Somebody at a terminal in a checkout."""

    account: pwd.struct_passwd
    checkout: Path

    def environ(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return what a login gives, and where this machine's pip finds its index."""
        kept = {
            name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_")) or "_proxy" in name.lower()
        }
        mine = {"PATH": SYSTEM_PATH, "HOME": self.account.pw_dir, "USER": self.account.pw_name, "LANG": "C.UTF-8"}
        return {**kept, **mine, **(more or {})}

    def start(self, *command: str, **more: object) -> subprocess.Popen[str]:
        """Start a command as this person."""
        identity = {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        settings = {"cwd": self.checkout, "env": self.environ(), **identity, **more}
        return subprocess.Popen(command, text=True, **settings)  # type: ignore[call-overload, no-any-return]

    def types(self, *command: str, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a command as this person and return what they see."""
        with self.start(
            *command,
            cwd=cwd or self.checkout,
            env=self.environ(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def owns(self, path: Path) -> Path:
        """Give a file or folder to this person."""
        for item in (path, *path.rglob("*")) if path.is_dir() and not path.is_symlink() else (path,):
            os.chown(item, self.account.pw_uid, self.account.pw_gid, follow_symlinks=False)
        return path


def end_processes(uid: int) -> None:
    """End what the account left running: ssh keeps connections for a minute, and such an account cannot be deleted."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == uid:
                os.kill(int(folder.name), signal.SIGKILL)


@pytest.fixture(scope="session")
def account() -> Iterator[pwd.struct_passwd]:
    """Root makes an account for the time of the tests, others are themselves."""
    if os.geteuid() != 0:
        yield pwd.getpwuid(os.geteuid())
        return
    name = f"recon-test-{os.getpid()}"
    subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh", name], check=True)
    try:
        yield pwd.getpwnam(name)
    finally:
        end_processes(pwd.getpwnam(name).pw_uid)
        subprocess.run(["userdel", "--remove", name], check=True, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def person(account: pwd.struct_passwd, tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Give the person a fresh checkout, where nothing is set up."""
    base = Path(account.pw_dir) if os.geteuid() == 0 else tmp_path_factory.mktemp("home")
    checkout = base / "checkout"
    shutil.copytree(ROOT, checkout, symlinks=True, ignore=NOT_CHECKED_IN)
    found = Person(account, checkout)
    found.owns(checkout)
    return found


@pytest.fixture(scope="session")
def settled(person: Person) -> Person:
    """Return the person after set-up."""
    done = person.types("make", "setup")
    assert done.returncode == 0, done.stderr
    return person
