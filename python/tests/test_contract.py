"""What a training process may rely on, shown with the fake agent and with the real one."""

from __future__ import annotations

import json
import logging
import socket
import struct
import threading
from collections import Counter
from typing import Any

import pytest
from conftest import Agent, Connect

import pliant
from pliant.connection import Connection

TIMEOUT_S = 60


def test_hello_names_the_job_and_the_worker(agent: Agent, connect: Connect) -> None:
    job = connect(agent, "trainer-7")
    assert "/" in job.name
    assert job.worker == "trainer-7"


def test_every_record_of_every_epoch_is_given_once(
    agent: Agent, connect: Connect, name: str
) -> None:
    dataset = connect(agent).dataset(name, size=103, shard_size=10, epochs=2)
    shards = list(dataset.shards())
    seen = Counter((shard.epoch, record) for shard in shards for record in shard)
    assert seen == Counter((epoch, record) for epoch in range(2) for record in range(103))
    assert sorted(shard.number for shard in shards) == list(range(22))
    progress = dataset.progress()
    assert progress.state == "end"
    assert (progress.records_done, progress.records_out, progress.records_waiting) == (206, 0, 0)
    assert progress.epoch == 2


def test_two_workers_share_a_dataset(agent: Agent, connect: Connect, name: str) -> None:
    seen: list[Counter[int]] = [Counter(), Counter()]

    def work(dataset: pliant.Dataset[int], mine: Counter[int]) -> None:
        mine.update(dataset)

    threads = [
        threading.Thread(
            target=work, args=(connect(agent).dataset(name, size=500, shard_size=7), mine)
        )
        for mine in seen
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert seen[0] + seen[1] == Counter(range(500))


def test_text_records_are_shuffled_by_seed(agent: Agent, connect: Connect, name: str) -> None:
    job = connect(agent)
    orders = []
    for seed, suffix in ((7, "a"), (7, "b"), (8, "c")):
        dataset = job.dataset(
            name + suffix, size=100, kind="text", shard_size=10, shuffle="records", seed=seed
        )
        orders.append([record for shard in dataset.shards() for record in shard])
    assert sorted(orders[0]) == list(range(100))
    assert orders[0] != list(range(100))
    assert orders[0] == orders[1] != orders[2]


def test_table_shards_are_shuffled_by_seed(agent: Agent, connect: Connect, name: str) -> None:
    dataset = connect(agent).dataset(name, size=100, shard_size=5, shuffle="shards", seed=3)
    starts = [shard.start for shard in dataset.shards()]
    assert sorted(start for start in starts if start is not None) == list(range(0, 100, 5))
    assert starts != list(range(0, 100, 5))


def test_given_back_shard_comes_again_and_uses_up_no_retry(
    agent: Agent, connect: Connect, name: str
) -> None:
    dataset = connect(agent).dataset(name, size=10, shard_size=10, max_retries=0)
    leases = []
    for _ in range(3):
        with dataset.shards() as shards:
            for shard in shards:
                leases.append((shard.number, shard.lease))
                break
    assert [number for number, _ in leases] == [0, 0, 0]
    assert len(set(leases)) == 3
    assert list(dataset) == list(range(10))


def test_failed_shard_is_tried_again_until_the_dataset_fails(
    agent: Agent, connect: Connect, name: str
) -> None:
    job = connect(agent)
    dataset = job.dataset(name, size=4, shard_size=2, max_retries=1)
    tries = 0
    with pytest.raises(pliant.DatasetFailed) as failed:
        for shard in dataset.shards():
            if shard.number == 1:
                tries += 1
                dataset.fail(shard, "record 3 is torn")
    assert tries == 2
    assert failed.value.shard == 1
    assert failed.value.worker == job.worker
    assert "record 3 is torn" in failed.value.cause
    assert dataset.progress().state == "failed"
    with pytest.raises(pliant.DatasetFailed):
        next(connect(agent).dataset(name, size=4, shard_size=2, max_retries=1).shards())


def test_shards_of_a_lost_worker_go_to_another(agent: Agent, connect: Connect, name: str) -> None:
    lost = connect(agent)
    held = next(lost.dataset(name, size=10, shard_size=5, max_retries=0).shards())
    lost._connection.close()
    dataset = connect(agent).dataset(name, size=10, shard_size=5, max_retries=0)
    assert sorted(dataset) == list(range(10))
    assert held.number in (0, 1)


def test_shards_of_a_worker_that_left_go_to_another(
    agent: Agent, connect: Connect, name: str
) -> None:
    left = connect(agent)
    loop = left.dataset(name, size=10, shard_size=5).shards()
    next(loop)
    left.close()
    assert sorted(connect(agent).dataset(name, size=10, shard_size=5)) == list(range(10))


def test_shards_of_a_worker_that_failed_lose_a_retry(
    agent: Agent, connect: Connect, name: str
) -> None:
    failing = connect(agent)
    loop = failing.dataset(name, size=10, shard_size=10, max_retries=0).shards()
    next(loop)
    with pytest.raises(ZeroDivisionError), failing:
        _ = 1 // 0
    with pytest.raises(pliant.DatasetFailed, match="ZeroDivisionError"):
        list(connect(agent).dataset(name, size=10, shard_size=10, max_retries=0))


def test_checkpoint_brings_the_ledger_back(agent: Agent, connect: Connect, name: str) -> None:
    job = connect(agent)
    dataset = job.dataset(name, size=40, shard_size=10)
    loop = dataset.shards()
    dataset.done(next(loop))
    checkpoint = job.checkpoint()
    assert dataset.progress().records_done == 10
    for shard in loop:
        assert shard.number > 0
    assert dataset.progress().records_done == 40

    lineage = job.restore(checkpoint.number)
    assert dataset.progress().records_done == 10
    assert sorted(dataset) == list(range(10, 40))

    ledger = json.loads(json.dumps(checkpoint.ledger))
    assert job.restore(ledger) == lineage + 1
    assert sorted(dataset) == list(range(10, 40))
    assert job.restore(checkpoint) == lineage + 2
    assert job.checkpoint().number > checkpoint.number
    assert sorted(dataset) == list(range(10, 40))


def test_report_on_a_lease_from_before_a_restore_is_refused(
    agent: Agent, connect: Connect, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    late, other = connect(agent), connect(agent)
    dataset = late.dataset(name, size=10, shard_size=10)
    checkpoint = late.checkpoint()
    loop = dataset.shards()
    shard = next(loop)
    other.restore(checkpoint.number)
    with caplog.at_level(logging.WARNING, "pliant"):
        dataset.done(shard)
        dataset.flush()
    assert f"shard {shard.number} was refused" in caplog.text
    late.close()
    again = other.dataset(name, size=10, shard_size=10)
    assert again.progress().records_done == 0
    assert sorted(again) == list(range(10))


def test_checkpoint_of_another_job_is_taken_over_on_purpose(
    agent: Agent, connect: Connect, name: str
) -> None:
    job = connect(agent)
    dataset = job.dataset(name, size=20, shard_size=10)
    dataset.done(next(dataset.shards()))
    ledger = {**job.checkpoint().ledger, "job": "elsewhere/other", "uid": "of-another"}
    job.restore(0)
    assert dataset.progress().records_done == 0
    job.restore(ledger, take_over=True)
    assert dataset.progress().records_done == 10


@pytest.mark.parametrize("change", ["unknown", "damaged", "foreign"])
def test_checkpoint_that_does_not_fit_is_refused(
    agent: Agent, connect: Connect, name: str, change: str
) -> None:
    job = connect(agent)
    job.dataset(name, size=10, shard_size=10)
    ledger = dict(job.checkpoint().ledger)
    bad: Any = 999_999
    if change == "foreign":
        bad = {**ledger, "job": "elsewhere/other"}
    elif change == "damaged":
        bad = {**ledger, "crc32c": (int(ledger["crc32c"]) + 1) % 2**32}
    with pytest.raises(pliant.CheckpointError) as refused:
        job.restore(bad)
    assert refused.value.code == f"{change.upper()}_CHECKPOINT"


def test_steps_are_committed_in_order(agent: Agent, connect: Connect, name: str) -> None:
    dataset = connect(agent).dataset(name, size=10, batch_size=4, epochs=2)
    assert dataset.commit(0, 0, world=1) == pliant.Commit("committed", 0, 1)
    assert dataset.commit(0, 0, world=1) == pliant.Commit("repeated", 0, 1)
    assert dataset.commit(0, 2, world=1).outcome == "gap"
    assert dataset.commit(0, 1, world=3).committed
    assert dataset.commit(0, 2, world=2).outcome == "old_world"
    assert dataset.commit(0, 2, world=3) == pliant.Commit("committed", 1, 0)
    progress = dataset.progress()
    assert (progress.records_done, progress.epoch, progress.next_step) == (10, 1, 0)
    for step in range(3):
        assert dataset.commit(1, step, world=3).committed
    assert dataset.progress().state == "end"


def test_stream_grows_and_ends_when_closed(agent: Agent, connect: Connect, name: str) -> None:
    feeder = connect(agent).dataset(name, kind="stream", partitions={"p0": (5, 8)}, shard_size=2)
    seen: list[pliant.Offset] = []
    dataset = connect(agent).dataset(name, kind="stream", partitions={"p0": (5, 8)}, shard_size=2)

    def work() -> None:
        for offset in dataset:
            seen.append(offset)

    worker = threading.Thread(target=work)
    worker.start()
    feeder.grow({"p0": 9, "p1": 3})
    feeder.grow({"p1": 4}, closed=True)
    worker.join(TIMEOUT_S)
    assert sorted(seen) == [("p0", 5), ("p0", 6), ("p0", 7), ("p0", 8)] + [
        ("p1", offset) for offset in range(4)
    ]
    feeder.grow({"p0": 2})  # old news changes nothing
    with pytest.raises(pliant.InvalidRequest) as refused:
        feeder.grow({"p0": 10})
    assert refused.value.code == "BAD_PARTITION"


def test_dataset_is_registered_once(agent: Agent, connect: Connect, name: str) -> None:
    job = connect(agent)
    job.dataset(name, size=10, shard_size=5)
    connect(agent).dataset(name, size=10, shard_size=5)
    with pytest.raises(pliant.DatasetExists) as exists:
        job.dataset(name, size=11, shard_size=5)
    assert exists.value.code == "DATASET_EXISTS"
    assert sorted(job.dataset(name, size=10, shard_size=5)) == list(range(10))


@pytest.mark.parametrize(
    ("code", "spec"),
    [
        ("BAD_DATASET_SIZE", {"size": 0, "shard_size": 1}),
        ("BAD_DATASET_SIZE", {"size": -5, "shard_size": 1}),
        ("BAD_SHARD_SIZE", {"size": 10, "shard_size": 11}),
        ("BAD_SHARD_SIZE", {"size": 10, "shard_size": 0}),
        ("BAD_SHARD_SIZE", {"size": 10, "batch_size": 11}),
        ("BAD_EPOCHS", {"size": 10, "shard_size": 1, "epochs": 0}),
        ("BAD_RETRIES", {"size": 10, "shard_size": 1, "max_retries": 101}),
        ("BAD_SHUFFLE", {"size": 10, "shard_size": 1, "shuffle": "records"}),
        ("BAD_MESSAGE", {"size": 10, "shard_size": 1, "shuffle": "sometimes"}),
        (
            "BAD_PARTITION",
            {"kind": "stream", "shard_size": 1, "partitions": {"p": (5, 4)}},
        ),
    ],
)
def test_bad_dataset_is_refused(
    agent: Agent, connect: Connect, name: str, code: str, spec: dict[str, Any]
) -> None:
    job = connect(agent)
    with pytest.raises(pliant.InvalidRequest) as refused:
        job.dataset(name, **spec)
    assert refused.value.code == code
    job.dataset(name, size=10, shard_size=1)  # nothing was left behind


@pytest.mark.parametrize("bad", ["", "x" * 10_000, "a b", "naïve"])
def test_bad_name_is_refused(agent: Agent, connect: Connect, bad: str) -> None:
    with pytest.raises(pliant.InvalidRequest) as refused:
        connect(agent).dataset(bad, size=10, shard_size=1)
    assert refused.value.code == "BAD_NAME"


@pytest.mark.parametrize("op", ["next", "progress"])
def test_unknown_dataset_is_refused(agent: Agent, connect: Connect, op: str) -> None:
    with pytest.raises(pliant.NotFound) as refused:
        connect(agent)._connection.request(op, {"dataset": "trian"})
    assert refused.value.code == "UNKNOWN_DATASET"
    assert "trian" in refused.value.message


def test_consuming_a_dataset_the_other_way_is_refused(
    agent: Agent, connect: Connect, name: str
) -> None:
    job = connect(agent)
    with pytest.raises(pliant.InvalidRequest) as refused:
        job.dataset(name, size=10, shard_size=1).commit(0, 0, 1)
    assert refused.value.code == "WRONG_CONSUMPTION"
    job.dataset(name + "s", size=10, batch_size=1)
    with pytest.raises(pliant.InvalidRequest) as refused:
        job._connection.request("next", {"dataset": name + "s"})
    assert refused.value.code == "WRONG_CONSUMPTION"


def test_step_beyond_the_end_is_refused(agent: Agent, connect: Connect, name: str) -> None:
    dataset = connect(agent).dataset(name, size=10, batch_size=5)
    with pytest.raises(pliant.InvalidRequest) as refused:
        dataset.commit(0, 2, world=1)
    assert refused.value.code == "OUT_OF_RANGE"


def test_unknown_request_leaves_the_connection_usable(agent: Agent, connect: Connect) -> None:
    job = connect(agent)
    with pytest.raises(pliant.InvalidRequest) as refused:
        job._connection.request("dance")
    assert refused.value.code == "BAD_MESSAGE"
    assert job.checkpoint().number > 0


def test_connection_begins_with_hello(agent: Agent) -> None:
    connection = Connection(agent.socket)
    with pytest.raises(pliant.InvalidRequest) as refused:
        connection.request("checkpoint")
    assert refused.value.code == "BAD_MESSAGE"
    connection.close()


def test_other_version_is_refused(agent: Agent) -> None:
    connection = Connection(agent.socket)
    with pytest.raises(pliant.InvalidRequest) as refused:
        connection.request("hello", {"version": 99, "worker": "w", "pid": 1})
    assert refused.value.code == "BAD_MESSAGE"
    connection.close()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x00\x00\x00\x03nah", "BAD_MESSAGE"),
        (b"\x00\x00\x00\x02[]", "BAD_MESSAGE"),
        (b"\xff\xff\xff\xff", "TOO_MANY"),
    ],
    ids=["no JSON", "no object", "too long"],
)
def test_bad_frame_is_answered_and_ends_the_connection(
    agent: Agent, frame: bytes, code: str
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw:
        raw.settimeout(TIMEOUT_S)
        raw.connect(agent.socket)
        raw.sendall(frame)
        with raw.makefile("rb") as answers:
            (length,) = struct.unpack(">I", answers.read(4))
            answer = json.loads(answers.read(length))
            assert answer["ok"] is False
            assert answer["error"]["code"] == code
            assert answers.read() == b""


def test_agent_closes_after_bye(agent: Agent, connect: Connect) -> None:
    job = connect(agent)
    job._connection.request("bye", {"reason": "done"})
    with pytest.raises(pliant.AgentLost):
        job._connection.request("checkpoint")
