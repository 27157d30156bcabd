# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: brief
type: stdout
short_description: Shows the report of a survey and what went wrong, and no list of tasks
version_added: 0.1.0
description:
  - Prints the number of hosts at the start of a play, and afterwards only failures and what plugins print themselves,
    such as the report of M(inference.recon.fleet_report).
  - C(make recon) uses it. With C(-v) tasks and results are shown as the default callback shows them.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
requirements:
  - set as stdout in configuration
author:
  - The inference.recon authors (@inference-recon)
"""

EXAMPLES = r"""
# In ansible.cfg:
#
# [defaults]
# stdout_callback = inference.recon.brief
"""

from typing import Any

from ansible.plugins.callback.default import CallbackModule as DefaultCallback


class CallbackModule(DefaultCallback):  # type: ignore[misc]
    """The default callback, silent about what goes well."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "inference.recon.brief"

    def set_options(self, *args: Any, **kwargs: Any) -> None:
        """Take the default callback's options, and be quiet about hosts where all is well unless -v asks for more."""
        super().set_options(*args, **kwargs)
        if not self._display.verbosity:
            self.set_option("display_ok_hosts", False)
            self.set_option("display_skipped_hosts", False)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Say that work begins: on many hosts a survey takes a while."""
        if self._display.verbosity:
            super().v2_playbook_on_play_start(play)
            return
        self._play = play
        count = len(play.get_variable_manager()._inventory.get_hosts(play.hosts))  # noqa: SLF001
        self._display.display(f"{play.get_name()}: {count} host{'' if count == 1 else 's'} ...", stderr=True)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Leave out what the report says: why a survey failed, and the gate's verdict, which is to be the last line."""
        if self._display.verbosity or not (_is_rescued(result._task) or "gate" in result._result):  # noqa: SLF001
            super().v2_runner_on_failed(result, ignore_errors)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Leave it to the report, which says why and what to do, where the task lets the host stay."""
        if self._display.verbosity or not result._task.ignore_unreachable:  # noqa: SLF001
            super().v2_runner_on_unreachable(result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """Count tasks only for somebody who looks at tasks."""
        if self._display.verbosity:
            super().v2_playbook_on_stats(stats)


def _is_rescued(task: Any) -> bool:
    """Tell whether a block around the task deals with its failure."""
    parent = task._parent  # noqa: SLF001
    while parent is not None and not getattr(parent, "rescue", None):
        parent = parent._parent  # noqa: SLF001
    return parent is not None
