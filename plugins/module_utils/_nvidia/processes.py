# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Whose the processes on a GPU are: user, unit and container, from /proc."""

from typing import Any, Dict, List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem, one_line
from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import is_whole
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Container, Process
from ansible_collections.inference.recon.plugins.module_utils._systemd.cgroup import parse_cgroup


def describe(root: Root, rows: List[Dict[str, Any]]) -> Tuple[Tuple[Process, ...], List[Problem]]:
    """Join the driver's processes with /proc: {pid, name, type, memory_mib} of each in, owners and problems out."""
    described, problems = [], []
    for row in sorted(rows, key=lambda row: int(row["pid"])):
        process, found = _describe(root, row)
        described.append(process)
        problems.extend(found)
    return tuple(described), problems


def _describe(root: Root, row: Dict[str, Any]) -> Tuple[Process, List[Problem]]:
    folder, subject, problems = "/proc/%d" % row["pid"], "pid %d" % row["pid"], []
    cgroup = root.read(folder, "cgroup")
    status = root.read(folder, "status")
    membership = parse_cgroup(cgroup) if cgroup is not None else None
    user = _user(root, status)
    if membership is None or user is None:
        problems.append(Problem(folder, "process_hidden", "the process cannot be looked at; its owner is unknown", subject))
    elif membership.hidden:
        problems.append(Problem(folder + "/cgroup", "cgroup_hidden", "shows nothing but /; its unit is unknown", subject))
    if row["memory_mib"] is None:
        problems.append(Problem("driver", "memory_hidden", "does not say how much memory it uses", subject))
    if row["type"] is None:
        problems.append(Problem("driver", "unreadable", "an unknown type of process", subject))
    unit = membership.unit if membership else None
    container = None
    if membership and membership.engine:
        container = Container(membership.engine, membership.container)
    name = row["name"] or root.read(folder, "comm")  # not cmdline: reading it waits for a process that hangs
    process = Process(
        pid=row["pid"],
        name=one_line(name) if name else None,
        type=row["type"],
        memory_mib=row["memory_mib"],
        unit=unit,
        unit_manager="systemd" if unit else None,
        user=user,
        container=container,
    )
    return process, problems


def _user(root: Root, status: Optional[str]) -> Optional[str]:
    """Return the name in /etc/passwd, else the number: name services on a network may block."""
    lines = [line.split() for line in (status or "").splitlines() if line.startswith("Uid:")]
    if not lines or len(lines[0]) < 2 or not is_whole(lines[0][1]):
        return None
    uid = lines[0][1]
    for line in (root.read("/etc/passwd") or "").splitlines():
        fields = line.split(":")
        if len(fields) > 2 and fields[2] == uid:
            return fields[0]
    return uid
