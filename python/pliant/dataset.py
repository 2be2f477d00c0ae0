"""A dataset of the job, as a training script sees it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, Union, cast

from pliant.connection import Connection
from pliant.errors import InvalidRequest, PliantError
from pliant.leases import Leases
from pliant.loops import BatchLoop, Read, RecordLoop, ShardLoop
from pliant.order import StepOrder
from pliant.shards import Offset, Shard

if TYPE_CHECKING:
    from torch.utils.data import IterableDataset

_logger = logging.getLogger("pliant")

T = TypeVar("T")

Partitions = Mapping[str, Union[int, tuple[int, int]]]
"""By name: the offset after the last record, or the first offset and the one after the last."""


@dataclass(frozen=True)
class Progress:
    """How far a dataset is, over all workers; records are counted over all epochs."""

    records_done: int
    records_out: int
    """Leased and not yet done."""
    records_waiting: int
    """Still to be leased; for a stream, those that are known."""
    epoch: int
    """The oldest epoch that is not wholly done; the number of epochs when all are."""
    state: str
    """`open` while there is something to lease or commit, else `wait`, `end` or `failed`."""
    next_step: int
    """For steps: the next one to commit, in `epoch`."""


@dataclass(frozen=True)
class Commit:
    """What the master made of a step that was to be committed."""

    outcome: str
    """`committed`; or nothing changed: `repeated` (that step or a later one is committed already),
    `old_world` (a newer world has committed) or `gap` (a step before it is missing)."""
    next_epoch: int
    """The epoch of the next step to commit; the number of epochs when all is done."""
    next_step: int

    @property
    def committed(self) -> bool:
        """Whether this very call committed it."""
        return self.outcome == "committed"


class Dataset(Generic[T]):
    """A dataset, consumed by shards (loops) or by steps (`commit`); made by `job.dataset(...)`."""

    def __init__(
        self,
        connection: Connection,
        leases: Leases,
        spec: Mapping[str, Any],
        read: Callable[..., T] | None,
    ) -> None:
        self._connection = connection
        self._leases = leases
        self._spec = spec
        self._read = read

    @property
    def name(self) -> str:
        """Its name, unique in the job."""
        return self._leases.dataset

    @property
    def step_order(self) -> StepOrder:
        """Which records the steps of a dataset with `batch_size` have."""
        if "batch_size" not in self._spec:
            raise InvalidRequest(
                "WRONG_CONSUMPTION",
                f"dataset '{self.name}' is consumed by shards (shard_size), not by steps; register "
                "it with batch_size.",
            )
        return StepOrder.of(self._spec)

    @property
    def read(self) -> Callable[..., T] | None:
        """What turns a record's number into what the loops yield, if anything does."""
        return self._read

    def shards(self) -> ShardLoop:
        """Loop over shards; one is done when the loop comes back for the next.

        A loop that is left by `break` gives its shard back. One that is left by an exception fails
        it, inside `with dataset.shards() as shards:` always, in a bare `for` where nobody catches
        the exception.
        """
        self._check_by_shards()
        return ShardLoop(self._leases)

    def records(self, batch: int = 1) -> RecordLoop[T]:
        """Loop over single records: what `read` gives for each, or their numbers.

        For a script that puts every `batch` records into one step: a shard is done when the loop
        asks for a record beyond the batch that holds the shard's last one. Where nothing more can
        be had, the last, short batch counts before its step has run; `batches` has no such edge.
        """
        self._check_by_shards()
        return RecordLoop(self._leases, self._reading(), _at_least_one("batch", batch))

    def __iter__(self) -> Iterator[T]:
        return self.records()

    def batches(self, size: int) -> BatchLoop[T]:
        """Loop over lists of `size` records; a shard is done after its last batch.

        A batch never crosses a shard: choose a `shard_size` that is a multiple of `size`, else the
        last batch of every shard is shorter.
        """
        self._check_by_shards()
        left = self._spec["shard_size"] % _at_least_one("size", size)
        if left:
            _logger.warning(
                "dataset '%s' has shards of %d records, no multiple of its batches of %d: the last "
                "batch of every shard has %d",
                self.name,
                self._spec["shard_size"],
                size,
                left,
            )
        return BatchLoop(self._leases, self._reading(), size)

    def torch(
        self, batch_size: int | None = 1, collate: Callable[[list[T]], Any] | None = None
    ) -> IterableDataset[Any]:
        """Give the dataset to PyTorch: `DataLoader(dataset.torch(batch_size=32), batch_size=None)`.

        It yields whole batches, put together by `collate` (torch's own where none is given), so
        that a shard counts only after the step on its last batch. With `batch_size=None` it yields
        single records.
        """
        self._check_by_shards()
        from pliant.torch import PliantIterableDataset

        return PliantIterableDataset(self, batch_size, collate)

    def done(self, shard: Shard) -> None:
        """Say that a shard is trained before the loop comes back, as for a checkpoint right now."""
        self._leases.check_held(shard)
        self._leases.done([shard])

    def fail(self, shard: Shard, cause: str) -> None:
        """Say that a shard could not be trained, and go on; this uses up one of its retries."""
        self._leases.check_held(shard)
        self._leases.fail([shard], cause)

    def flush(self) -> None:
        """Return once every report of this process is on the master's disk."""
        self._leases.flush()

    def grow(self, partitions: Partitions, closed: bool = False) -> None:
        """Tell of new records of a stream: the end of each partition by name.

        A partition that is not known yet is added. `closed` says that no more will ever come.
        """
        self._connection.ask(
            "grow",
            {"dataset": self.name, "partitions": partition_list(partitions), "closed": closed},
            until="",
        )

    def commit(self, epoch: int, step: int, world: int) -> Commit:
        """Commit a step of a dataset consumed by steps, in the name of a world's version."""
        answer = self._connection.ask(
            "commit_step",
            {"dataset": self.name, "epoch": epoch, "step": step, "world": world},
            until="outcome",
        )
        return Commit(
            str(answer["outcome"]),
            int(answer.get("next_epoch", 0)),
            int(answer.get("next_step", 0)),
        )

    def progress(self) -> Progress:
        """How far the dataset is, over all workers."""
        answer = self._connection.ask("progress", {"dataset": self.name}, until="records_done")
        return Progress(
            records_done=int(answer["records_done"]),
            records_out=int(answer["records_out"]),
            records_waiting=int(answer["records_waiting"]),
            epoch=int(answer["epoch"]),
            state=str(answer["state"]),
            next_step=int(answer.get("next_step", 0)),
        )

    def __repr__(self) -> str:
        return f"Dataset({self.name!r})"

    def __reduce__(self) -> NoReturn:
        raise PliantError(
            "FORKED",
            f"dataset '{self.name}' cannot go to another process: its shards are leased to this "
            "one. With a PyTorch DataLoader use num_workers=0.",
        )

    def _reading(self) -> Read[T]:
        read = self._read
        stream = self._spec["kind"] == "stream"
        if read is None:
            plain: Read[Any] = _offset if stream else _number
            return cast("Read[T]", plain)
        given = read
        if stream:
            return lambda shard, record: given(shard.partition, record)
        return lambda _, record: given(record)

    def _check_by_shards(self) -> None:
        if "shard_size" not in self._spec:
            raise InvalidRequest(
                "WRONG_CONSUMPTION",
                f"dataset '{self.name}' is consumed by steps (batch_size), not by shards; use "
                "commit(), or register it with shard_size.",
            )


def partition_list(partitions: Partitions) -> list[dict[str, Any]]:
    """Write partitions as the agent reads them."""
    listed = []
    for name, bounds in partitions.items():
        start, end = bounds if isinstance(bounds, tuple) else (0, bounds)
        listed.append({"name": name, "start": start, "end": end})
    return listed


def _at_least_one(what: str, number: int) -> int:
    if number < 1:
        raise InvalidRequest("BAD_MESSAGE", f"{what} is {number}; it must be at least 1.")
    return number


def _number(_: Shard, record: int) -> int:
    return record


def _offset(shard: Shard, record: int) -> Offset:
    return Offset(shard.partition or "", record)
