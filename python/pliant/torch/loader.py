"""Datasets for PyTorch's DataLoader."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from torch.utils.data import IterableDataset, default_collate, get_worker_info

from pliant.errors import InvalidRequest

if TYPE_CHECKING:
    from pliant.dataset import Dataset


class PliantIterableDataset(IterableDataset[Any]):
    """Batches of a dataset, ready for `DataLoader(…, batch_size=None)`.

    A record must not count as trained while it waits in somebody's queue. Hence no worker
    processes, which read ahead, and no batches put together by the DataLoader, which asks for many
    records before it gives one out: both are refused.
    """

    def __init__(
        self,
        dataset: Dataset[Any],
        batch_size: int | None = 1,
        collate: Callable[[list[Any]], Any] | None = None,
    ) -> None:
        super().__init__()
        self._dataset = dataset
        self._batch_size = batch_size
        self._collate = default_collate if collate is None else collate

    def __iter__(self) -> Iterator[Any]:
        _check_loader(self._dataset.name)
        if self._batch_size is None:
            return self._dataset.records()
        return map(self._collate, self._dataset.batches(self._batch_size))


def _check_loader(name: str) -> None:
    if get_worker_info() is not None:
        raise InvalidRequest(
            "BAD_MESSAGE",
            f"dataset '{name}' is read by a DataLoader with num_workers > 0: its records would "
            "count as trained while they wait in the workers' queues, and be lost with them. Use "
            "num_workers=0, and threads inside read or collate where reading is slow.",
        )
    fetcher = sys._getframe(2).f_locals
    if fetcher.get("auto_collation") is True:
        raise InvalidRequest(
            "BAD_MESSAGE",
            f"dataset '{name}' is read by a DataLoader that puts batches together itself: records "
            "would count as trained before their step. Give the batch size to the dataset: "
            "DataLoader(dataset.torch(batch_size=N), batch_size=None).",
        )
