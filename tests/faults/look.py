# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""Looks at a recorded tree in this process, as the module would at its host."""

import json
from pathlib import Path
from typing import Any

from ansible_collections.inference.recon.plugins.module_utils._facts import facts
from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.collect import Options, Place, collect

READERS = ("nvml", "nvidia_smi")


def look(tree: Path, readers: tuple[str, ...] = READERS, **options: Any) -> dict[str, Any]:
    """Return the facts as Ansible gets them: through JSON."""
    place = Place(Root(str(tree)), str(tree / "lib/libnvidia-ml.so.1"), str(tree / "lib/libcuda.so.1"))
    asked = Options(readers=readers, executable=str(tree / "bin/nvidia-smi"), **options)
    topology, problems = collect(asked, place)
    return json.loads(json.dumps(facts("nvidia_topology", topology, problems), allow_nan=False))["nvidia_topology"]


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """Return the leaves of facts by dotted name: gpus.0.power.limit_watts; an empty list or dict is a leaf."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    leaves: dict[str, Any] = {}
    for key, child in children:
        leaves.update(flat(child, f"{name}.{key}" if name else str(key)))
    return leaves or {name: value}
