# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The gate's answer for a machine: one line."""

from collections.abc import Sequence

from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host


def render(hosts: Sequence[Host]) -> str:
    """Return the gate's line. Nobody judges readiness yet, so no host is ready and the verdict unknown."""
    unreachable = sum(host.state == "unreachable" for host in hosts)
    return f"RECON-GATE verdict=unknown ready=0 not_ready={len(hosts) - unreachable} unreachable={unreachable}"
