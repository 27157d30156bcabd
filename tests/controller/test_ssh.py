# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that cannot be surveyed, each behind a real sshd: one clear line in the report, and what to do."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.controller.conftest import SYSTEM_PATH, Person

SSHD = shutil.which("sshd", path=SYSTEM_PATH)
PTY_ONLY = 'ForceCommand echo "Error: Your SSH client doesn\'t support PTY"; exit 1'
HANGING = "ForceCommand sleep 60"
SFTP_ONLY = "Subsystem sftp internal-sftp\nForceCommand internal-sftp"
NO_SFTP = "Subsystem sftp /bin/false"


@dataclass(frozen=True)
class Server:
    """A running sshd on 127.0.0.1 that lets the person in with their key."""

    port: int
    key: Path

    @property
    def pasted(self) -> str:
        """Return what a provider's page offers to copy."""
        return f"ssh 127.0.0.1 -p {self.port} -i {self.key}"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def make_key(person: Person, path: Path) -> Path:
    done = person.types("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path))
    assert done.returncode == 0, done.stderr
    return path


@contextmanager
def running_sshd(person: Person, folder: Path, port: int, host_key: Path, user_key: Path, options: str) -> Iterator[Server]:
    assert SSHD, "sshd is needed: apt install openssh-server"
    config = folder / f"sshd_{port}.conf"
    config.write_text(
        f"{options}\nListenAddress 127.0.0.1:{port}\nHostKey {host_key}\nAuthorizedKeysFile {user_key}.pub\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\n"
    )
    process = person.start(SSHD, "-D", "-f", str(person.owns(config)), stderr=subprocess.DEVNULL)
    try:
        wait_until_listening(port)
        yield Server(port, user_key)
    finally:
        process.terminate()
        process.wait(timeout=10)


def wait_until_listening(port: int) -> None:
    for unused in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"no sshd on port {port}")


@pytest.fixture
def start(settled: Person, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Return a function that starts an sshd with extra lines of configuration."""
    folder = Path(settled.account.pw_dir) / f"sshd-{tmp_path.name}"
    folder.mkdir()
    settled.owns(folder)
    user_key = make_key(settled, folder / "user")
    with ExitStack() as stack:

        def start_sshd(options: str = NO_SFTP, *, port: int | None = None, authorized: Path = user_key) -> Server:
            number = port or free_port()
            host_key = make_key(settled, folder / f"host_{number}_{time.monotonic_ns()}")
            server = running_sshd(settled, folder, number, host_key, authorized, options)
            return Server(stack.enter_context(server).port, user_key)

        yield start_sshd
    shutil.rmtree(folder)


def survey(person: Person, pasted: str, extra: str = "") -> tuple[int, str, list[str | None]]:
    """Return the exit status, the report as shown, and per host its state and the code of its failure."""
    done = person.types("make", "survey", f"HOST={pasted}", f"EXTRA={extra}")
    hosts = json.loads((person.checkout / "recon-report" / "report.json").read_text())["hosts"]
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout, [text for host in hosts for text in (host["state"], (host["failure"] or {}).get("code"))]


def test_a_pasted_ssh_command_is_enough_and_sftp_not_needed(settled: Person, start: Callable[..., Server]) -> None:
    status, shown, found = survey(settled, start().pasted)
    assert (status, found[1]) == (0, None), shown
    assert found[0] in ("no_gpu", "ok")


@pytest.mark.parametrize(
    ("options", "extra", "state", "code"),
    [
        (PTY_ONLY, "", "unreachable", "not_full_ssh"),
        (HANGING, "-e sglang_host_timeout=3", "unknown", "survey_timeout"),
        (SFTP_ONLY, "", "unreachable", "not_full_ssh"),
        (NO_SFTP, "-e ansible_python_interpreter=/nowhere/python3", "unknown", "python_missing"),
        (NO_SFTP, "-e ansible_user=nobody-like-this", "unreachable", "key_refused"),
    ],
    ids=["a proxy that wants a terminal", "a proxy that hangs", "sftp only", "no python", "a wrong user"],
)
def test_refusing_host(settled: Person, start: Callable[..., Server], options: str, extra: str, state: str, code: str) -> None:
    status, shown, found = survey(settled, start(options).pasted, extra)
    assert (status, found) == (2, [state, code]), shown
    head, step = shown.splitlines()[:2]
    assert head.startswith("127.0.0.1    " + {"unknown": "UNKNOWN", "unreachable": "UNREACHED"}[state])
    assert step.startswith("  next     ")


def test_a_wrong_key(settled: Person, start: Callable[..., Server], tmp_path: Path) -> None:
    other = make_key(settled, Path(settled.account.pw_dir) / f"other-{tmp_path.name}")
    status, shown, found = survey(settled, start(authorized=other).pasted)
    assert (status, found) == (2, ["unreachable", "key_refused"]), shown


def test_nothing_listens_and_no_such_name(settled: Person) -> None:
    status, shown, found = survey(settled, f"127.0.0.1:{free_port()} nosuch.invalid")
    assert (status, found) == (2, ["unreachable", "refused", "unreachable", "name_unknown"]), shown


def test_a_changed_host_key_until_it_is_forgotten(settled: Person, start: Callable[..., Server]) -> None:
    first = start()
    known = Path(settled.account.pw_dir) / ".ssh" / "known_hosts_recon"
    assert survey(settled, first.pasted)[0] == 0
    another = first.key.with_suffix(".pub").read_text().split()[1]
    lines = [line.split(" ") for line in known.read_text().splitlines()]
    known.write_text("".join(f"{name} {kind} {another if f':{first.port}' in name else key}\n" for name, kind, key in lines))
    status, shown, found = survey(settled, first.pasted, "--ssh-common-args '-o ControlPath=none'")
    assert (status, found) == (2, ["unreachable", "host_key_changed"]), shown
    assert f"  next     make forget HOST=127.0.0.1:{first.port}" in shown.splitlines()
    forgotten = settled.types("make", "forget", f"HOST=127.0.0.1:{first.port}")
    assert forgotten.stderr == f"recon: 1 known key of 127.0.0.1:{first.port} forgotten\n"
    assert survey(settled, first.pasted)[0] == 0
