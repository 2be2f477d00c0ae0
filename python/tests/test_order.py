"""Which records a step trains on, and who computes which of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from pliant.order import Permutation, StepOrder, micro_batches

GOLDEN = Path(__file__).parents[2] / "model/src/test/resources/permutation.golden"
"""Written and checked by the master's own tests: `size seed epoch position value` in each line."""

with_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)


def golden() -> list[tuple[int, ...]]:
    lines = GOLDEN.read_text().splitlines()
    return [tuple(map(int, line.split())) for line in lines if not line.startswith("#")]


def test_order_is_the_masters() -> None:
    rows = golden()
    assert len(rows) > 100
    for size, seed, epoch, position, value in rows:
        assert Permutation(size, seed, epoch).at(position) == value


@with_torch
def test_order_of_many_at_once_is_the_same() -> None:
    import torch

    from pliant.torch.records import permuted

    for size, seed, epoch, position, value in golden():
        permutation = Permutation(size, seed, epoch)
        assert permuted(permutation, torch.tensor([position])).tolist() == [value]
    permutation = Permutation(1_797, 5, 2)
    expected = [permutation.at(position) for position in range(1_797)]
    assert permuted(permutation, torch.arange(1_797)).tolist() == expected


@with_torch
def test_records_are_computed_in_chunks_across_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    from pliant.torch import records as module

    monkeypatch.setattr(module, "CHUNK", 10)
    order = StepOrder(size=101, batch_size=16, epochs=3, shuffled=True, seed=4)
    records = module.Records(order)
    for epoch, start, end in [(0, 0, 16), (0, 16, 20), (0, 3, 9), (1, 90, 101), (0, 0, 101)]:
        assert records.numbers(epoch, start, end).tolist() == order.records(epoch, start, end)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 65, 1000])
def test_every_place_is_visited_once(size: int) -> None:
    permutation = Permutation(size, seed=-9, epoch=1)
    assert sorted(permutation.at(i) for i in range(size)) == list(range(size))


def test_places_outside_are_refused() -> None:
    permutation = Permutation(10, 1, 1)
    for position in (-1, 10):
        with pytest.raises(IndexError):
            permutation.at(position)
    with pytest.raises(ValueError, match="nothing to permute"):
        Permutation(0, 1, 1)


def test_steps_follow_each_other_over_epochs() -> None:
    order = StepOrder.of({"size": 10, "batch_size": 4, "epochs": 2, "shuffle": "none"})
    assert order.steps_per_epoch == 3
    assert order.bounds(2) == (8, 10)
    assert order.records(1, 8, 10) == [8, 9]
    at, seen = (0, 0), []
    while at[0] < order.epochs:
        seen.append(at)
        assert order.before(*order.after(*at)) == at
        at = order.after(*at)
    assert seen == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    with pytest.raises(IndexError):
        order.before(0, 0)


@pytest.mark.parametrize("records", [1, 3, 4, 7, 64])
@pytest.mark.parametrize("count", [1, 2, 4, 5])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_micro_batches_are_the_same_for_every_size(records: int, count: int, size: int) -> None:
    alone = micro_batches(100, 100 + records, count, 0, 1)
    shared = [micro_batches(100, 100 + records, count, rank, size) for rank in range(size)]
    assert [bounds for mine in shared for bounds in mine] == alone
    assert [i for begin, end in alone for i in range(begin, end)] == list(range(100, 100 + records))


def test_earlier_ranks_compute_what_is_left_over() -> None:
    counts = [len(micro_batches(0, 100, 10, rank, 4)) for rank in range(4)]
    assert counts == [3, 3, 2, 2]
