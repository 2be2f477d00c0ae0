"""When a shard counts: what the loops report, and when."""

from __future__ import annotations

import gc
import logging
import threading
from typing import Any

import pytest
from conftest import Connect
from fake_agent import FakeAgent

import pliant
from pliant import leases


def shard(number: int, start: int, end: int) -> dict[str, Any]:
    return {
        "state": "shard",
        "shard": {"number": number, "lease": 1, "epoch": 0, "start": start, "end": end},
    }


# Shards


def test_shard_has_its_range_and_its_records(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=4)
    first = next(dataset.shards())
    assert (first.number, first.lease, first.epoch, first.start, first.end) == (0, 1, 0, 0, 4)
    assert len(first) == 4
    assert list(first) == [0, 1, 2, 3]
    assert first.records == range(4)
    assert first.partition is None


def test_text_shard_lists_its_records(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=4, shard_size=4, kind="text", shuffle="records")
    only = next(dataset.shards())
    assert only.start is None
    assert only.end is None
    assert sorted(only.records) == sorted(only) == [0, 1, 2, 3]


def test_shard_is_done_when_the_loop_comes_back(fake: FakeAgent, connect: Connect) -> None:
    loop = connect(fake).dataset("train", size=10, shard_size=5).shards()
    next(loop)
    assert fake.reports() == []
    next(loop)
    assert fake.reports() == [(0, "done")]
    with pytest.raises(StopIteration):
        next(loop)
    assert fake.reports() == [(0, "done"), (1, "done")]
    with pytest.raises(StopIteration):
        next(loop)


def test_loop_ends_only_when_the_reports_are_on_disk(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=5, shard_size=5)
    fake.script("flush", {"state": "wait"}, {"state": "wait"})
    assert list(dataset) == [0, 1, 2, 3, 4]
    assert len(fake.of("flush")) == 3


def test_loop_outlives_a_master_that_is_away(fake: FakeAgent, connect: Connect) -> None:
    waits = [{"state": "wait"}] * 3
    for op in ("dataset", "next", "flush", "progress", "checkpoint"):
        fake.script(op, *waits)
    job = connect(fake)
    dataset = job.dataset("train", size=10, shard_size=5)
    assert list(dataset) == list(range(10))
    assert dataset.progress().records_done == 10
    assert job.checkpoint().number == 1


def test_close_gives_the_shard_back(fake: FakeAgent, connect: Connect) -> None:
    loop = connect(fake).dataset("train", size=10, shard_size=5).shards()
    next(loop)
    loop.close()
    assert fake.reports() == [(0, "returned")]
    with pytest.raises(StopIteration):
        next(loop)


def test_break_inside_with_gives_the_shard_back_at_once(fake: FakeAgent, connect: Connect) -> None:
    with connect(fake).dataset("train", size=10, shard_size=5).shards() as shards:
        for _ in shards:
            break
    assert fake.reports() == [(0, "returned")]


def test_break_gives_the_shard_back_with_the_next_asking(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    for _ in dataset.shards():
        break
    assert next(dataset.shards()).lease == 2
    assert fake.reports() == [(0, "returned")]


def test_break_gives_the_shard_back_though_nobody_asks_again(
    fake: FakeAgent, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "GRACE_S", 0.01)
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    for _ in dataset.shards():
        break
    fake.wait_for("report")
    assert fake.reports() == [(0, "returned")]


def test_loop_in_a_cycle_that_is_collected_during_a_request_is_given_back(
    fake: FakeAgent, connect: Connect
) -> None:
    job = connect(fake)
    dataset = job.dataset("train", size=10, shard_size=5)
    cycle: list[Any] = [dataset.shards()]
    cycle.append(cycle)
    next(cycle[0])
    del cycle

    original = job._connection._decode

    def decode(payload: bytes) -> dict[str, Any]:
        gc.collect()
        return original(payload)

    job._connection._decode = decode  # type: ignore[method-assign]
    dataset.progress()
    assert next(dataset.shards()).lease == 2
    assert fake.reports() == [(0, "returned")]


def test_exception_inside_with_fails_the_shard(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    with pytest.raises(RuntimeError), dataset.shards() as shards:
        for _ in shards:
            raise RuntimeError("the loss is NaN")
    assert fake.reports() == [(0, "failed")]
    cause = fake.of("report")[0]["reports"][0]["cause"]
    assert cause.startswith("RuntimeError: the loss is NaN (test_loops.py:")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_interruption_inside_with_gives_the_shard_back(
    fake: FakeAgent, connect: Connect, error: BaseException
) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    with pytest.raises(type(error)), dataset.shards() as shards:
        for _ in shards:
            raise error
    assert fake.reports() == [(0, "returned")]


def test_failed_shard_is_not_done_when_the_loop_comes_back(
    fake: FakeAgent, connect: Connect
) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    loop = dataset.shards()
    first = next(loop)
    dataset.fail(first, "x" * 10_000)
    next(loop)
    assert fake.reports() == [(0, "failed")]
    assert len(fake.of("report")[0]["reports"][0]["cause"].encode()) <= 4096
    with pytest.raises(pliant.NotFound) as unknown:
        dataset.fail(first, "again")
    assert unknown.value.code == "UNKNOWN_LEASE"


def test_shard_done_by_hand_is_reported_once(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=5, shard_size=5)
    for each in dataset.shards():
        dataset.done(each)
    assert fake.reports() == [(0, "done")]


def test_refused_report_is_a_warning(
    fake: FakeAgent, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = connect(fake).dataset("train", size=5, shard_size=5)
    fake.script("flush", {"state": "flushed", "refused": [{"number": 0, "message": "too late."}]})
    with caplog.at_level(logging.WARNING, "pliant"):
        assert list(dataset) == [0, 1, 2, 3, 4]
    assert caplog.messages == ["dataset 'train': the report on shard 0 was refused: too late."]


def test_failed_dataset_says_which_shard_which_worker_and_why(
    fake: FakeAgent, connect: Connect
) -> None:
    dataset = connect(fake).dataset("train", size=5, shard_size=5)
    failure = {"shard": 17, "worker": "w3", "cause": "disk is torn"}
    fake.script("next", {"state": "failed", "failure": failure})
    with pytest.raises(pliant.DatasetFailed) as failed:
        list(dataset)
    assert str(failed.value) == (
        "dataset 'train' has failed: shard 17 ran out of retries, last with worker 'w3': "
        "disk is torn [DATASET_FAILED]"
    )


# Records


def test_records_are_numbers(fake: FakeAgent, connect: Connect) -> None:
    assert list(connect(fake).dataset("train", size=7, shard_size=3)) == list(range(7))


def test_records_are_what_read_gives(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=3, shard_size=2, read=lambda i: f"row {i}")
    assert list(dataset) == ["row 0", "row 1", "row 2"]


def test_records_of_a_stream_are_offsets_or_what_read_gives(
    fake: FakeAgent, connect: Connect
) -> None:
    job = connect(fake)
    plain = job.dataset("plain", kind="stream", partitions={"p": (3, 5)}, shard_size=10)
    assert next(plain.records()) == pliant.Offset("p", 3) == ("p", 3)
    clicks = job.dataset(
        "read",
        kind="stream",
        partitions={"p": 2},
        shard_size=10,
        read=lambda partition, offset: f"{partition}@{offset}",
    )
    clicks.grow({}, closed=True)
    assert list(clicks) == ["p@0", "p@1"]


def test_shard_of_single_records_is_done_when_the_loop_comes_back(
    fake: FakeAgent, connect: Connect
) -> None:
    loop = connect(fake).dataset("train", size=6, shard_size=3).records()
    assert [next(loop) for _ in range(3)] == [0, 1, 2]
    assert fake.reports() == []
    assert next(loop) == 3
    assert fake.reports() == [(0, "done")]


def test_shard_is_done_only_beyond_the_batch_that_holds_its_last_record(
    fake: FakeAgent, connect: Connect
) -> None:
    loop = connect(fake).dataset("train", size=12, shard_size=3).records(batch=4)
    reported = []
    for _ in range(12):
        next(loop)
        reported.append(len(fake.reports()))
    # Records 0-3, 4-7, 8-11 are the batches; shards end after records 2, 5, 8 and 11.
    assert reported == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    assert list(loop) == []
    assert fake.reports() == [(number, "done") for number in range(4)]


def test_short_last_batch_does_not_hold_up_the_end(fake: FakeAgent, connect: Connect) -> None:
    first = connect(fake).dataset("train", size=10, shard_size=5).records(batch=4)
    second = connect(fake).dataset("train", size=10, shard_size=5).records(batch=4)
    seen = [next(first), next(second)]
    threads = [threading.Thread(target=seen.extend, args=(loop,)) for loop in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(seen) == list(range(10))


def test_record_that_cannot_be_read_fails_its_shard(fake: FakeAgent, connect: Connect) -> None:
    def read(number: int) -> int:
        if number == 3:
            raise OSError("row 3 is torn")
        return number

    dataset = connect(fake).dataset("train", size=6, shard_size=2, max_retries=0, read=read)
    with pytest.raises(OSError, match="row 3"):
        list(dataset)
    assert fake.reports() == [(0, "done"), (1, "failed")]
    with pytest.raises(pliant.DatasetFailed, match="row 3 is torn"):
        list(dataset)


def test_loop_goes_on_after_a_record_that_could_not_be_read(
    fake: FakeAgent, connect: Connect
) -> None:
    torn = {1}

    def read(number: int) -> int:
        if number in torn:
            torn.remove(number)
            raise OSError(f"row {number}")
        return number

    loop = connect(fake).dataset("train", size=4, shard_size=2, read=read).records()
    assert next(loop) == 0
    with pytest.raises(OSError, match="row 1"):
        next(loop)
    assert list(loop) == [0, 1, 2, 3]


def test_empty_shard_is_passed_over(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=4, shard_size=4)
    fake.script("next", shard(7, 4, 4))
    fake.script("report", {})
    assert list(dataset) == [0, 1, 2, 3]
    assert fake.reports() == [(7, "done"), (0, "done")]


# Batches


def test_batches_are_lists_that_never_cross_a_shard(
    fake: FakeAgent, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = connect(fake).dataset("train", size=8, shard_size=5)
    assert list(dataset.batches(2)) == [[0, 1], [2, 3], [4], [5, 6], [7]]
    (warning,) = caplog.messages
    assert "the last batch of every shard has 1" in warning


def test_shard_of_batches_is_done_after_its_last_batch(fake: FakeAgent, connect: Connect) -> None:
    loop = connect(fake).dataset("train", size=8, shard_size=4).batches(2)
    reported = []
    for _ in range(4):
        next(loop)
        reported.append(len(fake.reports()))
    assert reported == [0, 0, 1, 1]
    assert list(loop) == []
    assert fake.reports() == [(0, "done"), (1, "done")]


@pytest.mark.parametrize("size", [0, -1])
def test_batch_of_nothing_is_refused(fake: FakeAgent, connect: Connect, size: int) -> None:
    dataset = connect(fake).dataset("train", size=8, shard_size=4)
    with pytest.raises(pliant.InvalidRequest, match="at least 1"):
        dataset.batches(size)
    with pytest.raises(ValueError, match="at least 1"):
        dataset.records(batch=size)


# Threads


def test_threads_share_a_connection(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    seen: list[int] = []

    def work() -> None:
        seen.extend(job.dataset("train", size=300, shard_size=3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(seen) == list(range(300))
    assert fake.connections == 1


def test_report_that_is_not_known_does_not_keep_others_back(
    fake: FakeAgent, connect: Connect
) -> None:
    unknown = {"ok": False, "error": {"code": "UNKNOWN_LEASE", "message": "shard 9 is unknown."}}
    dataset = connect(fake).dataset("train", size=8, shard_size=2)
    fake.script("next", shard(9, 0, 2))
    fake.script("report", unknown, unknown)
    loop = dataset.records(batch=4)
    assert [next(loop) for _ in range(4)] == [0, 1, 0, 1]
    with pytest.raises(pliant.NotFound, match="shard 9"):
        next(loop)
    reported = [[r["number"] for r in request["reports"]] for request in fake.of("report")]
    assert reported == [[9, 0], [9], [0]]
