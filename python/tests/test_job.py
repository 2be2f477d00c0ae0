"""The job: its datasets' parameters, its checkpoints, its goodbye."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from conftest import Connect
from fake_agent import FakeAgent

import pliant


def test_spec_is_sent_whole(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    job.dataset("a", size=10, shard_size=5, epochs=2, shuffle="shards", seed=7, max_retries=1)
    job.dataset("b", size=10, kind="text", batch_size=5)
    job.dataset("c", kind="stream", partitions={"p": 7, "q": (3, 9)}, shard_size=2)
    assert [request["spec"] for request in fake.of("dataset")] == [
        {"name": "a", "kind": "table", "size": 10, "shard_size": 5, "epochs": 2}
        | {"shuffle": "shards", "seed": 7, "max_retries": 1},
        {"name": "b", "kind": "text", "size": 10, "batch_size": 5, "epochs": 1}
        | {"shuffle": "none", "seed": 0},
        {"name": "c", "kind": "stream", "shard_size": 2, "epochs": 1, "shuffle": "none"}
        | {"seed": 0, "max_retries": 3}
        | {
            "partitions": [
                {"name": "p", "start": 0, "end": 7},
                {"name": "q", "start": 3, "end": 9},
            ]
        },
    ]


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ({"size": 10}, "either shard_size"),
        ({"size": 10, "shard_size": 5, "batch_size": 5}, "either shard_size"),
        ({"shard_size": 5}, "needs size"),
        ({"size": 10, "partitions": {"p": 1}, "shard_size": 5}, "cannot have partitions"),
        ({"size": 10, "kind": "stream", "shard_size": 5}, "cannot have size"),
    ],
)
def test_parameters_that_do_not_go_together(
    fake: FakeAgent, connect: Connect, spec: dict[str, Any], hint: str
) -> None:
    job = connect(fake)
    with pytest.raises(pliant.InvalidRequest, match=hint):
        job.dataset("train", **spec)
    assert fake.of("dataset") == []


def test_dataset_by_steps_has_no_loops(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=10, batch_size=5)
    loops = (dataset.shards, dataset.records, lambda: dataset.batches(2), dataset.torch)
    for loop in loops:
        with pytest.raises(pliant.InvalidRequest) as refused:
            loop()
        assert refused.value.code == "WRONG_CONSUMPTION"


def test_checkpoint_holds_what_was_reported_before(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    dataset = job.dataset("train", size=10, shard_size=5)
    loop = dataset.shards()
    dataset.done(next(loop))
    job.checkpoint()
    assert [request["op"] for request in fake.requests][-3:] == ["report", "flush", "checkpoint"]
    job.checkpoint()
    assert [request["op"] for request in fake.requests][-2:] == ["checkpoint", "checkpoint"]


def test_restore_lets_go_of_what_is_in_hand(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    dataset = job.dataset("train", size=10, shard_size=5)
    checkpoint = job.checkpoint()
    loop = dataset.shards()
    assert next(loop).lease == 1
    assert job.restore(checkpoint) == 1
    assert next(loop).lease == 2
    assert fake.reports() == []


def test_close_gives_back_and_says_done(fake: FakeAgent, connect: Connect) -> None:
    job = connect(fake)
    loop = job.dataset("train", size=10, shard_size=5).shards()
    next(loop)
    job.close()
    job.close()
    assert fake.reports() == [(0, "returned")]
    assert [request["reason"] for request in fake.of("bye")] == ["done"]
    assert job.closed
    with pytest.raises(pliant.PliantError) as closed:
        job.checkpoint()
    assert closed.value.code == "CLOSED"


def test_exception_in_a_with_statement_says_error(fake: FakeAgent, connect: Connect) -> None:
    with pytest.raises(ZeroDivisionError), connect(fake) as job:
        for _ in job.dataset("train", size=10, shard_size=5).shards():
            _ = 1 // 0
    assert fake.reports() == [(0, "failed")]
    bye = fake.of("bye")[0]
    assert bye["reason"] == "error"
    assert bye["message"].startswith("ZeroDivisionError: ")


@pytest.mark.parametrize(("code", "reason"), [(0, "done"), (None, "done"), (3, "error")])
def test_exit_in_a_with_statement_says_what_its_code_says(
    fake: FakeAgent, connect: Connect, code: int | None, reason: str
) -> None:
    with pytest.raises(SystemExit), connect(fake) as job:
        for _ in job.dataset("train", size=10, shard_size=5).shards():
            raise SystemExit(code)
    assert fake.reports() == [(0, "returned")]
    assert [request["reason"] for request in fake.of("bye")] == [reason]


def test_dataset_cannot_go_to_another_process(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=10, shard_size=5)
    with pytest.raises(pliant.PliantError, match="num_workers=0"):
        pickle.dumps(dataset)


@pytest.mark.parametrize(
    "error",
    [
        pliant.NotFound("UNKNOWN_DATASET", "there is none."),
        pliant.DatasetFailed("train", 7, "w0", "torn"),
    ],
)
def test_errors_can_go_to_another_process(error: pliant.PliantError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.code, str(copy)) == (type(error), error.code, str(error))
