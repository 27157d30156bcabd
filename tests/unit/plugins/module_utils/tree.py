# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A recorded piece of a file system, laid out by a test."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root


class Tree(Root):
    """A Root whose files a test writes: texts by path, links by path."""

    def lay(self, texts=(), links=()):
        for path, text in dict(texts).items():
            self._new(path).write_text(text)
        for path, target in dict(links).items():
            self._new(path).symlink_to(target)
        return self

    def _new(self, path):
        place = Path(self.path(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        return place
