# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""The first law of FACTS, as a comparison of two looks: unknown is never healthy, never zero, and never without a reason."""

from collections.abc import Callable
from typing import Any

from tests.faults.look import flat

GIVEN_BY = {"numa_node": "numa_affinity", "product": "name"}
"""Fields that follow from another one, which the problem names."""

SAY_IT_ALL = ("library_missing", "driver_missing", "driver_not_loaded")
"""States that are the reason for whatever only the driver can tell."""

Allowed = Callable[[str, Any], bool]


def nothing(*_: Any) -> bool:
    return False


def broken(whole: dict[str, Any], blanked: dict[str, Any], allowed: Allowed = nothing, lacks: bool = False) -> list[str]:
    """Return in which ways a look at a host with something taken away says more than it knows.

    `allowed(key, value)` says which new values are the mutation's own; `lacks`, that the device said it lacks a field.
    """
    found = _healthier(whole, blanked)
    before, after = _leaves(whole), _leaves(blanked)
    indexes = {str(gpu["index"]) for gpu in blanked["gpus"]}
    for key, value in before.items():
        seen = _value(after, key)
        if seen == (value,) or (".paths." in key and key.rpartition(".")[2] not in indexes):
            continue
        if seen is None:
            found += [] if blanked["state"] != "ok" and _is_gpu(key) else [f"{key}: gone from a list, and all is well"]
        elif seen[0] is not None:
            found += [] if allowed(key, seen[0]) else [f"{key}: {value!r} became {seen[0]!r}"]
        elif not _is_explained(key, whole, blanked, lacks):
            found.append(f"{key}: {value!r} became null without a reason")
    return found


RANK = {"ok": 0}
"""Every other state is a fault of some kind."""


def _healthier(whole: dict[str, Any], blanked: dict[str, Any]) -> list[str]:
    found = []
    if RANK.get(blanked["state"], 1) < RANK.get(whole["state"], 1):
        found.append(f"state: {whole['state']} became {blanked['state']}")
    if blanked["state"] == "no_gpu" != whole["state"]:
        found.append("state: a host with GPUs has none")
    states = {_key(gpu): gpu["state"] for gpu in whole["gpus"]}
    for gpu in blanked["gpus"]:
        if gpu["state"] == "ok" and states.get(_key(gpu), "ok") != "ok":
            found.append(f"GPU {_key(gpu)}: {states[_key(gpu)]} became ok")
        if gpu["state"] != "ok" and blanked["state"] == "ok":
            found.append(f"GPU {_key(gpu)}: {gpu['state']} on a host that is ok")
    return found


def _leaves(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the values by name, rows of lists by what names them; what is judged elsewhere left out."""
    own = {key: value for key, value in facts.items() if key not in ("problems", "state", "source", "gpus", "links", "nics")}
    own["gpus"] = {_key(gpu): _gpu(gpu) for gpu in facts["gpus"]}
    own["links"] = facts["links"] and {f"{link['a']}-{link['b']}": link for link in facts["links"]}
    own["nics"] = facts["nics"] and {nic["name"]: nic for nic in facts["nics"]}
    return flat(own)


def _gpu(gpu: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in gpu.items() if key not in ("state", "faults", "not_supported", "index")}
    return {**kept, "processes": gpu["processes"] and {row["pid"]: row for row in gpu["processes"]}}


def _key(gpu: dict[str, Any]) -> str:
    """Return what names a GPU, without the dots that part names."""
    return str(gpu["pci_bus_id"] if gpu["index"] is None else gpu["index"]).replace(".", "/")


def _value(leaves: dict[str, Any], key: str) -> tuple[Any] | None:
    """Return the value in a tuple; that of a parent which is null or empty as a whole; None where its row is gone."""
    if key in leaves:
        return (leaves[key],)
    above = key.rpartition(".")[0]
    return _value(leaves, above) if above and above != "gpus" else None


def _is_gpu(key: str) -> bool:
    return key.startswith("gpus.")


def _is_explained(key: str, whole: dict[str, Any], blanked: dict[str, Any], lacks: bool) -> bool:
    if blanked["state"] in SAY_IT_ALL:
        return True
    new = [row for row in blanked["problems"] if row not in whole["problems"]]
    if not _is_gpu(key):
        return bool(new)
    unused, which, field = key.split(".", 2)
    row = next(gpu for gpu in blanked["gpus"] if _key(gpu) == which)
    field = GIVEN_BY.get(field, field)
    if field == "name" and row["name"]:  # a card that we do not know
        return True
    field = field.split(".")[0] if field.startswith(("processes", "mig_devices")) else field
    if lacks and field in row["not_supported"]:
        return True
    of_gpu = [problem for problem in blanked["problems"] if problem["subject"] == f"GPU {which}"]
    names = (
        [field, "every field"]
        + ([field.split(".")[0]] if "." in field else [])
        + (["MIG devices"] if field == "mig_devices" else [])
    )
    named = any(name in problem["message"] for name in names for problem in of_gpu)
    return named or any(problem["source"] not in ("nvml", "nvidia_smi") for problem in new)
