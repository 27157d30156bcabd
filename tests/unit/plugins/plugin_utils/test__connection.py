# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.plugin_utils._connection import _TABLE, explain

# What ssh, sshd, sudo and ansible-core print: seen on real connections to a local sshd, or in the threads named.
TEXTS = {
    "host_key_changed": """Failed to connect to the host via ssh: @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!
Offending ED25519 key in /root/.ssh/known_hosts_recon:4
Host key for [203.0.113.7]:36472 has changed and you have requested strict checking.
Host key verification failed.""",
    "host_key_unknown": """No ED25519 host key is known for [203.0.113.7]:36472 and you have requested strict checking.
Host key verification failed.""",
    "not_full_ssh": "\nError: Your SSH client doesn't support PTY\n",
    "survey_timeout": "Task failed: Timed out after 300 second(s).",
    "key_refused": "root@203.0.113.7: Permission denied (publickey,password).",
    "key_file_open": "WARNING: UNPROTECTED PRIVATE KEY FILE!\nroot@h: Permission denied (publickey).",
    "too_many_keys": "Received disconnect from 203.0.113.7 port 22:2: Too many authentication failures",
    "refused": "ssh: connect to host 203.0.113.7 port 36472: Connection refused",
    "timeout": "ssh: connect to host 203.0.113.7 port 22: Connection timed out",
    "name_unknown": "ssh: Could not resolve hostname nosuch.invalid: Name or service not known",
    "no_route": "ssh: connect to host 203.0.113.7 port 22: No route to host",
    "closed": "kex_exchange_identification: Connection closed by remote host\nConnection closed by 203.0.113.7 port 22",
    "ssh_missing": "[Errno 2] No such file or directory: b'ssh'",
    "sshpass_missing": "to use the 'ssh' connection type with passwords or pkcs11_provider, you must install the sshpass program",
    "password_refused": "Invalid/incorrect password: Permission denied, please try again.",
    "python_missing": "The module interpreter '/usr/bin/python3' was not found.",
    "python_too_old": "ansible-core requires a minimum of Python version 3.9. Current version: 3.8.10",
    "become_missing": "/bin/sh: 1: sudo: not found\n",
    "become_refused": "Missing sudo password",
    "disk_full": "OSError: [Errno 28] No space left on device",
    "no_temporary_directory": "Failed to create temporary directory. In some cases, you may have been able to authenticate",
}
MORE_TEXTS = [
    ("survey_timeout", "The nvidia_topology action failed to execute in the expected time frame (300) and was terminated"),
    ("not_full_ssh", "exec request failed on channel 0"),
    ("not_full_ssh", "This service allows sftp connections only."),
    ("timeout", "Connection timed out during banner exchange"),
    ("timeout", "ssh: connect to host 203.0.113.7 port 22: Operation timed out"),
    ("python_missing", "/bin/sh: 1: /usr/bin/python3: not found"),
    ("python_missing", "bash: line 1: /usr/bin/python3: No such file or directory"),
    ("python_missing", "pyenv: python3.13: command not found\n\nThe `python3.13' command exists in these Python versions:"),
    ("python_too_old", "Ansible requires a minimum of Python2 version 2.7 or Python3 version 3.5. Current version: 2.6.6"),
    ("become_refused", "sudo: a password is required"),
    ("name_unknown", "ssh: Could not resolve hostname h: nodename nor servname provided, or not known"),  # macOS
]


def test_every_row_has_a_text() -> None:
    assert {failure.code for unused, failure in _TABLE} == set(TEXTS)


@pytest.mark.parametrize(("code", "text"), [*TEXTS.items(), *MORE_TEXTS])
def test_text_is_explained(code: str, text: str) -> None:
    assert explain(text, "root@203.0.113.7:36472", unreachable=True).code == code


def test_advice_names_the_address() -> None:
    advice = explain(TEXTS["host_key_changed"], "root@203.0.113.7:36472", unreachable=True).advice
    assert advice == "make forget HOST=root@203.0.113.7:36472"


@pytest.mark.parametrize(
    ("code", "reached"),
    [("refused", False), ("not_full_ssh", False), ("python_missing", True), ("become_refused", True), ("disk_full", True)],
)
def test_a_host_that_only_lacks_something_was_reached(code: str, *, reached: bool) -> None:
    assert explain(TEXTS[code], "h", unreachable=False).reached is reached


def test_each_message_is_one_short_line() -> None:
    assert [failure.code for unused, failure in _TABLE if len(failure.message) > 74 or "\n" in failure.message] == []


def test_an_unknown_text_is_quoted() -> None:
    failure = explain("first\nssh: something new\n\n", "h", unreachable=True)
    assert (failure.code, failure.message, failure.reached) == ("unreachable", "ssh: something new", False)


def test_silence_is_no_success() -> None:
    failure = explain("", "h", unreachable=False)
    assert (failure.code, failure.message, failure.reached) == ("survey_failed", "no reason was given", True)
