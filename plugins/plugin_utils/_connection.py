# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What the texts of ssh and Ansible mean for somebody who wants to reach a host: one table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """Why there are no facts of a host, in one line, and the next thing to do."""

    code: str
    message: str
    advice: str
    reached: bool = False


_APT_PYTHON = "on the host: apt install python3 (or set ansible_python_interpreter)"

# The first row one of whose texts occurs wins: the more telling ones stand first. The texts are those of OpenSSH
# (sshconnect.c, packet.c, auth2.c, misc.c), glibc's strerror and getaddrinfo, sudo, sshpass and ansible-core.
_TABLE: tuple[tuple[tuple[str, ...], Failure], ...] = (
    (
        ("timed out after", "in the expected time frame"),
        Failure(
            "survey_timeout",
            "the survey did not end in time: the connection or the host hangs",
            "try by hand: ssh ssh://{address} true",
            reached=True,
        ),
    ),
    (
        (
            "ssh client doesn't support pty",
            "this service allows sftp connections only",
            "exec request failed on channel",
            "shell request failed on channel",
        ),
        Failure(
            "not_full_ssh",
            "this address runs no commands: a provider's proxy, no full SSH",
            "use the exposed TCP port that the provider shows beside it: HOST=root@ADDRESS:PORT",
        ),
    ),
    (
        ("remote host identification has changed", "has changed and you have requested strict checking"),
        Failure(
            "host_key_changed",
            "another host key than last time: rented anew, or somebody in between",
            "make forget HOST={address}",
        ),
    ),
    (
        ("host key verification failed",),
        Failure(
            "host_key_unknown",
            "the host key is new and the ssh settings in use accept no new ones",
            "connect once by hand, or run from the checkout, whose ansible.cfg accepts new keys",
        ),
    ),
    (
        ("unprotected private key file",),
        Failure("key_file_open", "ssh ignores the private key: others can read its file", "chmod 600 the key file"),
    ),
    (
        ("too many authentication failures",),
        Failure(
            "too_many_keys",
            "the agent offered too many keys before the right one",
            "name the key: EXTRA='--private-key FILE', with IdentitiesOnly yes in ~/.ssh/config",
        ),
    ),
    (
        ("invalid/incorrect password", "incorrect ssh password"),
        Failure("password_refused", "the host refuses this password", "check the user and the password"),
    ),
    (
        ("you must install the sshpass program",),
        Failure("sshpass_missing", "a password for ssh needs sshpass here", "use a key, or here: apt install sshpass"),
    ),
    (
        ("permission denied (",),
        Failure(
            "key_refused",
            "the host refuses our key or user",
            "give the user and the key: HOST=user@host, EXTRA='--private-key FILE'",
        ),
    ),
    (
        ("could not resolve hostname",),
        Failure("name_unknown", "the name does not resolve", "check the name; an address works as well"),
    ),
    (
        ("connection refused",),
        Failure("refused", "nothing listens on this port", "check the port; a host that is still starting needs a moment"),
    ),
    (
        ("no route to host", "network is unreachable", "host is down"),
        Failure("no_route", "no way to this address from here", "check the address and this machine's network"),
    ),
    (
        ("timed out", "timeout, server", "timer expired"),
        Failure("timeout", "no answer", "check that the host runs, the port is mapped and no firewall is in between"),
    ),
    (
        ("kex_exchange_identification", "connection closed by", "connection reset by", "broken pipe"),
        Failure("closed", "the connection was closed before it was up", "try again; if it stays, check that the port is sshd's"),
    ),
    (
        ("no such file or directory: b'ssh'", "no such file or directory: 'ssh'", "ssh: command not found"),
        Failure("ssh_missing", "there is no ssh on this machine", "here: apt install openssh-client"),
    ),
    (
        ("requires a minimum of python",),
        Failure(
            "python_too_old",
            "the host's Python is too old for this ansible-core",
            "on the host: a newer python3; or here a Python 3.11, whose ansible-core speaks to 3.8",
            reached=True,
        ),
    ),
    (
        ("sudo: not found", "sudo: command not found"),
        Failure("become_missing", "there is no sudo on the host", "log in as root and do without become", reached=True),
    ),
    (
        ("missing sudo password", "a password is required", "incorrect sudo password", "is not in the sudoers file"),
        Failure("become_refused", "sudo wants a password", "EXTRA=--ask-become-pass, or do without become", reached=True),
    ),
    (
        ("module interpreter", "python: not found", "python3: not found", "python3: no such file", "command not found"),
        Failure("python_missing", "no Python starts on the host", _APT_PYTHON, reached=True),
    ),
    (
        ("no space left on device", "disk quota exceeded"),
        Failure(
            "disk_full", "the host's disk is full: there is no room for Ansible's own files", "make room there", reached=True
        ),
    ),
    (
        ("failed to create temporary directory", "read-only file system"),
        Failure(
            "no_temporary_directory",
            "Ansible cannot write its temporary files on the host",
            "set ansible_remote_tmp to a directory that the user can write",
            reached=True,
        ),
    ),
)


def explain(text: str, address: str, *, unreachable: bool) -> Failure:
    """Return what an error text means; `address` is what a person would type to reach the host."""
    lower = text.lower()
    for needles, failure in _TABLE:
        if any(needle in lower for needle in needles):
            return Failure(failure.code, failure.message, failure.advice.replace("{address}", address), failure.reached)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Failure(
        code="unreachable" if unreachable else "survey_failed",
        message=lines[-1] if lines else "no reason was given",
        advice="try by hand: ssh ssh://" + address if unreachable else "run again with -vvv for all of it",
        reached=not unreachable,
    )
