# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What to tell somebody about a host: the answer, and the next thing to do."""

from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host
from ansible_collections.inference.recon.plugins.plugin_utils._gpus import describe_uses
from ansible_collections.inference.recon.plugins.plugin_utils._links import ranges
from ansible_collections.inference.recon.plugins.plugin_utils._states import state_of


def answer(host: Host) -> str:
    """Return the state of a host as an answer."""
    return host.failure.message if host.failure else state_of(host.state).answer


def next_step(host: Host) -> str:
    """Return what to do about a host, `-` for nothing; a GPU at fault is named."""
    if host.failure:
        return host.failure.advice
    step = state_of(host.state).step
    if host.state not in ("ok", "degraded") or not failing(host):
        return step
    return f"GPU {failing(host)}: " + ("see its fault" if step == "-" else step)


def failing(host: Host) -> str:
    """Return the indexes of the GPUs at fault, `?` for those that have none."""
    uses = describe_uses(host.topology.gpus, host.problems) if host.topology else []
    indexes = [gpu.index for gpu, use in uses if use.kind == "fault"]
    known = ranges(index for index in indexes if index is not None)
    return ",".join(filter(None, [known, "?" if None in indexes else ""]))
