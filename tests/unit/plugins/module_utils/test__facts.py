# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

import pytest
from ansible_collections.inference.recon.plugins.module_utils._facts import MESSAGE_LIMIT, Problem, facts, one_line, redact

SECRETS = [
    # (text, what is left of it): FACTS, law 7
    ("sglang --api-key s3cret --port 1", "sglang --api-key *** --port 1"),
    ("sglang --api-key=s3cret", "sglang --api-key=***"),
    ("x --hf-token s3cret", "x --hf-token ***"),
    ("x --token s3cret", "x --token ***"),
    ("GET /models?token=s3cret&x=1", "GET /models?token=***&x=1"),
    ("https://host/?api_key=s3cret", "https://host/?api_key=***"),
    ("hf_AbCdEfGhIjKlMnOp", "hf_***"),
    ("key sk-proj-AbCdEfGh1234", "key sk-***"),
    ("https://user:s3cret@host/path", "https://***@host/path"),
    ("https://user:p@ss@host/path", "https://***@host/path"),
    ("curl user:s3cret@host/x", "curl ***@host/x"),
    ("proxy=user:s3cret@host:1", "proxy=***@host:1"),
    ("sglang --api-key 'two words' --port 1", "sglang --api-key *** --port 1"),
    ("Authorization: Bearer s3cret", "Authorization: Bearer ***"),
    ("PASSWORD=s3cret", "PASSWORD=***"),
]


@pytest.mark.parametrize(("text", "left"), SECRETS)
def test_redact(text, left):
    assert redact(text) == left


PLAIN = [
    "NVIDIA B200",
    "/usr/bin/python3 -m sglang.launch_server --tokenizer-path x",
    "https://host/path",
    "0-55,112-167",
    "ssh git@host:path",
    "org/image:tag@sha256:0a",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text


LINES = [
    ("one", "one"),
    ("one\ntwo\r\n\tthree ", "one two three"),
    ("\x1b[31mred\x1b[0m", "[31mred [0m"),
    ("a\u202eb\u2028c\x00d", "a b c d"),
    ("", ""),
    ("--api-key\ns3cret", "--api-key ***"),
]


@pytest.mark.parametrize(("text", "line"), LINES)
def test_one_line(text, line):
    assert one_line(text) == line


def test_long_lines_are_cut():
    assert one_line("x" * 400) == "x" * 400
    assert one_line("x" * 401) == "x" * (MESSAGE_LIMIT - 3) + "..."


@dataclass(frozen=True)
class Inner:
    value: Tuple[int, ...]


@dataclass(frozen=True)
class Body:
    state: str
    inner: Inner


def test_shape():
    problems = [
        Problem("nvml", "unreadable", "two\nlines", "GPU 1"),
        Problem("nvml", "unreadable", "two lines", "GPU 1"),
        Problem("nvml", "missing", "x", "GPU 9"),
        Problem("driver", "unreadable", "x"),
    ]
    found = facts("thing", Body("ok", Inner((1, 2))), problems)
    assert found == {
        "thing": {
            "schema_version": 1,
            "problems": [
                {"source": "driver", "code": "unreadable", "message": "x", "subject": ""},
                {"source": "nvml", "code": "missing", "message": "x", "subject": "GPU 9"},
                {"source": "nvml", "code": "unreadable", "message": "two lines", "subject": "GPU 1"},
            ],
            "state": "ok",
            "inner": {"value": [1, 2]},
        }
    }
    assert list(found["thing"])[:2] == ["schema_version", "problems"]


def test_the_order_of_problems_does_not_depend_on_their_arrival():
    problems = [Problem("b", "x", "1"), Problem("a", "y", "2"), Problem("a", "x", "3", "GPU 1"), Problem("a", "x", "3")]
    assert facts("t", {}, problems) == facts("t", {}, reversed(problems))
