# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read addresses as people paste them: ``root@203.0.113.7:36472``, ``ssh -p 36472 root@203.0.113.7``."""

from __future__ import annotations

import ipaddress
import re
import shlex
from dataclasses import dataclass, replace
from typing import Dict, List, Optional

USER = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\+-]*")
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?\.?")

# What a provider's "copy the ssh command" puts on the line (ssh(1)): options a survey needs, and those it can do without.
WANTED = {"-p": "port", "-l": "user", "-i": "key"}
IGNORED_WITH_VALUE = frozenset(["-L", "-R", "-D"])
IGNORED = frozenset(["-A", "-C", "-N", "-T", "-X", "-Y", "-t", "-tt", "-4", "-6", "-q", "-v"])


class AddressError(ValueError):
    """The text is no address; the message names it and says what would be right."""


@dataclass(frozen=True)
class Address:
    """Where one host is reached; None leaves the choice to ssh and its configuration."""

    host: str
    user: Optional[str] = None
    port: Optional[int] = None
    key: Optional[str] = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (f"{self.user}@" if self.user else "") + host + (f":{self.port}" if self.port else "")


def parse_port(text: str) -> int:
    """Read a TCP port."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise AddressError(f"{text!r} is no port: want 1 to 65535, as in root@203.0.113.7:36472")


def parse_user(text: str) -> str:
    """Read a user name."""
    if USER.fullmatch(text):
        return text
    raise AddressError(f"{text!r} is no user name: want one as in root@203.0.113.7:36472")


def parse_host(text: str) -> str:
    """Read a name or an address, IPv6 without brackets."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        pass
    if HOST.fullmatch(text) and not re.fullmatch(r"[0-9.]+", text):
        return text
    raise AddressError(f"{text!r} is no host name or address: want one as in root@203.0.113.7:36472 or [2001:db8::7]:22")


def parse_destination(text: str) -> Address:
    """Read ``[user@]host[:port]``, the host in brackets where it is an IPv6 address with a port."""
    rest = text[len("ssh://") :].rstrip("/") if text.startswith("ssh://") else text
    user, at, place = rest.rpartition("@")
    bracketed = re.fullmatch(r"\[(?P<host>[^\]]+)\](:(?P<port>.*))?", place)
    if bracketed:
        host, port = bracketed["host"], bracketed["port"]
    elif place.count(":") == 1:
        host, port = place.split(":")
    else:
        host, port = place, None
    return Address(
        host=parse_host(host),
        user=parse_user(user) if at else None,
        port=parse_port(port) if port is not None else None,
    )


def parse_option(name: str, value: str) -> Dict[str, object]:
    """Read an option of ssh that says where or as whom."""
    field = WANTED[name]
    readers = {"port": parse_port, "user": parse_user, "key": str}
    return {field: readers[field](value)}


def split_words(text: str) -> List[str]:
    """Split at commas and blanks, but not within quotes."""
    try:
        return shlex.split(text.replace(",", " "))
    except ValueError as error:
        raise AddressError(f"{text!r}: {error}") from None


def parse_addresses(text: str) -> List[Address]:
    """Read one or more addresses, apart by commas or blanks, each perhaps a whole ssh command line.

    An option belongs to the host before it, unless a new ``ssh`` was said since or that host has its own.
    """
    found: List[Address] = []
    pending: Dict[str, object] = {}
    fresh = True
    words = iter(split_words(text))
    for word in words:
        if word == "ssh":
            fresh = True
        elif word[:2] in WANTED:
            option = parse_option(word[:2], word[2:] or next(words, ""))
            (field,) = option
            if fresh or getattr(found[-1], field) is not None:
                pending.update(option)
            else:
                found[-1] = replace(found[-1], **option)
        elif word[:2] in IGNORED_WITH_VALUE:
            if not word[2:]:
                next(words, None)
        elif word.startswith("-"):
            if word not in IGNORED:
                raise AddressError(f"{word!r} is not understood in an address; put ssh options into your ~/.ssh/config")
        else:
            found.append(replace(parse_destination(word), **pending))
            pending, fresh = {}, False
    if pending or not found:
        raise AddressError(f"{text!r} names no host: want one as in root@203.0.113.7:36472")
    return list(dict.fromkeys(found))


def name_hosts(addresses: List[Address]) -> Dict[str, Address]:
    """Give each address its inventory name: the host, and the whole address where a host comes twice."""
    hosts = [address.host for address in addresses]
    return {
        address.host
        if hosts.count(address.host) == 1
        else f"{address.host}_{address.port or 22}_{address.user or ''}".rstrip("_"): address
        for address in addresses
    }


def make_inventory(addresses: List[Address]) -> Dict[str, object]:
    """Return an inventory of these hosts (JSON is YAML)."""
    hosts = {}
    for name, address in name_hosts(addresses).items():
        variables = {
            "ansible_host": address.host,
            "ansible_user": address.user,
            "ansible_port": address.port,
            "ansible_ssh_private_key_file": address.key,
        }
        hosts[name] = {key: value for key, value in variables.items() if value is not None}
    return {"all": {"hosts": hosts}}
