# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What to tell somebody about a host: the answer, and the next thing to do."""

from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host
from ansible_collections.inference.recon.plugins.plugin_utils._states import state_of


def answer(host: Host) -> str:
    """Return the state of a host as an answer."""
    return host.failure.message if host.failure else state_of(host.state).answer


def next_step(host: Host) -> str:
    """Return what to do about a host, `-` for nothing; a GPU at fault is named."""
    if host.failure:
        return host.failure.advice
    step = state_of(host.state).step
    if host.state not in ("ok", "degraded") or not host.failing:
        return step
    return f"GPU {host.failing}: " + ("see its fault" if step == "-" else step)
