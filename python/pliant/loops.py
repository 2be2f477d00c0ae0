"""The loops over a dataset: by shards, by records, by batches.

A loop is an iterator and may be a context manager. What becomes of a shard follows from how the
loop goes on:

- it comes back for more: the shard is done;
- it is left by `break` or `close()`: the shard is given back, which uses up no retries;
- it is left by an exception: the shard has failed, which uses up one.

An iterator cannot see why its `for` was left. Inside `with dataset.shards() as shards:` it is told,
always. In a bare `for`, an exception that nobody catches is told by the interpreter's hook
(`pliant.process`), and one that is caught looks like a `break`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from pliant.errors import describe, is_of_the_script
from pliant.leases import Leases, Nothing
from pliant.shards import Shard

T = TypeVar("T")
Self = TypeVar("Self", bound="Loop[Any]")

Read = Callable[[Shard, int], T]
"""Gives what a loop yields for one record of a shard."""


class Loop(Iterator[T]):
    """What every loop does with the shards in its hands."""

    def __init__(self, leases: Leases) -> None:
        self._hands: list[Shard] = []
        self._leases = leases
        self._over = False

    @abstractmethod
    def __next__(self) -> T: ...

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and is_of_the_script(error):
            self._over = True
            self._leases.fail(self._take_hands(), describe(error))
        else:
            self.close()

    def close(self) -> None:
        """End the loop and give back what is in its hands."""
        self._over = True
        self._leases.give_back(self._take_hands())

    def __del__(self) -> None:
        if getattr(self, "_hands", None):
            self._leases.drop(self._hands)

    def _take_hands(self) -> list[Shard]:
        hands, self._hands = self._hands, []
        return hands

    def _finish(self) -> None:
        """Report all that is in hand as done."""
        if self._hands:
            self._leases.done(self._take_hands())

    def _ask(self) -> Shard | None:
        """Return a shard, or None where there is none for now; at the end, end the loop."""
        if self._over:
            raise StopIteration
        got = self._leases.ask()
        if got is Nothing.NOW:
            return None
        if got is Nothing.EVER:
            self._finish()
            self._leases.flush()
            self._over = True
            raise StopIteration
        assert isinstance(got, Shard)
        self._hands.append(got)
        return got

    def _wait_for_shard(self) -> Shard:
        while True:
            shard = self._ask()
            if shard is not None:
                return shard


class ShardLoop(Loop[Shard]):
    """One shard at a time; it is done when the loop comes back for the next."""

    def __next__(self) -> Shard:
        self._finish()
        return self._wait_for_shard()


class ReadingLoop(Loop[T]):
    """A loop that reads records, and so knows itself when one cannot be read."""

    def __init__(self, leases: Leases) -> None:
        super().__init__(leases)
        self._shard: Shard | None = None
        self._position = 0

    def _left(self) -> int:
        return 0 if self._shard is None else len(self._shard) - self._position

    def _begin(self, shard: Shard | None) -> None:
        self._shard, self._position = shard, 0

    def _failed(self, error: Exception) -> None:
        """Report the shard whose record could not be read; another one follows."""
        shard = self._shard
        assert shard is not None
        self._begin(None)
        self._hands.remove(shard)
        self._leases.fail([shard], describe(error))

    def _take_hands(self) -> list[Shard]:
        self._begin(None)
        return super()._take_hands()


class RecordLoop(ReadingLoop[T]):
    """One record at a time, for a script that puts every `batch` of them into a step.

    A shard is done when the loop asks for a record beyond the batch that holds the shard's last
    one. Where nothing more can be had, the last and short batch counts as the loop asks on.
    """

    def __init__(self, leases: Leases, read: Read[T], batch: int) -> None:
        super().__init__(leases)
        self._read = read
        self._batch = batch
        self._given = 0

    def __next__(self) -> T:
        if self._given % self._batch == 0:
            self._finish_read()
        while not self._left():
            self._begin(None)
            shard = self._ask()
            if shard is None:
                self._finish()
            else:
                self._begin(shard)
        assert self._shard is not None
        try:
            record = self._read(self._shard, self._shard.records[self._position])
        except Exception as error:
            self._failed(error)
            raise
        self._position += 1
        self._given += 1
        return record

    def _finish_read(self) -> None:
        """Report as done what has been given to its last record."""
        unread = self._shard if self._left() else None
        read = [shard for shard in self._hands if shard is not unread]
        if read:
            self._hands = [] if unread is None else [unread]
            self._leases.done(read)


class BatchLoop(ReadingLoop[list[T]]):
    """Lists of records; a batch never crosses a shard, so the last one of a shard may be shorter.

    A shard is done when the loop comes back after its last batch.
    """

    def __init__(self, leases: Leases, read: Read[T], size: int) -> None:
        super().__init__(leases)
        self._read = read
        self._size = size

    def __next__(self) -> list[T]:
        while not self._left():
            self._begin(None)
            self._finish()
            self._begin(self._wait_for_shard())
        shard = self._shard
        assert shard is not None
        end = self._position + self._size
        try:
            batch = [self._read(shard, record) for record in shard.records[self._position : end]]
        except Exception as error:
            self._failed(error)
            raise
        self._position = min(end, len(shard))
        return batch
