"""One connection to the agent: frames of JSON over a Unix socket, one request at a time.

A request may be interrupted at any moment by an exception of a signal handler (Ctrl-C). What was
begun then stays noted, and the next request first finishes it, so no byte and no answer is ever
mistaken for another's. Python runs signal handlers between two bytecodes only; hence a move of
bytes and its record are one call: `chunks.extend(map(socket.recv, …))`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from pliant.errors import AgentLost, InvalidRequest, PliantError, error_of

MAX_FRAME_BYTES = 16 * 1024 * 1024
ANSWER_TIMEOUT_S = 60.0
"""An agent answers within 10 s, if only by "wait"; one that does not in this time is lost."""

MASTER_TIMEOUT_S = 900.0
"""The same for what needs the master's own word: an agent may wait for a master that is away."""

CONNECT_TIMEOUT_S = 10.0
WAIT_PAUSE_S = 0.01
"""A breath between two askings: other threads get their turn, and no agent can make us spin."""

_CHUNK_BYTES = 256 * 1024
_LENGTH = struct.Struct(">I")

Answer = dict[str, Any]


@dataclass
class _Exchange:
    """A request that is under way: how far it is sent, and what has come of its answer."""

    number: int
    op: str
    frame: bytes
    receive: Callable[[Answer], None] | None
    posted: bool = False
    sent: list[int] = field(default_factory=list)
    chunks: list[bytes] = field(default_factory=list)

    def unsent(self) -> memoryview:
        return memoryview(self.frame)[sum(self.sent) :][:_CHUNK_BYTES]

    def answer_length(self) -> int | None:
        """Return how many bytes the answer has, once its head is there."""
        if sum(map(len, self.chunks)) < _LENGTH.size:
            return None
        head = self.chunks[0]
        if len(head) < _LENGTH.size:
            head = b"".join(self.chunks)
        return int(_LENGTH.unpack_from(head)[0])

    def answer(self) -> bytes | None:
        """Return the answer, once it is there as a whole."""
        length = self.answer_length()
        if length is None or sum(map(len, self.chunks)) < _LENGTH.size + length:
            return None
        return b"".join(self.chunks)[_LENGTH.size :]


class Connection:
    """Sends requests and gives their answers, to any number of threads, one after the other."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._requesting: FrameType | None = None
        self._exchange: _Exchange | None = None
        self._last_number = 0
        self._lost: str | None = None
        self._socket = _connect(path)
        _on_fork(self)

    @property
    def path(self) -> str:
        """Where the agent's socket is."""
        return self._path

    @property
    def forked(self) -> bool:
        """Whether this is a child's copy of its parent's connection."""
        return os.getpid() != self._pid

    @property
    def interrupted(self) -> bool:
        """Whether a request was begun that nobody waits for any more."""
        exchange = self._exchange
        return exchange is not None and not exchange.posted and self._requesting is None

    def request(
        self,
        op: str,
        fields: Mapping[str, Any] | None = None,
        *,
        receive: Callable[[Answer], None] | None = None,
        patience_s: float = ANSWER_TIMEOUT_S,
        hurry_s: float | None = None,
    ) -> Answer:
        """Send one request and return its answer, or raise the error that it holds.

        `receive` is given the answer as soon as it is there, also where this call was interrupted
        and a later one found it; it may be given it twice. An agent that takes longer than
        `patience_s` is lost; `hurry_s` bounds, besides, the time that other threads may take.
        """
        self._check_process()
        if hurry_s is None:
            with self._lock:
                return self._request(op, fields or {}, receive, patience_s)
        if not self._lock.acquire(timeout=hurry_s):
            raise PliantError(
                "BUSY", f"another thread has kept the connection for {hurry_s:g} s; ask again."
            )
        try:
            return self._request(op, fields or {}, receive, hurry_s)
        finally:
            self._lock.release()

    def post(self, op: str, fields: Mapping[str, Any] | None = None) -> None:
        """Send one request without waiting for its answer, which the next request collects.

        An error in that answer is raised then, by the next request or post.
        """
        self._check_process()
        with self._lock:
            self._request(op, fields or {}, None, ANSWER_TIMEOUT_S, posted=True)

    def ask(self, op: str, fields: Mapping[str, Any] | None, *, until: str) -> Answer:
        """Repeat a request for as long as the agent says "wait" in place of the field `until`."""
        while True:
            answer = self.request(op, fields, patience_s=MASTER_TIMEOUT_S)
            if until in answer or answer.get("state") != "wait":
                return answer
            time.sleep(WAIT_PAUSE_S)

    def close(self) -> None:
        """Close the socket. Without a `bye` before it, the agent takes the worker for lost."""
        if self._lost is None:
            self._lost = "this process has closed its connection to the agent"
        self._socket.close()

    def hang_up(self) -> None:
        """From any thread: end the connection under a request that may be waiting on it."""
        if self._lost is None:
            self._lost = "this process has closed its connection to the agent"
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _request(
        self,
        op: str,
        fields: Mapping[str, Any],
        receive: Callable[[Answer], None] | None,
        timeout_s: float,
        posted: bool = False,
    ) -> Answer:
        if self._is_nested():
            raise PliantError(
                "BUSY",
                "the job was used inside its own request, as from a signal handler; "
                "let the handler set a flag or raise an exception instead.",
            )
        deadline = time.monotonic() + timeout_s
        try:
            self._requesting = sys._getframe()
            self._check_alive()
            self._finish_last(deadline)
            self._last_number += 1
            frame = _encode({"id": self._last_number, "op": op, **fields})
            self._exchange = _Exchange(self._last_number, op, frame, receive, posted)
            if posted:
                self._send_whole(self._exchange, deadline)
                return {}
            answer = self._finish(self._exchange, deadline)
        finally:
            self._requesting = None
        if answer.get("ok") is not True:
            raise _error_in(answer)
        return answer

    def _is_nested(self) -> bool:
        """Tell whether this thread is inside a request already, below a signal handler.

        A mark alone would not do: the exception of a handler can keep it from being wiped out.
        """
        if self._requesting is None:
            return False
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame is not self._requesting:
            frame = frame.f_back
        return frame is not None

    def _finish_last(self, deadline: float) -> None:
        """Finish what an earlier call began: it was posted, or interrupted."""
        last = self._exchange
        if last is None:
            return
        answer = self._finish(last, deadline)
        if last.posted and answer.get("ok") is not True:
            raise _error_in(answer)

    def _send_whole(self, exchange: _Exchange, deadline: float) -> None:
        while exchange.unsent():
            self._wait(select.POLLOUT, exchange, deadline)
            self._send(exchange)

    def _finish(self, exchange: _Exchange, deadline: float) -> Answer:
        self._send_whole(exchange, deadline)
        payload = exchange.answer()
        while payload is None:
            self._wait(select.POLLIN, exchange, deadline)
            self._receive(exchange)
            payload = exchange.answer()
        answer = self._decode(payload)
        if answer.get("id") != exchange.number:
            self._end(f"the agent answered request {answer.get('id')}, not {exchange.number}")
            if answer.get("ok") is False:
                raise _error_in(answer)
            self._check_alive()
        if exchange.receive is not None and answer.get("ok") is True:
            exchange.receive(answer)
        self._exchange = None
        return answer

    def _wait(self, event: int, exchange: _Exchange, deadline: float) -> None:
        poll = select.poll()
        poll.register(self._socket, event)
        left_s = deadline - time.monotonic()
        if not poll.poll(max(0.0, left_s) * 1000):
            self._end(f"the agent at {self._path} did not answer '{exchange.op}' in time")
            self._check_alive()

    def _send(self, exchange: _Exchange) -> None:
        try:
            exchange.sent.extend(map(self._socket.send, (exchange.unsent(),)))
        except BlockingIOError:
            return
        except OSError:  # it may have said why before it closed: read on
            exchange.sent.append(len(exchange.frame))

    def _receive(self, exchange: _Exchange) -> None:
        try:
            exchange.chunks.extend(map(self._socket.recv, (_CHUNK_BYTES,)))
        except BlockingIOError:
            return
        except OSError:
            exchange.chunks.append(b"")
        if not exchange.chunks[-1]:
            self._end(
                f"the agent at {self._path} closed the connection during '{exchange.op}'; "
                "what this worker held goes to others"
            )
        length = exchange.answer_length()
        if length is not None and length > MAX_FRAME_BYTES:
            self._end(f"the agent sent a frame of {length:,} bytes, more than {MAX_FRAME_BYTES:,}")
        self._check_alive()

    def _decode(self, payload: bytes) -> Answer:
        try:
            answer = json.loads(payload)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._end("the agent sent a frame that is no JSON object")
            raise self._lost_error()
        return answer

    def _end(self, why: str) -> None:
        self._lost = why
        self._socket.close()

    def _check_alive(self) -> None:
        if self._lost is not None:
            raise self._lost_error()

    def _lost_error(self) -> AgentLost:
        return AgentLost("AGENT_LOST", f"{self._lost}.")

    def _check_process(self) -> None:
        if self.forked:
            raise PliantError(
                "FORKED",
                f"process {os.getpid()} was forked from worker process {self._pid} and may not use "
                "its connection; open one of its own by pliant.init(worker='ANOTHER-NAME'), or "
                "leave the job to the parent.",
            )

    def _forget(self) -> None:
        """In a forked child: let go of the socket, else the parent's death would not be seen."""
        self._socket.close()


def _connect(path: str) -> socket.socket:
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        agent.settimeout(CONNECT_TIMEOUT_S)
        agent.connect(path)
        agent.setblocking(False)
    except OSError as error:
        agent.close()
        raise AgentLost(
            "AGENT_LOST",
            f"cannot connect to the agent's socket {path}: {error}; is the agent running?",
        ) from error
    except BaseException:
        agent.close()
        raise
    return agent


def _on_fork(connection: Connection) -> None:
    reference = weakref.ref(connection)

    def forget() -> None:
        known = reference()
        if known is not None:
            known._forget()

    os.register_at_fork(after_in_child=forget)


def _encode(message: Mapping[str, Any]) -> bytes:
    try:
        payload = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidRequest(
            "BAD_MESSAGE", f"'{message['op']}' holds a value that JSON does not have: {error}."
        ) from error
    if len(payload) > MAX_FRAME_BYTES:
        raise InvalidRequest(
            "TOO_MANY",
            f"'{message['op']}' would take {len(payload):,} bytes, at most {MAX_FRAME_BYTES:,} "
            "fit into a message.",
        )
    return _LENGTH.pack(len(payload)) + payload


def _error_in(answer: Answer) -> PliantError:
    error = answer.get("error")
    if not isinstance(error, dict):
        error = {}
    return error_of(
        str(error.get("code", "INTERNAL")),
        str(error.get("message", "the agent refused a request and did not say why.")),
    )
