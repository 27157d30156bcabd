# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forget the host keys of re-rented addresses: ``python bin/forget.py``, the addresses in HOST."""

from __future__ import annotations

import os
import pwd
import sys
import tempfile

from addresses import Address, AddressError, parse_addresses
from environment import say

# The project's own file; ansible.cfg names it to ssh, and ssh takes ~ from the password file and not from HOME.
KNOWN_HOSTS = os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".ssh", "known_hosts_recon")


def is_about(line: str, address: Address) -> bool:
    """Tell whether a line of known_hosts is about this address; without a port, about any port of the host."""
    for name in line.split(" ", 1)[0].split(","):
        host, colon, port = name[1:].rpartition("]:") if name.startswith("[") else (name, "", "22")
        if host == address.host and address.port in (None, int(port)):
            return True
    return False


def forget(path: str, addresses: list[Address]) -> int:
    """Take the lines about these addresses out of the file and return how many there were."""
    try:
        with open(path, encoding="utf-8") as handle:
            lines = handle.readlines()
    except FileNotFoundError:
        return 0
    kept = [line for line in lines if not any(is_about(line, address) for address in addresses)]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path), delete=False) as handle:
        handle.writelines(kept)
    os.replace(handle.name, path)
    return len(lines) - len(kept)


def main() -> int:
    """Forget what HOST names."""
    try:
        addresses = parse_addresses(os.environ.get("HOST", ""))
    except AddressError as error:
        say(str(error))
        return 1
    count = forget(KNOWN_HOSTS, addresses)
    say(f"{count} known key{'' if count == 1 else 's'} of {', '.join(map(str, addresses))} forgotten")
    return 0


if __name__ == "__main__":
    sys.exit(main())
