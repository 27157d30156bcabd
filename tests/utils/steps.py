# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make test` runs: one row a step, the quick ones first."""

from __future__ import annotations

from dataclasses import dataclass

ANSIBLE_TEST = "tests/utils/at-collection-path ansible-test"
PYTHONS = "--requirements --python default --color no"


@dataclass(frozen=True)
class Step:
    """A named group of command lines; all of them run, whatever the others say."""

    name: str
    about: str
    commands: tuple[str, ...]
    needs_lab: bool = False
    every_python: bool = False
    seconds: int = 600


STEPS = (
    Step("ruff", "style and format of Python", ("ruff check", "ruff format --check")),
    Step("mypy", "types of the plugins", ("mypy --strict",)),
    Step("shellcheck", "shell files", ("tests/utils/check-shell-files",)),
    Step("meta", "what every file, module and document is held to", ("pytest -q tests/meta",)),
    Step("unit", "unit tests on the controller's Python", ("pytest -q -n 2 tests/unit",)),
    Step("faults", "what a broken driver, tool or kernel does to the survey", ("pytest -q tests/faults",)),
    Step("bench", "the benchmark still runs", ("pytest -q tests/bench",)),
    Step("controller", "the commands and playbooks on this machine", ("pytest -q tests/controller",)),
    Step("changelog", "changelog fragments", ("antsibull-changelog lint",)),
    Step("docs", "documentation", ("antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs=all .",)),
    Step("lint", "playbooks and roles", ("ansible-lint --offline --profile production",)),
    Step("package", "the built collection, installed, on every ansible-core", ("pytest -q tests/package",)),
    Step("sanity", "ansible-test sanity", (f"{ANSIBLE_TEST} sanity --local {PYTHONS}",), every_python=True),
    Step(
        "units", "unit tests on every Python", (f"{ANSIBLE_TEST} units --venv {PYTHONS} tests/unit/plugins/",), every_python=True
    ),
    Step("over-ssh", "recorded hosts over SSH", ("pytest -q tests/over_ssh",), needs_lab=True),
    Step("integration", "ansible-test integration on lab hosts", ("tests/utils/integrate",), needs_lab=True),
    Step("molecule", "molecule scenarios on lab hosts", ("molecule test --all",), needs_lab=True),
)
