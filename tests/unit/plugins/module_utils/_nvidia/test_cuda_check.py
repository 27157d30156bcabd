# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the end of a child says of the GPU that it was to try."""

from __future__ import annotations

import signal

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia import cuda_check
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Gpu
from ansible_collections.inference.recon.plugins.module_utils._run import Deadline, Outcome

GPU = Gpu(index=3, uuid="GPU-3", pci_bus_id="0000:03:00.0", state="ok")
ENDS = [
    # (outcome, usable, state of the GPU, codes of the problems)
    (Outcome("ok", rc=0, value={"usable": True, "error": None, "blames_gpu": False}), True, "ok", []),
    (Outcome("ok", rc=0, value={"usable": False, "error": "719", "blames_gpu": True}), False, "error", []),
    (Outcome("ok", rc=0, value={"usable": False, "error": "no library", "blames_gpu": False}), False, "ok", []),
    (Outcome("timeout", why="no answer within 60 s"), False, "error", []),
    (Outcome("crash", rc=-signal.SIGSEGV, why="ended by signal 11"), False, "error", []),
    # Nobody asked CUDA, or others ended the child: nothing is known.
    (Outcome("deadline", why="no answer within 0 s"), None, "ok", ["deadline"]),
    (Outcome("crash", why="cannot start a child: Cannot allocate memory"), None, "ok", ["crash"]),
    (Outcome("crash", rc=-signal.SIGKILL, why="ended by signal 9"), None, "ok", ["crash"]),
]


@pytest.mark.parametrize(("outcome", "usable", "state", "codes"), ENDS)
def test_ends(monkeypatch, outcome, usable, state, codes):
    monkeypatch.setattr(cuda_check, "gather", lambda *arguments: dict.fromkeys(arguments[0], outcome))
    (gpu,), problems = cuda_check.check([GPU], "all", "libcuda.so.1", 60, Deadline(60))
    assert (gpu.cuda.usable, gpu.state) == (usable, state)
    assert [(problem.code, problem.subject) for problem in problems] == [(code, "GPU 3") for code in codes]
