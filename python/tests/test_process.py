"""Whole scripts: how they begin and how they end."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Start
from fake_agent import FakeAgent

import pliant
from pliant import process

HEAD = """\
import os, signal, sys, threading, time
import pliant
job = pliant.init()
dataset = job.dataset("train", size=10, shard_size=5)
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The process as it is before `pliant.init()`."""
    for variable in ("PLIANT_SOCKET", "PLIANT_WORKER", "PLIANT_JOB"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(process, "_process", process._Process())
    yield monkeypatch
    if process._process._job is not None:
        process._process._job.close()
    if process._process._ending is not None:
        process._process._ending.remove()


@pytest.mark.usefixtures("alone")
def test_script_that_pliant_did_not_start() -> None:
    with pytest.raises(pliant.NotInJob, match="Start it with `pliant run "):
        pliant.init()


def test_init_reads_the_environment_and_gives_one_job(
    alone: pytest.MonkeyPatch, fake: FakeAgent
) -> None:
    alone.setenv("PLIANT_SOCKET", fake.socket)
    alone.setenv("PLIANT_WORKER", "w5")
    job = pliant.init()
    assert (job.name, job.worker) == ("default/fake", "w5")
    assert pliant.init() is job
    assert pliant.init(socket=fake.socket, worker="w5") is job
    with pytest.raises(pliant.InvalidRequest, match=r"worker 'w5' .* already"):
        pliant.init(worker="w6")
    job.close()
    again = pliant.init()
    assert again is not job
    again.close()


@pytest.mark.usefixtures("alone")
def test_init_leaves_the_hooks_as_they_were(fake: FakeAgent) -> None:
    before = sys.excepthook
    for _ in range(3):
        pliant.init(socket=fake.socket, worker="w0").close()
        assert sys.excepthook is not before
    ending = process._process._ending
    assert ending is not None
    ending.remove()
    assert sys.excepthook is before


def test_end_of_the_script_says_done(fake: FakeAgent, start: Start) -> None:
    code, out, err = start(HEAD + "print(sum(dataset))").end()
    assert (code, out, err) == (0, "45\n", "")
    assert [request.get("message") for request in fake.of("bye")] == [None]
    assert fake.of("bye")[0]["reason"] == "done"


def test_uncaught_exception_fails_the_shard_and_says_error(fake: FakeAgent, start: Start) -> None:
    script = HEAD + "for shard in dataset.shards():\n    raise ValueError('NaN')\n"
    code, _, err = start(script).end()
    assert code == 1
    assert "ValueError: NaN" in err
    assert fake.reports() == [(0, "failed")]
    cause = "ValueError: NaN (train.py:6 in <module>)"
    assert fake.of("report")[0]["reports"][0]["cause"] == cause
    assert fake.of("bye")[0]["reason"] == "error"
    assert fake.of("bye")[0]["message"] == cause


def test_uncaught_exception_fails_the_shard_of_a_loop_that_lives_on(
    fake: FakeAgent, start: Start
) -> None:
    script = HEAD + "loop = dataset.batches(5)\nfor batch in loop:\n    raise ValueError('NaN')\n"
    assert start(script).end()[0] == 1
    assert fake.reports() == [(0, "failed")]


def test_exception_hook_of_the_script_still_runs(fake: FakeAgent, start: Start) -> None:
    hook = "sys.excepthook = lambda *_: print('mine')\n"
    script = HEAD.replace("job =", hook + "job =") + "raise ValueError('NaN')\n"
    code, out, err = start(script).end()
    assert (code, out, err) == (1, "mine\n", "")
    assert fake.of("bye")[0]["reason"] == "error"


def test_caught_exception_gives_the_shard_back(fake: FakeAgent, start: Start) -> None:
    script = HEAD + (
        "try:\n    for shard in dataset.shards():\n        raise ValueError('NaN')\n"
        "except ValueError:\n    print(sum(dataset))\n"
    )
    assert start(script).end() == (0, "45\n", "")
    assert fake.reports() == [(0, "returned"), (0, "done"), (1, "done")]


def test_uncaught_exception_of_a_thread_fails_its_shard_only(fake: FakeAgent, start: Start) -> None:
    script = HEAD + (
        "mine = dataset.shards()\nprint(next(mine).number)\n"
        "def work():\n    for shard in dataset.shards():\n        raise ValueError('NaN')\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
        "for shard in mine:\n    print(shard.number)\n"
    )
    code, out, err = start(script).end()
    assert (code, out) == (0, "0\n1\n")
    assert "ValueError: NaN" in err
    assert fake.reports() == [(1, "failed"), (0, "done"), (1, "done")]
    assert fake.of("bye")[0]["reason"] == "done"


def test_exit_gives_the_shard_back(fake: FakeAgent, start: Start) -> None:
    script = HEAD + "for shard in dataset.shards():\n    sys.exit(3)\n"
    assert start(script).end() == (3, "", "")
    assert fake.reports() == [(0, "returned")]
    assert len(fake.of("bye")) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_a_script_that_waits(
    fake: FakeAgent, start: Start, number: signal.Signals
) -> None:
    over = threading.Event()
    fake.script("next", lambda _: {"state": "wait", "waited": over.wait(120)})
    script = start(HEAD + "list(dataset)")
    fake.wait_for("next")
    script.process.send_signal(number)
    try:
        code, _, err = script.end()
    finally:
        over.set()
    assert code == -number
    assert "could not say goodbye" not in err


def test_interruption_of_the_body_gives_the_shard_back(fake: FakeAgent, start: Start) -> None:
    script = start(
        HEAD + "for shard in dataset.shards():\n    print(1, flush=True)\n    time.sleep(60)\n"
    )
    assert script.line() == "1"
    script.process.send_signal(signal.SIGINT)
    code, _, _ = script.end()
    assert code == -signal.SIGINT
    assert fake.reports() == [(0, "returned")]
    assert fake.of("bye")[0]["message"].startswith("KeyboardInterrupt")


def test_agent_that_is_lost_is_said_once(fake: FakeAgent, start: Start) -> None:
    script = start(HEAD + "for shard in dataset.shards():\n    print(1, flush=True)\n    input()\n")
    assert script.line() == "1"
    fake.close()
    script.say("go on")
    code, _, err = script.end()
    assert code == 1
    assert "pliant.errors.AgentLost" in err


def test_forked_child_may_not_use_the_parents_job(fake: FakeAgent, start: Start) -> None:
    script = start(
        HEAD
        + """\
loop = dataset.shards()
next(loop)
pid = os.fork()
if pid == 0:
    for attempt in (lambda: next(loop), job.checkpoint, pliant.init):
        try:
            attempt()
        except pliant.PliantError as error:
            print(error.code, flush=True)
    sys.exit(0)
os.waitpid(pid, 0)
print(sum(len(shard) for shard in loop))
"""
    )
    assert script.end() == (0, "FORKED\nFORKED\nFORKED\n5\n", "")
    assert fake.connections == 1
    assert fake.reports() == [(0, "done"), (1, "done")]
    assert len(fake.of("bye")) == 1


def test_forked_child_does_not_hide_the_death_of_its_parent(fake: FakeAgent, start: Start) -> None:
    script = start(
        HEAD
        + """\
loop = dataset.shards()
next(loop)
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print(1, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    )
    assert script.line() == "1"
    other = pliant.Job.connect(fake.socket, "w1")
    assert sum(other.dataset("train", size=10, shard_size=5)) == 45
    other.close()
    assert script.end()[0] == -signal.SIGKILL


def test_forked_child_may_have_a_job_of_its_own(fake: FakeAgent, start: Start) -> None:
    script = start(
        HEAD
        + """\
loop = dataset.shards()
next(loop)
pid = os.fork()
if pid == 0:
    child = pliant.init(worker="w0-1")
    shard = next(child.dataset("train", size=10, shard_size=5).shards())
    print(child.worker, shard.number, flush=True)
    sys.exit(0)
os.waitpid(pid, 0)
print(sum(len(shard) for shard in loop))
"""
    )
    assert script.end() == (0, "w0-1 1\n5\n", "")
    assert [request["worker"] for request in fake.of("hello")] == ["w0", "w0-1"]
    assert len(fake.of("bye")) == 2


def test_package_needs_only_the_standard_library() -> None:
    package = str(Path(pliant.__file__).parent.parent)
    command = (
        f"import sys; sys.path.insert(0, {package!r}); import pliant; print(pliant.__version__)"
    )
    printed = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "-c", command],
        check=True,
        capture_output=True,
        text=True,
    )
    assert printed.stdout.strip() == pliant.__version__


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ("sys.exit(3)", "error"),
        ("sys.exit('no data')", "error"),
        ("def f():\n    try:\n        sys.exit(3)\n    finally:\n        len('')\nf()", "error"),
        ("sys.exit()", "done"),
        ("sys.exit(0)", "done"),
        ("raise pliant.Released('scaled down')", "done"),
        (
            "def f():\n    try:\n        sys.exit(3)\n    except SystemExit:\n        pass\nf()",
            "done",
        ),
    ],
)
def test_exit_code_is_told_in_the_goodbye(
    start: Start, fake: FakeAgent, ending: str, reason: str
) -> None:
    start(HEAD + ending).end()
    (bye,) = fake.of("bye")
    assert bye["reason"] == reason
