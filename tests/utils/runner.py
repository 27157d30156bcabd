# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the steps: a line for each as it ends, then in full what failed, then the counts."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.utils.counts import Counts, count
from tests.utils.environments import ROOT, TARGET_PYTHONS, SetupError, find_python
from tests.utils.execute import OUTPUT, execute, prepare
from tests.utils.steps import STEPS, Step


def main(arguments: list[str]) -> int:
    """Run the steps asked for, or all; return 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="tests/run", description="Run the tests of this checkout.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="steps to run (default: all)")
    parser.add_argument("--list", action="store_true", help="list the steps and end")
    options = parser.parse_args(arguments)
    unknown = set(options.steps) - {step.name for step in STEPS}
    if unknown:
        parser.error(f"no such step: {', '.join(sorted(unknown))} (see --list)")
    wanted = [step for step in STEPS if not options.steps or step.name in options.steps]
    if options.list:
        print("\n".join(f"{step.name:<12} {step.about}" for step in wanted))
        return 0
    try:
        return _run_steps(wanted, prepare())
    except SetupError as failure:
        print(f"tests/run: {failure}", file=sys.stderr)
        return 1


def _run_steps(steps: list[Step], environment: dict[str, str]) -> int:
    lack = None if os.environ.get("CI") == "true" else _lack_for_lab(environment)
    left_out = [step.name for step in steps if step.needs_lab and lack]
    total, failed = Counts(skipped=len(left_out)), []
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for step in steps:
        if step.name not in left_out:
            counts = _run_step(step, environment)
            total += counts
            failed += [step] if counts.failed else []
    for step in failed:
        print(f"\n──── {step.name}: {step.about} ────\n{_log(step).read_text(errors='replace')}")
    if left_out:
        print(f"Skipped: {', '.join(left_out)}; {lack}")
    if failed:
        print(f"Failed: {', '.join(step.name for step in failed)}.")
    print(total, flush=True)
    return 1 if failed else 0


def _lack_for_lab(environment: dict[str, str]) -> str | None:
    ask = ["python", "-c", "from tests.lab.needs import missing; print(missing() or '')"]
    return subprocess.run(ask, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout.strip() or None


def _run_step(step: Step, environment: dict[str, str]) -> Counts:
    """Run all commands of a step, whatever the others say, and print its line."""
    print(f"{step.name:<12}", end="", flush=True)
    _log(step).unlink(missing_ok=True)
    start = time.monotonic()
    absent = [version for version in TARGET_PYTHONS if step.every_python and not find_python(version)]
    counts = Counts(skipped=len(absent))
    for command in step.commands:
        counts += count(*execute(command, environment, step.seconds, _log(step)))
    note = f"  (not on Python {', '.join(absent)}, which this machine lacks)" if absent else ""
    print(f"{time.monotonic() - start:7.1f} s  {'FAILED' if counts.failed else 'ok':<6}  {counts}{note}", flush=True)
    return counts


def _log(step: Step) -> Path:
    return OUTPUT / f"{step.name}.log"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
