# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The shape that all facts share: problems, one-line texts, redaction, order, and what may differ between two runs."""

import re
import unicodedata
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Dict, Iterable, List

SCHEMA_VERSION = 1

VOLATILE: Dict[str, List[str]] = {
    "nvidia_topology": [
        "gpus[].memory_free_mib",
        "gpus[].memory_used_mib",
        "gpus[].pcie.generation_current",
        "gpus[].processes[].memory_mib",
    ],
}
"""Keys that may differ between two runs on an unchanged host, by module."""

MESSAGE_LIMIT = 400

_VALUE = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"]+)"

_SECRETS = (
    # (what it looks like, what is left of it)
    (re.compile(r"(--?(?:api[-_]key|admin[-_]api[-_]key|hf[-_]token|token|password|secret)[= ]+)" + _VALUE, re.I), r"\1***"),
    (re.compile(r"((?:token|api_key|apikey|access_token|password|secret)=)[^&\s'\"]+", re.I), r"\1***"),
    (re.compile(r"(authorization: *(?:bearer|basic) +)[^\s'\"]+", re.I), r"\1***"),
    (re.compile(r"\bhf_[A-Za-z0-9]{8,}"), "hf_***"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"), "sk-***"),
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/\s]+@", re.I), r"\1***@"),
    (re.compile(r"(?<![\w/.+-])[\w.+-]+:[^\s/@:]+@(?=[\w\[])"), "***@"),  # user:password@host without a scheme
)


@dataclass(frozen=True)
class Problem:
    """Why something could not be told: `source` is the file, command or library, `subject` the GPU, unit or path."""

    source: str
    code: str
    message: str
    subject: str = ""


def redact(text: str) -> str:
    """Replace what looks like a secret by `***`."""
    for pattern, rest in _SECRETS:
        text = pattern.sub(rest, text)
    return text


def printable(text: str) -> str:
    """Return text with a blank for each character that moves a cursor, hides, or cannot be encoded."""
    if text.isprintable():
        return text
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)


def one_line(text: str) -> str:
    """Return text on one line, without control or format characters, secrets or an end beyond 400 characters."""
    shown = redact(" ".join(printable(text[: 10 * MESSAGE_LIMIT]).split()))
    return shown if len(shown) <= MESSAGE_LIMIT else shown[: MESSAGE_LIMIT - 3] + "..."


def plain(value: Any) -> Any:
    """Turn dataclasses and tuples into what JSON has, and texts into what a terminal may be shown."""
    if isinstance(value, str):
        return printable(value)
    if is_dataclass(value):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def facts(name: str, body: Any, problems: Iterable[Problem]) -> Dict[str, Any]:
    """Return what a fact module hands to exit_json: one top-level key, schema version and sorted problems first."""
    rows = {Problem(p.source, p.code, one_line(p.message), one_line(p.subject)) for p in problems}
    ordered = sorted(rows, key=lambda row: (row.source, row.code, row.subject, row.message))
    return {name: {"schema_version": SCHEMA_VERSION, "problems": plain(ordered), **plain(body)}}
