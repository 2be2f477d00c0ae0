"""One step of a training: which records it trains on, and who computes which of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from pliant.dataset import Dataset
from pliant.order import micro_batches as micro_batches_of
from pliant.torch.carrier import LossOf
from pliant.torch.records import Records

if TYPE_CHECKING:
    from pliant.torch.elastic import Elastic


class Step:
    """One step: a global batch that all members train on together."""

    def __init__(self, elastic: Elastic, dataset: Dataset[Any], records: Records) -> None:
        self._elastic = elastic
        self._dataset = dataset
        self._order = dataset.step_order
        self._records = records
        self.ran = False
        self.number = 0
        """Steps done before this one, over all epochs and datasets."""
        self.epoch = 0
        self.step = 0
        """The step's number in its epoch."""
        self.point()

    def point(self) -> bool:
        """Stand at the state's place in the data; tell whether there is a step."""
        state = self._elastic.state
        self.epoch, self.step = state.position(self._dataset.name)
        self.number = state.steps
        return self.epoch < self._order.epochs

    @property
    def ends_epoch(self) -> bool:
        """Whether it is the last of its epoch."""
        return self.step + 1 == self._order.steps_per_epoch

    @property
    def records(self) -> torch.Tensor:
        """The numbers of all its records, in order."""
        start, end = self._order.bounds(self.step)
        return self._records.numbers(self.epoch, start, end)

    def run(self, loss_of: LossOf, before_update: Callable[[], Any] | None = None) -> float:
        """Train on the step's records together with all members; return the mean loss.

        `loss_of(batch)` is called for each micro-batch of this member and returns its mean loss.
        `batch` holds record numbers (int64), or, where the dataset has `read`, what it reads,
        collated. `before_update` is called when the gradients are there, as for clipping.

        Where the world changes meanwhile the step is done again. Where this member then finds that
        the others have done it, or one before it, it runs the one that is next, so look at `number`
        afterwards, not before.
        """
        self.ran = True
        return self._elastic.run_step(self, self._dataset, loss_of, before_update)

    def shares(self, rank: int, size: int) -> list[tuple[Any, float]]:
        """Return a rank's micro-batches, each with its share of the step's records."""
        start, end = self._order.bounds(self.step)
        count = self._elastic.state.micro_batches
        bounds = micro_batches_of(start, end, count, rank, size)
        if not bounds:  # it still takes part in the all-reduce, with what counts nothing
            first = micro_batches_of(start, end, count, 0, count)[0]
            return [(self._batch(*first), 0.0)]
        return [(self._batch(*each), (each[1] - each[0]) / (end - start)) for each in bounds]

    def _batch(self, start: int, end: int) -> Any:
        numbers = self._records.numbers(self.epoch, start, end)
        read = self._dataset.read
        if read is None:
            return numbers
        from torch.utils.data import default_collate

        return default_collate([read(number) for number in numbers.tolist()])

    def __repr__(self) -> str:
        return f"Step({self.number}, epoch={self.epoch}, step={self.step})"
