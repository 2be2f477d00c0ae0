"""The job that this process works for."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, TypeVar, overload

from pliant.connection import Connection
from pliant.dataset import Dataset, Partitions, partition_list
from pliant.errors import InvalidRequest, PliantError, describe, is_of_the_script, shorten
from pliant.leases import Leases
from pliant.shards import Offset

_logger = logging.getLogger("pliant")

PROTOCOL_VERSION = 1

BYE_TIMEOUT_S = 2.0
"""How long each word of the goodbye may take. Without it the worker counts as lost, which gives
its shards to others just as well: no reason to keep an ending process waiting."""

HURRIED_BYE_TIMEOUT_S = 0.5
"""The same after Ctrl-C in the middle of a request, whose answer may be seconds away."""

T = TypeVar("T")
Kind = Literal["table", "text", "stream"]
Shuffle = Literal["none", "shards", "records"]


@dataclass(frozen=True)
class Checkpoint:
    """How far every dataset of the job was at one moment, to be kept beside the model."""

    number: int
    ledger: Mapping[str, Any]
    """An object of JSON: store it as it is."""


class Job:
    """A worker's connection to its job; `pliant.init()` makes it."""

    def __init__(self, connection: Connection, name: str, worker: str) -> None:
        self._connection = connection
        self._name = name
        self._worker = worker
        self._leases: dict[str, Leases] = {}
        self._ending = threading.Lock()
        self._closed = False

    @classmethod
    def connect(cls, socket: str, worker: str) -> Job:
        """Open a connection to the agent at `socket` in the name of `worker`."""
        connection, hello = _greet(socket, worker)
        return cls(connection, str(hello.get("job", "")), str(hello.get("worker", worker)))

    def connect_again(self) -> Connection:
        """Open one more connection of this worker, for what has to wait beside the job's own."""
        self._check_open()
        return _greet(self.socket, self._worker)[0]

    @property
    def connection(self) -> Connection:
        """What the parts of this package speak through."""
        return self._connection

    @property
    def name(self) -> str:
        """The job, as NAMESPACE/NAME."""
        return self._name

    @property
    def worker(self) -> str:
        """The name of this worker, unique in the job."""
        return self._worker

    @property
    def socket(self) -> str:
        """Where the agent's socket is."""
        return self._connection.path

    @property
    def closed(self) -> bool:
        """Whether this worker has said goodbye."""
        return self._closed

    @property
    def forked(self) -> bool:
        """Whether this is a forked child's copy of its parent's job, which it may not use."""
        return self._connection.forked

    @overload
    def dataset(
        self,
        name: str,
        *,
        size: int,
        kind: Literal["table", "text"] = ...,
        shard_size: int | None = ...,
        batch_size: int | None = ...,
        epochs: int = ...,
        shuffle: Shuffle = ...,
        seed: int = ...,
        max_retries: int = ...,
        read: None = ...,
    ) -> Dataset[int]: ...

    @overload
    def dataset(
        self,
        name: str,
        *,
        kind: Literal["stream"],
        partitions: Partitions | None = ...,
        shard_size: int,
        max_retries: int = ...,
        read: None = ...,
    ) -> Dataset[Offset]: ...

    @overload
    def dataset(
        self,
        name: str,
        *,
        size: int | None = ...,
        kind: Kind = ...,
        partitions: Partitions | None = ...,
        shard_size: int | None = ...,
        batch_size: int | None = ...,
        epochs: int = ...,
        shuffle: Shuffle = ...,
        seed: int = ...,
        max_retries: int = ...,
        read: Callable[..., T],
    ) -> Dataset[T]: ...

    def dataset(
        self,
        name: str,
        *,
        size: int | None = None,
        kind: Kind = "table",
        partitions: Partitions | None = None,
        shard_size: int | None = None,
        batch_size: int | None = None,
        epochs: int = 1,
        shuffle: Shuffle = "none",
        seed: int = 0,
        max_retries: int = 3,
        read: Callable[..., Any] | None = None,
    ) -> Dataset[Any]:
        """Register a dataset, or find the one that another worker registered alike.

        Give `size` records (of a `table`, whose shards are ranges, or a `text`, whose shards list
        their records), or `partitions` of a `stream`. Give `shard_size` to loop over it, each
        worker at its own speed, or `batch_size` to commit it in steps. `read(number)`, for a
        stream `read(partition, offset)`, turns a record's number into what the loops yield.
        """
        source: dict[str, Any] = {"name": name, "kind": kind}
        if kind == "stream":
            _check_without(name, kind, "size", size)
            source["partitions"] = partition_list(partitions or {})
        else:
            _check_without(name, kind, "partitions", partitions)
            source["size"] = _needed(name, "size", size)
        spec = {
            **source,
            **_consumption(name, shard_size, batch_size),
            "epochs": epochs,
            "shuffle": shuffle,
            "seed": seed,
        }
        if shard_size is not None:
            spec["max_retries"] = max_retries
        self._check_open()
        self._connection.ask("dataset", {"spec": spec}, until="created")
        leases = self._leases.setdefault(name, Leases(self._connection, name))
        return Dataset(self._connection, leases, spec, read)

    def checkpoint(self) -> Checkpoint:
        """Take a checkpoint of every dataset's ledger; what this worker reported before is in it.

        Keep `ledger` beside the model that was saved at the same moment.
        """
        self._check_open()
        for leases in list(self._leases.values()):
            leases.flush_reports()
        answer = self._connection.ask("checkpoint", None, until="number")
        return Checkpoint(int(answer["number"]), answer["ledger"])

    def restore(
        self, checkpoint: int | Checkpoint | Mapping[str, Any], *, take_over: bool = False
    ) -> int:
        """Bring the ledgers of a checkpoint back, by number, by ledger or whole.

        All leases given before are void, for every worker: shards in hand count no more. A ledger
        that another job took, or an earlier one of the same name, is refused, unless `take_over`
        says that its records count as done: they are then counted as taken over. Returns the number
        of the lineage that begins here.
        """
        self._check_open()
        if isinstance(checkpoint, Checkpoint):
            which: dict[str, Any] = {"ledger": checkpoint.ledger}
        elif isinstance(checkpoint, int):
            which = {"number": checkpoint}
        else:
            which = {"ledger": dict(checkpoint)}
        if take_over:
            which["take_over"] = True
        answer = self._connection.ask("restore", which, until="lineage")
        for leases in list(self._leases.values()):
            leases.forget()
        return int(answer["lineage"])

    def close(self) -> None:
        """Say goodbye: all is done. What is still in hand is given back."""
        self._end(None)

    def fail(self, message: str) -> None:
        """Say goodbye because of an error."""
        self._end(message)

    def blame(self, error: BaseException) -> None:
        """Fail the shards that the current thread holds, because of an exception that ended it."""
        if self._closed or self.forked or not is_of_the_script(error):
            return
        for leases in list(self._leases.values()):
            leases.blame(describe(error))

    def __enter__(self) -> Job:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or (isinstance(error, SystemExit) and not error.code):
            self.close()
            return
        try:
            self.blame(error)
        except PliantError as trouble:
            _logger.warning("job %s: %s", self._name, trouble)
        self.fail(describe(error))

    def __repr__(self) -> str:
        return f"Job({self._name!r}, worker={self._worker!r})"

    def _end(self, message: str | None) -> None:
        with self._ending:
            if self._closed or self.forked:
                return
            self._closed = True
        bye = {"reason": "done"}
        if message is not None:
            bye = {"reason": "error", "message": shorten(message)}
        hurried = self._connection.interrupted
        hurry_s = HURRIED_BYE_TIMEOUT_S if hurried else BYE_TIMEOUT_S
        try:
            for leases in list(self._leases.values()):
                leases.end(hurry_s)
            self._connection.request("bye", bye, hurry_s=hurry_s)
        except PliantError as error:
            level = logging.DEBUG if hurried else logging.WARNING
            _logger.log(level, "worker '%s' could not say goodbye: %s", self._worker, error)
        finally:
            self._connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise PliantError(
                "CLOSED", f"job {self._name} is closed here; open it again by pliant.init()."
            )


def _greet(socket: str, worker: str) -> tuple[Connection, Mapping[str, Any]]:
    connection = Connection(socket)
    try:
        hello = connection.ask(
            "hello",
            {"version": PROTOCOL_VERSION, "worker": worker, "pid": os.getpid()},
            until="job",
        )
        if hello.get("version") != PROTOCOL_VERSION:
            raise PliantError(
                "BAD_MESSAGE",
                f"the agent speaks version {hello.get('version')} of the protocol, this "
                f"package version {PROTOCOL_VERSION}; use the package that came with the "
                "agent (it is in front of PYTHONPATH).",
            )
    except BaseException:
        connection.close()
        raise
    return connection, hello


def _check_without(name: str, kind: str, field: str, value: object) -> None:
    if value is not None:
        raise InvalidRequest(
            "BAD_MESSAGE",
            f"dataset '{name}' is a {kind} and cannot have {field}; a table or text has a size, "
            "a stream has partitions.",
        )


def _needed(name: str, field: str, value: int | None) -> int:
    if value is None:
        raise InvalidRequest("BAD_MESSAGE", f"dataset '{name}' needs {field}=…, its records.")
    return value


def _consumption(name: str, shard_size: int | None, batch_size: int | None) -> dict[str, int]:
    if shard_size is not None and batch_size is None:
        return {"shard_size": shard_size}
    if batch_size is not None and shard_size is None:
        return {"batch_size": batch_size}
    raise InvalidRequest(
        "BAD_MESSAGE",
        f"dataset '{name}' needs either shard_size=… (loops, each worker at its own speed) or "
        "batch_size=… (steps committed in order).",
    )
