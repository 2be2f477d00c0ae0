"""Frames, interruptions and lost agents."""

from __future__ import annotations

import os
import signal
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Connect
from fake_agent import Cut, FakeAgent

import pliant
from pliant import connection
from pliant.connection import Connection


class Alarm(Exception):
    """What a signal handler of these tests raises."""


def test_agent_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(pliant.AgentLost, match=r"gone\.sock.*is the agent running"):
        Connection(str(tmp_path / "gone.sock"))


def test_path_that_is_too_long_for_a_socket() -> None:
    with pytest.raises(pliant.AgentLost, match="too long"):
        Connection("/" + "x" * 200)


def test_large_messages_pass(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    big = "x" * (4 * 1024 * 1024)
    fake.script("echo", lambda request: {"text": request["text"]})
    assert job._connection.request("echo", {"text": big})["text"] == big


def test_message_beyond_the_limit_is_not_sent(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    with pytest.raises(pliant.InvalidRequest) as refused:
        job.restore({"ledgers": "x" * (17 * 1024 * 1024)})
    assert refused.value.code == "TOO_MANY"
    assert job.checkpoint().number == 1


@pytest.mark.parametrize("value", [float("nan"), object()])
def test_value_that_json_does_not_have_is_not_sent(
    fake: FakeAgent, connect: Connect, value: Any
) -> None:
    job = connect(fake)
    with pytest.raises(pliant.InvalidRequest, match="JSON does not have"):
        job.restore({"ledgers": value})
    assert job.checkpoint().number == 1


def test_agent_that_dies_during_a_request(fake: FakeAgent, connect: Connect) -> None:
    def cut(_: Any) -> dict[str, Any]:
        raise Cut

    job = connect(fake)
    dataset = job.dataset("train", size=5, shard_size=5)
    fake.script("next", cut)
    for _ in range(2):
        with pytest.raises(pliant.AgentLost, match="closed the connection during 'next'"):
            next(dataset.shards())


def test_agent_that_stays_silent_is_lost(fake: FakeAgent, connect: Connect) -> None:
    release = threading.Event()
    fake.script("slow", lambda _: {"late": release.wait(20)})
    job = connect(fake)
    with pytest.raises(pliant.AgentLost, match="did not answer 'slow' in time"):
        job._connection.request("slow", patience_s=0.05)
    release.set()
    with pytest.raises(pliant.AgentLost):
        job.checkpoint()


def test_error_without_a_code_is_still_an_error(fake: FakeAgent, connect: Connect) -> None:
    fake.script("checkpoint", {"ok": False})
    with pytest.raises(pliant.PliantError, match="did not say why"):
        connect(fake).checkpoint()


def test_unknown_code_is_kept(fake: FakeAgent, connect: Connect) -> None:
    fake.script("checkpoint", {"ok": False, "error": {"code": "NEW_ONE", "message": "so."}})
    with pytest.raises(pliant.PliantError) as refused:
        connect(fake).checkpoint()
    assert (refused.value.code, str(refused.value)) == ("NEW_ONE", "so. [NEW_ONE]")


def test_answer_to_another_request_ends_the_connection(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    fake.script("checkpoint", {"id": 999})
    with pytest.raises(pliant.AgentLost, match="answered request 999"):
        job.checkpoint()


def test_other_version_of_the_protocol_is_refused(fake: FakeAgent, connect: Connect) -> None:
    fake.script("hello", {"version": 2, "job": "default/new", "worker": "w"})
    with pytest.raises(pliant.PliantError, match="version 2 of the protocol"):
        connect(fake)


def test_interrupted_wait_loses_no_shard(fake: FakeAgent, connect: Connect) -> None:
    """A signal handler raises while `next` waits; the shard that comes then is not forgotten."""
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    loop = dataset.shards()
    release = threading.Event()

    def late(_: Any) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGUSR1)
        release.wait(20)
        late_shard = {"number": 7, "lease": 1, "epoch": 0, "start": 70, "end": 80}
        return {"state": "shard", "shard": late_shard}

    def interrupt(*_: Any) -> None:
        raise Alarm

    previous = signal.signal(signal.SIGUSR1, interrupt)
    try:
        fake.script("next", late)
        with pytest.raises(Alarm):
            next(loop)
    finally:
        signal.signal(signal.SIGUSR1, previous)
    release.set()
    dataset.progress()  # finds the late answer before its own
    assert next(loop).number == 7
    assert len(fake.of("next")) == 1


def test_interrupted_report_is_sent(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    loop = dataset.shards()
    next(loop)
    release = threading.Event()

    def late(_: Any) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGUSR1)
        release.wait(20)
        return {}

    def interrupt(*_: Any) -> None:
        raise Alarm

    previous = signal.signal(signal.SIGUSR1, interrupt)
    try:
        fake.script("report", late)
        with pytest.raises(Alarm):
            next(loop)
    finally:
        signal.signal(signal.SIGUSR1, previous)
    release.set()
    assert next(loop).number == 1
    assert fake.reports() == [(0, "done"), (0, "done")]  # twice changes nothing, never is worse


def test_signal_handler_that_uses_the_job_is_told_so(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    codes = []

    def handler(*_: Any) -> None:
        with pytest.raises(pliant.PliantError) as busy:
            job.checkpoint()
        codes.append(busy.value.code)

    def wake(_: Any) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGUSR1)
        return {}

    previous = signal.signal(signal.SIGUSR1, handler)
    try:
        fake.script("slow", wake)
        job._connection.request("slow")
        time.sleep(0)
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert codes == ["BUSY"]
    assert job.checkpoint().number == 1


def seconds(what: Callable[[], Any]) -> float:
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


# A signal may strike inside a callback of Python's own, which cannot raise and says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_storm_of_signals_does_not_mix_up_answers(fake: FakeAgent, connect: Connect) -> None:
    requests = connect(fake)._connection
    answered, interrupted = [], []

    def interrupt(*_: Any) -> None:
        raise Alarm

    fake.script("echo", *[{}] * 101)
    usual = statistics.median(seconds(lambda: requests.request("echo")) for _ in range(101))
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        for number in range(3000):
            fake.script("echo", lambda request: {"number": request["number"]})
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, usual * (number % 50 + 1) / 25)
                    answer = requests.request("echo", {"number": number})
                    answered.append(answer["number"] == number)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                usual *= 0.99
            except Alarm:
                interrupted.append(number)
                usual *= 1.01  # As often before the answer as after it, however busy the machine.
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert all(answered)
    assert len(answered) > 100
    assert len(interrupted) > 100


def test_thread_that_waits_lets_another_ask(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    dataset = job.dataset("clicks", kind="stream", shard_size=5)
    seen: list[pliant.Offset] = []
    reader = threading.Thread(target=lambda: seen.extend(dataset))
    reader.start()
    fake.wait_for("next", 2)
    dataset.grow({"p": 3}, closed=True)
    reader.join(30)
    assert seen == [("p", 0), ("p", 1), ("p", 2)]


def test_waiting_does_not_spin(
    fake: FakeAgent, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    fake.script("checkpoint", *[{"state": "wait"}] * 3)
    connect(fake).checkpoint()
    assert pauses == [connection.WAIT_PAUSE_S] * 3
