# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The only place that starts a process: commands, and functions that may block, each in a child of its own.

Every child has its own session, no descriptor but its pipes, the locale C.UTF-8, a time limit and a bound on what it
may print. All children of one L(gather) run side by side. A child that SIGKILL does not end (state D, a frozen cgroup,
another user's) is abandoned and reported: it holds nothing of ours, so the module and its ssh still end.
"""

import errno
import gc
import json
import os
import selectors
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

OUTPUT_LIMIT = 8 * 1024 * 1024
"""Bytes a child may print per stream. `nvidia-smi -q -x` of 8 GPUs is 0.4 MB (corpus nvidia-smi-q/01)."""

REAP_SECONDS = 1.0
"""How long to wait for a killed child before it is abandoned."""

PAUSE_SECONDS = 0.05
"""How often to ask whether a child has ended whose pipes others still hold."""


@dataclass(frozen=True)
class Command:
    """A program to run: argv is passed as it is, no shell, no expansion."""

    argv: Tuple[str, ...]
    timeout: float


@dataclass(frozen=True)
class Call:
    """A function to call in a child; what it returns must be JSON."""

    function: Callable[..., Any]
    arguments: Tuple[Any, ...] = ()
    timeout: float = 20.0
    environment: Mapping[str, str] = field(default_factory=dict)


_NO_START = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_found",
    errno.EACCES: "not_permitted",
    errno.EPERM: "not_permitted",
}
"""Why a program did not start; anything else is its own fault, as of one for another machine."""

Job = Union[Command, Call]


@dataclass(frozen=True)
class Outcome:
    """How a child ended.

    `state` is ok (it ended by itself; see `rc`), timeout, deadline, not_found, not_permitted, crash (a signal, or an
    exception in a called function), too_much_output. `value` is what a called function returned, `why` one line on
    anything but ok, `abandoned` says that the child outlived SIGKILL.
    """

    state: str
    rc: Optional[int] = None
    out: str = ""
    err: str = ""
    value: Any = None
    why: str = ""
    abandoned: bool = False


class Deadline:
    """The moment by which a module has to be done."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        return max(0.0, self._end - time.monotonic())


def gather(jobs: Mapping[str, Job], deadline: Deadline) -> Dict[str, Outcome]:
    """Run all jobs side by side and return their outcomes by name; never raises for what a child does."""
    selector = selectors.DefaultSelector()
    children: Dict[str, _Child] = {}
    outcomes: Dict[str, Outcome] = {}
    for name, job in jobs.items():
        try:
            children[name] = _Child(job, deadline, selector)
        except OSError as failure:
            outcomes[name] = Outcome("crash", why="cannot start a child: %s" % failure.strerror)
    running = dict(children)
    while running:
        wait = min(child.end for child in running.values()) - time.monotonic()
        pause = PAUSE_SECONDS if all(child.talks() for child in running.values()) else PAUSE_SECONDS / 50
        for key, unused in selector.select(max(0.0, min(wait, pause))):
            key.data.read(key.fd)
        done = [name for name, child in running.items() if child.is_done()]
        for name in done:
            running[name].kill()  # all before any is awaited: those that do not end cost one wait together
        for name in done:
            outcomes[name] = running.pop(name).finish()
    selector.close()
    return {name: outcomes[name] for name in jobs}


def run(job: Job, deadline: Deadline) -> Outcome:
    """Run one job."""
    return gather({"job": job}, deadline)["job"]


class _Child:
    """One running child and what it has said so far. The pipe `report` carries a function's value or exec's error."""

    def __init__(self, job: Job, deadline: Deadline, selector: selectors.BaseSelector) -> None:
        self._job = job
        remaining = deadline.remaining()
        self._limit_name = "timeout" if job.timeout <= remaining else "deadline"
        self._seconds = min(job.timeout, remaining)
        self.end = time.monotonic() + self._seconds
        self._selector = selector
        self._flooded = False
        pipes = [os.pipe() for unused in range(3)]
        self._pid = os.fork()
        if self._pid == 0:
            _be_child(job, [write for unused, write in pipes])
        self._streams: Dict[int, bytearray] = {}
        for read, write in pipes:
            os.close(write)
            os.set_blocking(read, False)
            self._streams[read] = bytearray()
            selector.register(read, selectors.EVENT_READ, self)
        self._out, self._err, self._report = (read for read, unused in pipes)
        self._open = set(self._streams)
        self._status: Optional[int] = None
        self._walk_away = self.end

    def talks(self) -> bool:
        """Whether the end of the child will be seen on its pipes."""
        return bool(self._open)

    def read(self, fd: int) -> bool:
        """Take what a pipe holds; returns whether there may be more."""
        try:
            chunk = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        self._streams[fd] += chunk
        self._flooded = self._flooded or len(self._streams[fd]) > OUTPUT_LIMIT
        if not chunk:
            self._close(fd)
        return bool(chunk) and not self._flooded

    def is_done(self) -> bool:
        """Whether it has ended, said too much or used up its time. What it left in the background may go on talking."""
        if self._status is None:
            self._status = self._try_wait()
        return self._status is not None or self._flooded or time.monotonic() >= self.end

    def finish(self) -> Outcome:
        late = self._status is None and not self._flooded
        if self._status is not None:
            for fd in list(self._open):
                while self.read(fd):
                    pass
        self._reap()
        for fd in list(self._open):
            self._close(fd)
        if self._flooded:
            state, why = "too_much_output", "printed more than %d bytes" % OUTPUT_LIMIT
        elif late:
            state, why = self._limit_name, "no answer within %.3g s" % self._seconds
        else:
            return self._outcome(self._status or 0)
        return Outcome(state, why=why, abandoned=self._status is None)

    def _close(self, fd: int) -> None:
        self._selector.unregister(fd)
        self._open.discard(fd)
        os.close(fd)

    def kill(self) -> None:
        """End the child and all that it left in its session."""
        try:
            os.killpg(self._pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        if self._status is None:  # it may not have come to its session yet
            try:
                os.kill(self._pid, signal.SIGKILL)
            except PermissionError:
                pass
        self._walk_away = time.monotonic() + REAP_SECONDS

    def _reap(self) -> None:
        """Wait for a killed child, or walk away after REAP_SECONDS."""
        while self._status is None and time.monotonic() < self._walk_away:
            self._status = self._try_wait()
            time.sleep(0.001)

    def _try_wait(self) -> Optional[int]:
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        return status if pid else None

    def _outcome(self, status: int) -> Outcome:
        out, err, report = (_text(self._streams[fd]) for fd in (self._out, self._err, self._report))
        said = _read_report(report)
        if "errno" in said:
            return Outcome(_NO_START.get(said["errno"], "crash"), why=os.strerror(said["errno"]))
        if "exception" in said:
            return Outcome("crash", out=out, err=err, why=said["exception"])
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return Outcome("crash", rc=-number, out=out, err=err, why="ended by signal %d" % number)
        rc = os.WEXITSTATUS(status)
        if isinstance(self._job, Call) and "value" not in said:
            return Outcome("crash", rc=rc, out=out, err=err, why="ended with status %d before it answered" % rc)
        return Outcome("ok", rc=rc, out=out, err=err, value=said.get("value"))


def _read_report(text: str) -> Dict[str, Any]:
    """Return what a child reported; one that died while it wrote has reported nothing."""
    try:
        said = json.loads(text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _text(data: bytearray) -> str:
    return data.decode("utf-8", "backslashreplace")


def _be_child(job: Job, pipes: List[int]) -> None:
    """What a child does from fork to exit; it never returns into the parent's code."""
    report = -1
    said: Dict[str, Any] = {}
    try:
        report = _isolate(pipes)
        os.environ.update({"LC_ALL": "C.UTF-8", "LANGUAGE": ""})
        if isinstance(job, Command):
            _execute(job.argv)
        else:
            os.environ.update(job.environment)
            said = {"value": job.function(*job.arguments)}
    except OSError as failure:
        said = {"errno": failure.errno} if isinstance(job, Command) else {"exception": _name(failure)}
    except BaseException as failure:  # noqa: BLE001  whatever it is, it belongs in the report and not on a terminal
        said = {"exception": _name(failure)}
    try:
        _write_all(report, json.dumps(said).encode("utf-8"))
    finally:
        os._exit(0)


def _name(failure: BaseException) -> str:
    return "%s: %s" % (type(failure).__name__, failure)


def _isolate(pipes: List[int]) -> int:
    """Leave the parent's session and descriptors; returns the descriptor of the report pipe."""
    gc.disable()
    os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    out, err, report = (os.dup(fd) for fd in pipes)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.set_inheritable(report, False)
    for fd in _open_descriptors():
        if fd > 2 and fd != report:
            try:
                os.close(fd)
            except OSError:  # the one that listed the descriptors
                pass
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  Python's own buffers belong to the parent
    return report


def _open_descriptors() -> List[int]:
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return list(range(3, 1024))


def _execute(argv: Tuple[str, ...]) -> None:
    # execvp would say "Permission denied" where a directory of PATH is closed to us and the program is nowhere.
    path = argv[0] if "/" in argv[0] else shutil.which(argv[0]) or shutil.which(argv[0], os.F_OK)
    if path is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    os.execv(path, list(argv))


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
