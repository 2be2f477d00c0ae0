"""What this process holds of one dataset, and what it still has to say about it."""

from __future__ import annotations

import _thread
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pliant.connection import WAIT_PAUSE_S, Answer, Connection
from pliant.errors import DatasetFailed, NotFound, PliantError, shorten
from pliant.shards import Shard

_logger = logging.getLogger("pliant")

GRACE_S = 1.0
"""How long a shard whose loop was dropped is kept: the exception that dropped it, if there is one,
reaches the interpreter's hook in this time, and then the shard has failed and is not given back."""

MAX_REPORTS = 4096
"""As many as one message may hold."""

_TRY_AGAIN = ("BUSY", "OVERLOADED", "JOURNAL_STALLED", "FENCED", "STOPPING")

_Key = tuple[int, int]
_Report = dict[str, Any]


class Nothing(Enum):
    """Why there is no shard."""

    NOW = "others hold what is left, or a stream has nothing new: ask again"
    EVER = "every record of every epoch is done"


@dataclass
class _Held:
    shard: Shard
    thread: int
    dropped_at: float | None = None

    def is_given_back(self) -> bool:
        """Whether its loop was dropped, and not by an exception that is still on its way."""
        if self.dropped_at is None:
            return False
        same_thread = self.thread == threading.get_ident()
        return same_thread or time.monotonic() - self.dropped_at >= GRACE_S


class Leases:
    """The shards of one dataset in this process, from their lease to the report.

    Reports go through an outbox. So a report that was interrupted is sent by the next request, and
    a finaliser, which may run inside another request, need not send anything itself.
    """

    def __init__(self, connection: Connection, dataset: str) -> None:
        self._connection = connection
        self._dataset = dataset
        self._held: dict[_Key, _Held] = {}
        self._spare: dict[_Key, Shard] = {}
        self._outbox: deque[_Report] = deque()
        self._unflushed = False
        self._giving_back = False

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self._dataset

    def ask(self) -> Shard | Nothing:
        """Ask for a shard, for some seconds at most."""
        self.settle()
        if not self._spare:
            answer = self._connection.request(
                "next", {"dataset": self._dataset}, receive=self._receive
            )
            state = answer.get("state")
            if state == "wait":
                time.sleep(WAIT_PAUSE_S)
                return Nothing.NOW
            if state == "end":
                return Nothing.EVER
            if state == "failed":
                raise self._failure(answer)
            if state != "shard":
                raise PliantError("BAD_MESSAGE", f"the agent answered 'next' by state {state!r}.")
        try:
            key = next(iter(self._spare))
            shard = self._spare.pop(key)
        except (StopIteration, KeyError, RuntimeError):  # another thread was quicker
            return Nothing.NOW
        self._held[key] = _Held(shard, threading.get_ident())
        return shard

    def done(self, shards: Iterable[Shard]) -> None:
        """Report shards as trained; those that are reported already are left out."""
        self._report(shards, "done")

    def fail(self, shards: Iterable[Shard], cause: str) -> None:
        """Report shards as failed, which uses up one retry of each."""
        self._report(shards, "failed", shorten(cause))

    def give_back(self, shards: Iterable[Shard]) -> None:
        """Give shards back untrained, which uses up no retries."""
        self._report(shards, "returned")

    def check_held(self, shard: Shard) -> None:
        """Refuse a shard that is not, or no longer, in this process's hands."""
        if (shard.number, shard.lease) not in self._held:
            raise NotFound(
                "UNKNOWN_LEASE",
                f"shard {shard.number} (lease {shard.lease}) of dataset '{self._dataset}' is not "
                "in hand: it is reported already, or it is another dataset's.",
            )

    def drop(self, shards: Iterable[Shard]) -> None:
        """Note that the loop over these shards is gone, without a word on why.

        Safe in a finaliser: it takes no lock and sends nothing.
        """
        if self._connection.forked:
            return
        found = False
        for shard in shards:
            held = self._held.get((shard.number, shard.lease))
            if held is not None:
                held.dropped_at = time.monotonic()
                found = True
        if found and not self._giving_back:
            self._giving_back = True
            try:
                _thread.start_new_thread(self._give_back_later, ())
            except RuntimeError:  # the interpreter is ending, which gives everything back anyway
                self._giving_back = False

    def blame(self, cause: str) -> None:
        """Fail all that the current thread holds: an exception has ended it."""
        mine = threading.get_ident()
        self.fail([held.shard for held in list(self._held.values()) if held.thread == mine], cause)

    def flush(self) -> None:
        """Return once every report is on the master's disk."""
        self.settle()
        while True:
            answer = self._connection.request(
                "flush", {"dataset": self._dataset}, receive=self._receive
            )
            if answer.get("state") != "wait":
                self._unflushed = False
                return
            time.sleep(WAIT_PAUSE_S)

    def flush_reports(self) -> None:
        """Flush if anything was reported since the last time."""
        if self._unflushed or self._outbox:
            self.flush()

    def settle(self) -> None:
        """Give back what was dropped and send what is in the outbox."""
        held = list(self._held.values())
        self._put([each.shard for each in held if each.is_given_back()], "returned")
        self._deliver()

    def end(self, hurry_s: float) -> None:
        """Give back all that is left, before the process says goodbye."""
        self._put([held.shard for held in list(self._held.values())], "returned")
        for key in list(self._spare):
            self._outbox.append(_report(self._spare.pop(key), "returned"))
        self._deliver(hurry_s)

    def forget(self) -> None:
        """Let go of everything without a report: a checkpoint was restored, no lease counts."""
        self._held.clear()
        self._spare.clear()
        self._outbox.clear()

    def _report(self, shards: Iterable[Shard], fate: str, cause: str | None = None) -> None:
        self._put(shards, fate, cause)
        self._deliver()

    def _put(self, shards: Iterable[Shard], fate: str, cause: str | None = None) -> None:
        for shard in shards:
            if self._held.pop((shard.number, shard.lease), None) is not None:
                self._outbox.append(_report(shard, fate, cause))

    def _deliver(self, hurry_s: float | None = None) -> None:
        while self._outbox:
            reports: list[_Report] = []
            try:
                while self._outbox and len(reports) < MAX_REPORTS:
                    reports.append(self._outbox.popleft())
                self._send(reports, hurry_s)
            except BaseException as error:
                if not isinstance(error, PliantError) or error.code in _TRY_AGAIN:
                    self._outbox.extendleft(reversed(reports))  # saying it twice changes nothing
                raise

    def _send(self, reports: list[_Report], hurry_s: float | None) -> None:
        self._unflushed = True
        message = {"dataset": self._dataset, "reports": reports}
        try:
            self._connection.request("report", message, receive=self._receive, hurry_s=hurry_s)
        except NotFound as unknown:
            if len(reports) > 1:  # one that is not known must not keep the others back
                for report in reports:
                    with contextlib.suppress(NotFound):
                        self._send([report], hurry_s)
            raise unknown from None

    def _receive(self, answer: Answer) -> None:
        if answer.get("state") == "shard":
            shard = Shard.parse(answer.get("shard", {}))
            self._spare[shard.number, shard.lease] = shard
        for refused in answer.get("refused", ()):
            _logger.warning(
                "dataset '%s': the report on shard %s was refused: %s",
                self._dataset,
                refused.get("number"),
                refused.get("message"),
            )

    def _failure(self, answer: Answer) -> DatasetFailed:
        failure = answer.get("failure", {})
        return DatasetFailed(
            self._dataset,
            int(failure.get("shard", -1)),
            str(failure.get("worker", "")),
            str(failure.get("cause", "")),
        )

    def _give_back_later(self) -> None:
        """Run in a thread of its own until nothing is left that was dropped."""
        try:
            while any(held.dropped_at is not None for held in list(self._held.values())):
                time.sleep(GRACE_S)
                self.settle()
        except PliantError as error:
            _logger.debug("dataset '%s': not given back now: %s", self._dataset, error)
        finally:
            self._giving_back = False


def _report(shard: Shard, fate: str, cause: str | None = None) -> _Report:
    report: _Report = {"number": shard.number, "lease": shard.lease, "fate": fate}
    if cause is not None:
        report["cause"] = cause
    return report
