# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from ansible_collections.inference.recon.plugins.plugin_utils._report.files import make_private, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "made" / "recon-report"


def write(directory: Path, text: str = "new") -> Path:
    make_private(str(directory))
    return Path(write_private(str(directory), "report.json", text))


def test_modes_whatever_the_umask(directory: Path) -> None:
    path = write(directory)
    assert (path.read_text(), mode(path), mode(directory)) == ("new", 0o600, 0o700)


def test_a_directory_of_reports_is_closed(directory: Path) -> None:
    directory.mkdir(parents=True, mode=0o755)
    (directory / "report.json").write_text("old")
    (directory / "report.json").chmod(0o644)
    path = write(directory)
    assert (path.read_text(), mode(path), mode(directory)) == ("new", 0o600, 0o700)


def test_a_directory_of_other_things_keeps_its_mode(directory: Path) -> None:
    directory.mkdir(parents=True)
    directory.chmod(0o755)
    (directory / "thesis.txt").write_text("mine")
    assert (mode(write(directory)), mode(directory)) == (0o600, 0o755)


def test_a_link_in_place_of_the_file_is_replaced(directory: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    directory.mkdir(parents=True)
    (directory / "report.json").symlink_to(target)
    path = write(directory)
    assert (path.is_symlink(), path.read_text(), target.read_text()) == (False, "new", "precious")


def test_a_link_in_place_of_the_directory_is_replaced(directory: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    directory.parent.mkdir()
    directory.symlink_to(elsewhere)
    write(directory)
    assert (directory.is_symlink(), list(elsewhere.iterdir())) == (False, [])


def test_nothing_half_written_stays(directory: Path) -> None:
    write(directory, "old")
    with pytest.raises(UnicodeEncodeError):
        write(directory, "half\ud800")
    assert [(path.name, path.read_text()) for path in directory.iterdir()] == [("report.json", "old")]


def test_a_file_in_place_of_the_directory_is_an_error(directory: Path) -> None:
    directory.parent.mkdir()
    directory.write_text("mine")
    with pytest.raises(OSError, match="recon-report"):
        write(directory)
    assert directory.read_text() == "mine"
