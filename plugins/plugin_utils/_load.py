# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Read facts, as JSON has them, back into the dataclasses of the target; what a host says is not trusted to fit."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class FactsError(ValueError):
    """The facts do not have the promised shape; the message names the key."""


def load(kind: type[T], value: object, where: str = "facts") -> T:
    """Return `value` as the dataclass `kind`. Unknown keys are fine (a newer target); a wrong type is not."""
    if not isinstance(value, Mapping):
        raise FactsError(f"{where} is no mapping")
    hints = _hints(kind)  # type: ignore[arg-type]
    found = {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in value:
            found[field.name] = _load_any(hints[field.name], value[field.name], f"{where}.{field.name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise FactsError(f"{where}.{field.name} is missing")
    return kind(**found)


@lru_cache(maxsize=None)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _load_any(kind: Any, value: object, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Union:
        return None if value is None else _load_any(inner[0], value, where)
    if is_dataclass(kind):
        return load(kind, value, where)  # type: ignore[arg-type]
    if origin in (list, tuple):
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise FactsError(f"{where} is no list")
        return origin(_load_any(inner[0], item, f"{where}[]") for item in value)
    if origin is dict:
        if not isinstance(value, Mapping):
            raise FactsError(f"{where} is no mapping")
        return {str(key): _load_any(inner[1], item, f"{where}.{key}") for key, item in value.items()}
    if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
        raise FactsError(f"{where} is no {kind.__name__}")
    return value
