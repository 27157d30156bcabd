# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file that a person wrote names its authors and its licence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.meta.collection import ROOT, files

HEADER = (
    "Copyright (c) 2026, The inference.recon authors",
    "GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)",
    "SPDX-License-Identifier: GPL-3.0-or-later",
)
NO_COMMENTS = {".json", ".txt", ".out", ".csv", ".xml", ".tsv"}
"""Formats without comments, and raw text of tools, where a header would be a lie."""

WRITTEN_BY_TOOLS = {Path("COPYING"), Path("CHANGELOG.md"), Path("changelogs/changelog.yaml"), Path(".gitignore")}
WRITTEN = [
    path for path in files() if path not in WRITTEN_BY_TOOLS and path.suffix not in NO_COMMENTS and (ROOT / path).stat().st_size
]
OLDER_PYTHON = {Path("bin/environment.py")}
"""Runs on Python 3.6, to be able to say that a newer one is needed."""

PYTHON = [path for path in WRITTEN if path.suffix == ".py" and path not in OLDER_PYTHON]


@pytest.mark.parametrize("path", WRITTEN, ids=str)
def test_file_names_its_licence(path: Path) -> None:
    top = (ROOT / path).read_text()[:1000]
    assert [line for line in HEADER if line not in top] == []


@pytest.mark.parametrize("path", PYTHON, ids=str)
def test_python_file_evaluates_no_annotation(path: Path) -> None:
    assert "\nfrom __future__ import annotations\n" in (ROOT / path).read_text()


def test_license_text_is_there() -> None:
    assert "GNU GENERAL PUBLIC LICENSE" in (ROOT / "LICENSES" / "GPL-3.0-or-later.txt").read_text()
