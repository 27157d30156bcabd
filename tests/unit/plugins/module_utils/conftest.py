# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the tests of module_utils share."""

from __future__ import annotations

import pytest


@pytest.fixture
def tree(tmp_path):
    from tests.unit.plugins.module_utils.tree import Tree  # pytest-ansible finds collections only after this file is read

    return Tree(str(tmp_path))
