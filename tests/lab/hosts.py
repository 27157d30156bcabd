# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts of the lab, as data: what each one is, and which recorded machine is laid over it."""

from __future__ import annotations

from dataclasses import dataclass

from . import CHECKOUT, settings

RECORDINGS = CHECKOUT / "tests" / "hosts"

# What is compiled or installed on this machine (the doubles, its Pythons) must run on the hosts too: by default they
# are of the machine's own release, whose archive keys it has as well.
OWN_RELEASE = settings.RELEASE.get("VERSION_CODENAME", "")


@dataclass(frozen=True)
class Host:
    """systemd: PID 1 is systemd, else a stub that runs sshd. python: None is the root file system's own."""

    name: str
    root: str = OWN_RELEASE
    systemd: bool = True
    sftp: bool = True
    python: str | None = None
    recorded: str | None = None


KINDS = (
    Host("bookworm", root="bookworm"),
    Host("trixie", root="trixie"),
    Host("no-systemd", systemd=False),
    Host("no-sftp", sftp=False),
    Host("py38", python="3.8", recorded="hgx-b200"),
    Host("py39", python="3.9", recorded="hgx-b200"),
    Host("py310", python="3.10", recorded="hgx-b200"),
    Host("py312", python="3.12", recorded="hgx-b200"),
    Host("py313", python="3.13", recorded="hgx-b200"),
)


def recorded_hosts() -> list[Host]:
    """One host for every machine of tests/hosts; what is recorded in a docker container has no systemd."""
    recipes = sorted(RECORDINGS.glob("*/host.yml"))
    return [recorded_host(recipe.parent.name, recipe.read_text().splitlines()) for recipe in recipes]


def recorded_host(name: str, recipe: list[str]) -> Host:
    return Host(name, systemd="container: docker" not in recipe, recorded=name)


def all_hosts() -> dict[str, Host]:
    return {host.name: host for host in (*KINDS, *recorded_hosts())}
