# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab as an inventory for ansible-playbook -i."""

from __future__ import annotations

from . import keys, settings
from .hosts import KINDS
from .machine import known

HEAD = f"""\
---
all:
  vars:
    ansible_user: root
    ansible_ssh_private_key_file: {settings.KEY}
    ansible_ssh_common_args: {" ".join(keys.OPTIONS)}
    # Their masters end with the lab, not a minute later with the address in somebody else's hands.
    ansible_control_path_dir: {settings.CONTROL_PATHS}
"""


def text() -> str:
    kinds = {host.name for host in KINDS}
    groups: dict[str, list[str]] = {"kinds": [], "recorded": []}
    for name, facts in known().items():
        group = "kinds" if name in kinds else "recorded"
        row = f"{{ansible_host: {facts['address']}, ansible_python_interpreter: {facts['interpreter']}}}"
        groups[group].append(f"        {name}: {row}\n")
    lines = [HEAD, "  children:\n"]
    for group, rows in groups.items():
        lines += [f"    {group}:\n", "      hosts:\n" if rows else "      hosts: {}\n", *rows]
    return "".join(lines)
