# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import configparser
from pathlib import Path

import pytest
from addresses import parse_addresses
from forget import KNOWN_HOSTS, forget

ROOT = Path(__file__).resolve().parents[2]
KNOWN = """\
203.0.113.7 ssh-ed25519 AAAA1
[203.0.113.7]:36472 ssh-ed25519 AAAA2
[203.0.113.70]:36472 ssh-ed25519 AAAA3
gpu,203.0.113.8 ssh-ed25519 AAAA4
[2001:db8::7]:36472 ssh-ed25519 AAAA5
2001:db8::7 ssh-ed25519 AAAA6
# a comment

|1|c2FsdA==|aGFzaA== ssh-ed25519 AAAA7
"""


@pytest.mark.parametrize(
    ("address", "gone"),
    [
        ("root@203.0.113.7:36472", ["AAAA2"]),
        ("203.0.113.7:22", ["AAAA1"]),
        ("203.0.113.7", ["AAAA1", "AAAA2"]),
        ("gpu", ["AAAA4"]),
        ("203.0.113.8", ["AAAA4"]),
        ("[2001:db8::7]:36472", ["AAAA5"]),
        ("2001:db8::7", ["AAAA5", "AAAA6"]),
        ("203.0.113.9", []),
        ("203.0.113.7:22, gpu", ["AAAA1", "AAAA4"]),
    ],
)
def test_forgets_these_keys_and_no_others(address: str, gone: list[str], tmp_path: Path) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(KNOWN)
    count = forget(str(path), parse_addresses(address))
    lines = KNOWN.splitlines(keepends=True)
    assert path.read_text() == "".join(line for line in lines if not line.endswith(tuple(f"{key}\n" for key in gone)))
    assert count == len(gone)


def test_nothing_known_yet(tmp_path: Path) -> None:
    assert forget(str(tmp_path / "known_hosts"), parse_addresses("h")) == 0


def test_the_file_is_the_one_that_ssh_is_told() -> None:
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "ansible.cfg")
    assert f"UserKnownHostsFile=~/.ssh/{Path(KNOWN_HOSTS).name} " in config["ssh_connection"]["ssh_extra_args"]
    assert "HashKnownHosts=no" in config["ssh_connection"]["ssh_extra_args"]
