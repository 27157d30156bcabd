# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make test` runs: one row a step, the quick ones first."""

from __future__ import annotations

from dataclasses import dataclass

AT = "tests/utils/at-collection-path"
PYTEST = ("python", "-m", "pytest", "-q")


@dataclass(frozen=True)
class Step:
    """A named group of commands; all of them run, whatever the others say."""

    name: str
    about: str
    commands: tuple[tuple[str, ...], ...]
    needs_lab: bool = False
    every_python: bool = False
    seconds: int = 300


STEPS = (
    Step("ruff", "style and format of Python", (("ruff", "check"), ("ruff", "format", "--check"))),
    Step("mypy", "types of the plugins", (("mypy", "--strict", "plugins/"),)),
    Step("shellcheck", "shell files", (("tests/utils/check-shell-files",),)),
    Step("meta", "what every file, module and document must keep to", ((*PYTEST, "tests/meta"),)),
    Step("unit", "unit tests on the controller's Python", ((*PYTEST, "tests/unit"),), seconds=600),
    Step("controller", "the commands and playbooks on this machine", ((*PYTEST, "tests/controller"),), seconds=600),
    Step("changelog", "changelog fragments", (("antsibull-changelog", "lint"),)),
    Step(
        "docs",
        "documentation of the plugins and the pages",
        (("antsibull-docs", "lint-collection-docs", "--plugin-docs", "--validate-collection-refs=all", "."),),
    ),
    Step(
        "lint",
        "playbooks and roles: ansible-lint, production",
        (("ansible-lint", "--offline", "--profile", "production"),),
    ),
    Step("package", "the built collection, installed, on every ansible-core", ((*PYTEST, "tests/package"),)),
    Step(
        "sanity",
        "ansible-test sanity",
        ((AT, "ansible-test", "sanity", "--local", "--requirements", "--python", "default", "--color", "no"),),
        every_python=True,
    ),
    Step(
        "units",
        "ansible-test units on Python 3.8 to 3.13",
        ((AT, "ansible-test", "units", "--venv", "--requirements", "--python", "default", "--color", "no"),),
        every_python=True,
        seconds=600,
    ),
    Step("over-ssh", "recorded hosts over SSH", ((*PYTEST, "tests/over_ssh"),), needs_lab=True, seconds=600),
    Step(
        "integration",
        "ansible-test integration on lab hosts",
        ((AT, "tests/utils/integrate"),),
        needs_lab=True,
        seconds=600,
    ),
    Step("molecule", "molecule scenarios on lab hosts", (("tests/utils/all-scenarios",),), needs_lab=True, seconds=600),
)
