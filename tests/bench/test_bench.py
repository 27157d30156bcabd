# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""The benchmark runs and prints a ratio for each way; how long they take is no test's business."""

import re
import subprocess
import sys
from pathlib import Path


def test_benchmark_prints_ratios() -> None:
    command = [sys.executable, str(Path(__file__).with_name("run.py")), "1"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    ratios = dict(re.findall(r"^(.+?) +[0-9.]+ ms +([0-9.]+)x$", ran.stdout, re.MULTILINE))
    assert ratios["collect, reader nvml"] == "1.00"
    assert "collect, reader nvidia_smi" in ratios
