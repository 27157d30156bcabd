# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from addresses import Address, AddressError, make_inventory, parse_addresses

READ = [
    # pasted, read
    ("h", [Address("h")]),
    ("gpu-1.example.com", [Address("gpu-1.example.com")]),
    ("root@203.0.113.7", [Address("203.0.113.7", "root")]),
    ("root@203.0.113.7:36472", [Address("203.0.113.7", "root", 36472)]),
    ("203.0.113.7:36472", [Address("203.0.113.7", None, 36472)]),
    ("[2001:db8::7]:22", [Address("2001:db8::7", None, 22)]),
    ("root@[2001:db8::7]", [Address("2001:db8::7", "root")]),
    ("2001:db8::7", [Address("2001:db8::7")]),
    ("ssh://root@203.0.113.7:36472/", [Address("203.0.113.7", "root", 36472)]),
    # RunPod's and Vast's "connect" buttons
    ("ssh root@203.0.113.7 -p 36472 -i ~/.ssh/id_ed25519", [Address("203.0.113.7", "root", 36472, "~/.ssh/id_ed25519")]),
    ("ssh -p 36472 root@203.0.113.7 -L 8080:localhost:8080", [Address("203.0.113.7", "root", 36472)]),
    (
        "ssh abc123-64411@ssh.runpod.io -i ~/.ssh/id_ed25519",
        [Address("ssh.runpod.io", "abc123-64411", None, "~/.ssh/id_ed25519")],
    ),
    ("root@203.0.113.7 -p36472", [Address("203.0.113.7", "root", 36472)]),
    ("-l root 203.0.113.7", [Address("203.0.113.7", "root")]),
    # several
    ("a,b c", [Address("a"), Address("b"), Address("c")]),
    ("ssh a -p 1, ssh -p 2 b", [Address("a", None, 1), Address("b", None, 2)]),
    ("ssh -p 1 a ssh b -p 2", [Address("a", None, 1), Address("b", None, 2)]),
    ("-p 1 a -p 2 b", [Address("a", None, 1), Address("b", None, 2)]),
    ("a a", [Address("a")]),
]
REFUSED = [
    # pasted, what the error quotes
    ("", "''"),
    (" , ", "' , '"),
    ("root@", "''"),
    ("root@h:", "''"),
    ("root@h:ssh", "'ssh'"),
    ("h:0", "'0'"),
    ("h:65536", "'65536'"),
    ("h -p", "''"),
    ("h:²", "'²'"),
    ("-p 22", "'-p 22'"),
    ("203.0.113.300", "'203.0.113.300'"),
    ("[2001:db8::zz]:22", "'2001:db8::zz'"),
    ("a;reboot", "'a;reboot'"),
    ("$(reboot)", "'$(reboot)'"),
    ("-oProxyCommand=reboot", "'-oProxyCommand=reboot'"),
    ("ssh -J bastion h", "'-J'"),
    ("-x@h", "'-x@h'"),
    ("ro ot@h;", "'h;'"),
    ("'h", '"\'h"'),
    ("{{ x }}", "'{{'"),
    ("h\nb\x1b", "'b\\x1b'"),
]


@pytest.mark.parametrize(("text", "addresses"), READ)
def test_read(text: str, addresses: list[Address]) -> None:
    assert parse_addresses(text) == addresses


@pytest.mark.parametrize(("text", "quoted"), REFUSED)
def test_refused_by_name(text: str, quoted: str) -> None:
    with pytest.raises(AddressError) as error:
        parse_addresses(text)
    assert str(error.value).startswith(quoted)
    assert "\n" not in str(error.value)


def test_what_is_shown_can_be_typed() -> None:
    for text in ("root@203.0.113.7:36472", "[2001:db8::7]:22", "h"):
        (address,) = parse_addresses(text)
        assert str(address) == text


def test_inventory() -> None:
    assert make_inventory(parse_addresses("root@203.0.113.7:36472, h -i key, 2001:db8::7")) == {
        "all": {
            "hosts": {
                "203.0.113.7": {"ansible_host": "203.0.113.7", "ansible_user": "root", "ansible_port": 36472},
                "h": {"ansible_host": "h", "ansible_ssh_private_key_file": "key"},
                "2001:db8::7": {"ansible_host": "2001:db8::7"},
            },
        },
    }


def test_one_host_at_two_ports_is_two_names() -> None:
    inventory = make_inventory(parse_addresses("root@h:1 h:2 h"))
    assert list(inventory["all"]["hosts"]) == ["h_1_root", "h_2", "h_22"]  # type: ignore[index, call-overload]
