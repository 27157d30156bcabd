# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""Stand-ins for GPU hosts: trees that look like the hosts recorded in tests/hosts (see its README)."""

from tests.standin.build import build, recorded
from tests.standin.host import Gpu, Host, load, names

__all__ = ["Gpu", "Host", "build", "load", "names", "recorded"]
