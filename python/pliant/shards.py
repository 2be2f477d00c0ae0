"""What a worker is given to train on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pliant.errors import PliantError


class Offset(NamedTuple):
    """A record of a stream."""

    partition: str
    offset: int


@dataclass(frozen=True)
class Shard:
    """A run of records that is leased to this worker until it says what became of it.

    `len(shard)` is the number of its records, iterating it gives their numbers in training order
    (for a stream: their offsets in `partition`).
    """

    number: int
    """Counted over all epochs from 0."""
    lease: int
    """A shard that is handed out again has another."""
    epoch: int
    """From 0."""
    records: Sequence[int]
    """The numbers of its records in training order; a `range` for tables and streams."""
    start: int | None = None
    """The first record, for tables and streams."""
    end: int | None = None
    """The record after the last, for tables and streams."""
    partition: str | None = None
    """The partition, for streams."""

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[int]:
        return iter(self.records)

    @staticmethod
    def parse(message: Mapping[str, Any]) -> Shard:
        """Read a shard as the agent sends it."""
        try:
            number, lease = int(message["number"]), int(message["lease"])
            epoch = int(message["epoch"])
            records = message.get("records")
            if records is not None:
                return Shard(number, lease, epoch, tuple(records))
            start, end = int(message["start"]), int(message["end"])
            return Shard(
                number, lease, epoch, range(start, end), start, end, message.get("partition")
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PliantError(
                "BAD_MESSAGE", f"the agent sent a shard that cannot be read: {message!r:.200}."
            ) from error
