# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real children of every bad habit: bounded time and memory, and the right word for how each ended."""

from __future__ import annotations

import os
import signal
import sys
import time
import tracemalloc

import pytest
from ansible_collections.inference.recon.plugins.module_utils import _run
from ansible_collections.inference.recon.plugins.module_utils._run import Call, Command, Deadline, gather, run

SHORT, LONG = 0.3, 30.0
FREEZER = "/sys/fs/cgroup/freezer"


def sh(script, timeout=LONG):
    return Command(("/bin/sh", "-c", script), timeout)


def ended(job, seconds=LONG):
    return run(job, Deadline(seconds))


def is_alive(pid):
    """Whether it is there and no zombie: not every init of a container reaps."""
    try:
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_gone(pid):
    end = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_alive(pid)


@pytest.fixture
def stopwatch():
    start = time.monotonic()
    return lambda: time.monotonic() - start


COMMANDS = [
    # (script, state, exit status, standard output, standard error)
    ("echo out; echo err >&2", "ok", 0, "out\n", "err\n"),
    ("echo out; exit 3", "ok", 3, "out\n", ""),
    ("exit 255", "ok", 255, "", ""),
    (r"printf '\303\244\377'", "ok", 0, "\u00e4\\xff", ""),
    ("cat", "ok", 0, "", ""),  # nothing comes from the parent's own input
    ("echo said; kill -SEGV $$", "crash", -signal.SIGSEGV, "said\n", ""),
    ("kill -KILL $$", "crash", -signal.SIGKILL, "", ""),
]


@pytest.mark.parametrize(("script", "state", "rc", "out", "err"), COMMANDS)
def test_commands(script, state, rc, out, err):
    outcome = ended(sh(script))
    assert (outcome.state, outcome.rc, outcome.out, outcome.err) == (state, rc, out, err)
    assert bool(outcome.why) == (state != "ok")
    assert not outcome.abandoned


def test_a_closed_directory_of_path_forbids_nothing(tmp_path, monkeypatch):
    """A plain user with root's PATH: a program that is nowhere is not forbidden."""
    (tmp_path / "closed" / "inner").mkdir(parents=True)
    (tmp_path / "closed").chmod(0)
    monkeypatch.setenv("PATH", str(tmp_path / "closed" / "inner") + os.pathsep + os.environ["PATH"])
    assert ended(Call(_as_a_plain_user, (), LONG)).value == "not_found"


def _as_a_plain_user():
    if os.geteuid() == 0:
        os.setuid(65534)
    return ended(Command(("no-such-program",), LONG)).state


def test_a_file_on_path_that_may_not_run_is_forbidden(tmp_path, monkeypatch):
    (tmp_path / "no-program").write_text("text")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ended(Command(("no-program",), LONG)).state == "not_permitted"


def test_commands_are_not_expanded():
    assert ended(Command(("/bin/echo", "$HOME", "~", "*"), LONG)).out == "$HOME ~ *\n"


@pytest.mark.parametrize("name", ["/nonexistent/nvidia-smi", "no-such-nvidia-smi"])
def test_not_found(name):
    outcome = ended(Command((name,), LONG))
    assert (outcome.state, outcome.rc) == ("not_found", None)
    assert outcome.why == "No such file or directory"


def test_not_permitted(tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    outcome = ended(Command((str(tmp_path / "tool"),), LONG))
    assert (outcome.state, outcome.why) == ("not_permitted", "Permission denied")


def answer(value):
    return {"value": value}


def fail():
    raise ValueError("not\nso")


def leave(status):
    os._exit(status)


def open_files():
    for name in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink("/proc/self/fd/" + name)
        except FileNotFoundError:  # the one that listed them
            pass


def describe():
    return {
        "session": os.getsid(0) == os.getpid(),
        "files": sorted(open_files()),
        "input": os.read(0, 1).decode("ascii"),
        "locale": [os.environ["LC_ALL"], os.environ["LANGUAGE"]],
        "marked": os.environ.get("CUDA_VISIBLE_DEVICES"),
    }


def print_much():
    print("x" * 100)
    os.write(1, b"by the library\n")
    return 1


CALLS = [
    # a call, how it ends, what it returns, and why not
    (Call(answer, (7,)), "ok", {"value": 7}, ""),
    (Call(answer, (None,)), "ok", {"value": None}, ""),
    (Call(fail), "crash", None, "ValueError: not\nso"),
    (Call(leave, (7,)), "crash", None, "ended with status 7 before it answered"),
    (Call(leave, (0,)), "crash", None, "ended with status 0 before it answered"),
    (Call(os.abort), "crash", None, "ended by signal 6"),
    (Call(sys.exit, (3,)), "crash", None, "SystemExit: 3"),
    (Call(open, ("/nonexistent",)), "crash", None, "FileNotFoundError: [Errno 2] No such file or directory: '/nonexistent'"),
    (Call(print_much), "ok", 1, ""),
    (Call(time.sleep, (LONG,), SHORT), "timeout", None, "no answer within 0.3 s"),
]


@pytest.mark.parametrize(("call", "state", "value", "why"), CALLS)
def test_calls(call, state, value, why):
    outcome = ended(call)
    assert (outcome.state, outcome.value, outcome.why) == (state, value, why)


def test_a_value_that_is_no_json_is_an_error_of_the_child():
    outcome = ended(Call(answer, ({1},)))
    assert outcome.state == "crash"
    assert outcome.value is None


def test_a_child_stands_alone(tmp_path):
    secret = os.open(str(tmp_path / "secret"), os.O_CREAT | os.O_RDWR)
    os.set_inheritable(secret, True)
    try:
        seen = ended(Call(describe, environment={"CUDA_VISIBLE_DEVICES": "GPU-1"})).value
        listed = ended(sh("ls -l /proc/self/fd")).out
    finally:
        os.close(secret)
    assert seen["session"]
    assert [name for name in seen["files"] if not name.startswith("pipe:")] == ["/dev/null"] * 2  # input, Python's own prints
    assert len([name for name in seen["files"] if name.startswith("pipe:")]) == 3  # output, errors, the report
    assert "secret" not in listed
    assert listed.count("pipe:") == 2  # output and errors: the report ends where another program begins
    assert seen["input"] == ""
    assert seen["locale"] == ["C.UTF-8", ""]
    assert seen["marked"] == "GPU-1"
    assert os.environ.get("CUDA_VISIBLE_DEVICES") != "GPU-1"


def test_commands_have_the_locale_and_a_session(monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    session = ended(sh('echo "$LC_ALL,$LANGUAGE,"; cut -d" " -f6 /proc/self/stat; echo $$')).out.split()
    assert session[0] == "C.UTF-8,,"
    assert session[1] == session[2]


def test_the_timeout(stopwatch):
    outcome = ended(sh("echo early; sleep 30", SHORT))
    assert (outcome.state, outcome.why) == ("timeout", "no answer within 0.3 s")
    assert outcome.rc is None
    assert stopwatch() < 3


def test_the_deadline(stopwatch):
    outcome = ended(sh("sleep 30"), SHORT)
    assert outcome.state == "deadline"
    assert stopwatch() < 3


def test_a_child_that_has_not_come_to_its_session_is_ended_too():
    """With no time left it is killed right after fork, before it leads a process group."""
    jobs = {str(number): sh("exec sleep 30") for number in range(20)}
    outcomes = gather(jobs, Deadline(0))
    assert {(outcome.state, outcome.abandoned) for outcome in outcomes.values()} == {("deadline", False)}


def test_after_the_deadline_nothing_runs_on(stopwatch):
    outcomes = gather({"a": sh("sleep 30"), "b": Call(time.sleep, (30,))}, Deadline(0))
    assert {name: outcome.state for name, outcome in outcomes.items()} == {"a": "deadline", "b": "deadline"}
    assert stopwatch() < 3


def test_one_that_ignores_sigterm(tmp_path, stopwatch):
    outcome = ended(sh("trap '' TERM HUP INT; echo $$ > %s/pid; while :; do sleep 0.1; done" % tmp_path, SHORT))
    assert outcome.state == "timeout"
    assert not outcome.abandoned
    assert not is_alive(int((tmp_path / "pid").read_text()))
    assert stopwatch() < 3


def test_what_a_killed_child_started_ends_with_it(tmp_path):
    ended(sh("sleep 30 & echo $! > %s/pid; wait" % tmp_path, SHORT))
    assert wait_until_gone(int((tmp_path / "pid").read_text()))


def test_a_grandchild_that_holds_the_pipes(tmp_path, stopwatch):
    outcome = ended(sh("sleep 30 & echo $! > %s/pid; echo started" % tmp_path))
    assert (outcome.state, outcome.rc, outcome.out) == ("ok", 0, "started\n")
    assert stopwatch() < 3
    assert wait_until_gone(int((tmp_path / "pid").read_text()))


def test_a_grandchild_of_its_own_session_that_holds_the_pipes(stopwatch):
    outcome = ended(sh("setsid sleep 4 & echo started"))
    assert (outcome.state, outcome.rc, outcome.out) == ("ok", 0, "started\n")
    assert stopwatch() < 3


def test_one_that_closes_its_streams_and_goes_on(stopwatch):
    assert ended(sh("exec >&- 2>&-; sleep 0.3; exit 4")).rc == 4
    assert ended(sh("exec >&- 2>&-; sleep 30", SHORT)).state == "timeout"
    assert stopwatch() < 4


FLOODS = [
    sh("yes"),
    sh("yes >&2"),
    sh("yes & yes >&2 & sleep 30"),
    Call(answer, ("x" * 3 * _run.OUTPUT_LIMIT,)),
]


@pytest.mark.parametrize("job", FLOODS)
def test_floods_take_bounded_time_and_memory(job, stopwatch):
    tracemalloc.start()
    try:
        outcome = ended(job)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert outcome.state == "too_much_output"
    assert outcome.why == "printed more than 8388608 bytes"
    assert peak < 4 * _run.OUTPUT_LIMIT
    assert stopwatch() < 10


def test_as_much_as_is_allowed():
    outcome = ended(sh("head -c %d /dev/zero | tr '\\0' x" % _run.OUTPUT_LIMIT))
    assert (outcome.state, len(outcome.out)) == ("ok", _run.OUTPUT_LIMIT)


def frozen(tmp_path):
    """A child in a frozen cgroup (v1): SIGKILL waits until it thaws."""
    folder = "%s/recon-test-%d" % (FREEZER, os.getpid())
    os.mkdir(folder)
    try:
        yield sh("echo $$ > %s/pid; echo $$ > %s/tasks; echo FROZEN > %s/freezer.state; sleep 30" % (tmp_path, folder, folder), 1)
    finally:
        with open(folder + "/freezer.state", "w") as state:
            state.write("THAWED")
        assert wait_until_reaped(tmp_path)
        os.rmdir(folder)


def deaf(tmp_path):
    """A child that no signal of ours reaches, as one in state D."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_run.signal, "SIGKILL", 0)  # kill(2): checks that it is there, and sends nothing
        yield sh("echo $$ > %s/pid; exec sleep 30" % tmp_path, 1)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert wait_until_reaped(tmp_path)


def wait_until_reaped(tmp_path):
    return os.waitpid(int((tmp_path / "pid").read_text()), 0)[0]


KINDS = [deaf] + [frozen] * os.access(FREEZER, os.W_OK)


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_cannot_be_killed_is_abandoned(kind, tmp_path, stopwatch):
    children = kind(tmp_path)
    try:
        descriptors = os.listdir("/proc/self/fd")
        outcome = ended(next(children))
        assert (outcome.state, outcome.abandoned) == ("timeout", True)
        assert stopwatch() < 1 + _run.REAP_SECONDS + 2
        assert is_alive(int((tmp_path / "pid").read_text()))
        assert len(os.listdir("/proc/self/fd")) == len(descriptors)
    finally:
        assert next(children, None) is None


def test_children_run_side_by_side(stopwatch):
    outcomes = gather({"a": sh("sleep 1; echo a"), "b": Call(time.sleep, (1,)), "c": sh("echo c")}, Deadline(LONG))
    assert stopwatch() < 1.8
    assert list(outcomes) == ["a", "b", "c"]
    assert [outcome.state for outcome in outcomes.values()] == ["ok", "ok", "ok"]
    assert (outcomes["a"].out, outcomes["c"].out) == ("a\n", "c\n")


def test_one_that_hangs_costs_only_itself():
    outcomes = gather({"hangs": sh("sleep 30", SHORT), "works": sh("sleep 0.6; echo here")}, Deadline(LONG))
    assert (outcomes["hangs"].state, outcomes["works"].out) == ("timeout", "here\n")


def test_nothing_is_left_open():
    before = len(os.listdir("/proc/self/fd"))
    gather({str(number): sh("echo x") for number in range(5)}, Deadline(LONG))
    run(Command(("/nonexistent",), LONG), Deadline(LONG))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_system_without_room_for_a_child(monkeypatch):
    def refuse():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    outcome = ended(sh("echo x"))
    assert (outcome.state, outcome.why) == ("crash", "cannot start a child: Resource temporarily unavailable")
