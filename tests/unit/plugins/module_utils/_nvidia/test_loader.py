# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which driver a library belongs to, by the name of the file behind it, and which libcuda is a compat library."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.libcuda import describe
from ansible_collections.inference.recon.plugins.module_utils._nvidia.loader import version_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Libcuda

FILES = [
    # (real file, version)
    ("libcuda.so.580.126.20", "580.126.20"),
    ("libcuda.so.590.48", "590.48"),
    ("libcuda.so.550.40.07", "550.40.07"),
    ("libnvidia-ml.so.570.133.20", "570.133.20"),
    ("libcuda.so.1", None),
    ("libcuda.so", None),
    ("libcuda.so.580.126.20.bak", None),
]


@pytest.mark.parametrize(("name", "version"), FILES)
def test_version_of(tmp_path, name, version):
    (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(name)
    assert version_of(str(tmp_path / name)) == version
    assert version_of(str(tmp_path / "link")) == version


def test_version_of_nothing():
    assert version_of(None) is None


PLACES = [
    # (folder of the file, folder of the link that the loader takes, compat)
    ("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", False),
    ("usr/local/cuda-13.0/compat", "usr/local/cuda-13.0/compat", True),
    ("usr/local/cuda-13.0/compat", "usr/lib/x86_64-linux-gnu", True),
    ("usr/lib/compatible", "usr/lib/compatible", False),
]


@pytest.mark.parametrize(("folder", "linked", "compat"), PLACES)
def test_describe(tmp_path, folder, linked, compat):
    for name in (folder, linked):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / folder / "libcuda.so.580.126.20").touch()
    path = tmp_path / linked / "libcuda.so.1"
    path.symlink_to(tmp_path / folder / "libcuda.so.580.126.20")
    assert describe(str(path)) == Libcuda(str(path), "580.126.20", compat)


def test_describe_nothing():
    assert describe(None) == Libcuda(None, None, None)
