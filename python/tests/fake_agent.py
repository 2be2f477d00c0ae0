"""An agent and its master in one small server: a real Unix socket, docs/socket-protocol.md, and a
ledger in memory. The contract tests hold it to what the real ones do."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import struct
import threading
import time
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fake_ledger import Ledger, Message, Refusal
from fake_world import FakeRendezvous

JOB = "default/fake"
MAX_FRAME_BYTES = 16 * 1024 * 1024

Scripted = Callable[[Message], Message]


class Cut(Exception):
    """Raised by a scripted answer to close the connection instead of answering."""


class FakeAgent:
    """Serves every connection in a thread of its own; `changed` guards all that they share."""

    def __init__(
        self, path: Path, wait_s: float = 0.05, rendezvous: FakeRendezvous | None = None
    ) -> None:
        self.socket = str(path)
        self.wait_s = wait_s
        self.changed = threading.Condition()
        self.requests: list[Message] = []
        self.rendezvous = rendezvous or FakeRendezvous()
        self._of_worker: dict[str, set[int]] = defaultdict(set)
        self._finished: set[str] = set()
        self.connections = 0
        self.stepped: list[Message] = []
        self._listening = True
        self._ledgers: dict[str, Ledger] = {}
        self._checkpoints: dict[int, dict[str, Ledger]] = {}
        self._lineage = 0
        self._script: dict[str, deque[Scripted]] = defaultdict(deque)
        self._open: set[socket.socket] = set()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(self.socket)
        self._server.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    # For tests

    def script(self, op: str, *answers: Message | Scripted) -> None:
        """Answer the next requests of this kind so, instead of from the ledger."""
        for answer in answers:
            self._script[op].append(answer if callable(answer) else _always(answer))

    def of(self, op: str) -> list[Message]:
        """All requests of a kind so far."""
        with self.changed:
            return [request for request in self.requests if request.get("op") == op]

    def reports(self) -> list[tuple[int, str]]:
        """All reports so far: shard and fate."""
        return [
            (report["number"], report["fate"])
            for request in self.of("report")
            for report in request["reports"]
        ]

    def wait_for(self, op: str, count: int = 1, timeout_s: float = 20) -> list[Message]:
        """Wait until so many requests of a kind have come."""
        with self.changed:
            came = self.changed.wait_for(
                lambda: sum(r.get("op") == op for r in self.requests) >= count, timeout_s
            )
        assert came, f"{count} '{op}' have not come in {timeout_s} s"
        return self.of(op)

    def close(self) -> None:
        self._listening = False
        with contextlib.suppress(OSError):  # closed before
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        with self.changed:
            self.changed.notify_all()
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive()

    # The server

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            with self.changed:
                self._open.add(connection)
                self.connections += 1
                serve = threading.Thread(target=self._serve, args=(connection, self.connections))
                self._threads.append(serve)
            serve.start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        worker = ""
        said_bye = False
        try:
            for request in _requests(connection):
                with self.changed:
                    self.requests.append(request)
                    self.changed.notify_all()
                answer = self._answer(request, worker, number)
                if answer.get("ok") and request["op"] == "hello":
                    worker = request["worker"]
                    with self.changed:
                        self._of_worker[worker].add(number)
                if answer.get("ok") and request["op"] == "bye":
                    said_bye = True
                _send(connection, answer)
                if said_bye:
                    break
        except (Cut, OSError):
            pass
        finally:
            with self.changed:
                if not said_bye:
                    self._lose(number, None)
                self._open.discard(connection)
                self._part(worker, number)
            connection.close()

    def _answer(self, request: Message, worker: str, connection: int) -> Message:
        op = str(request.get("op"))
        number = {"id": request.get("id")}
        try:
            if self._script[op]:
                return {**number, "ok": True, **self._script[op].popleft()(request)}
            if not worker and op != "hello":
                raise Refusal("BAD_MESSAGE", "a connection begins with 'hello'.")
            handle = getattr(self, f"_on_{op}", None)
            if handle is None:
                raise Refusal("BAD_MESSAGE", f"no request is called '{op}'.")
            return {**number, "ok": True, **handle(request, worker, connection)}
        except Refusal as refusal:
            error = {"code": refusal.code, "message": str(refusal)}
            return {**number, "ok": False, "error": error}
        except (KeyError, TypeError) as fault:
            error = {"code": "BAD_MESSAGE", "message": f"'{op}' cannot be read: {fault!r}."}
            return {**number, "ok": False, "error": error}

    def _part(self, worker: str, connection: int) -> None:
        """Note that a connection has ended; a worker ends with the last of them."""
        mine = self._of_worker[worker]
        mine.discard(connection)
        if not mine:
            self.rendezvous.leave(worker, worker in self._finished)
            self._finished.discard(worker)
        self.changed.notify_all()

    def _lose(self, connection: int, cause: str | None) -> None:
        for ledger in self._ledgers.values():
            ledger.lose(connection, cause)
        self.changed.notify_all()

    def _ledger(self, request: Message) -> Ledger:
        ledger = self._ledgers.get(request["dataset"])
        if ledger is None:
            raise Refusal("UNKNOWN_DATASET", f"there is no dataset '{request['dataset']}'.")
        return ledger

    # The requests

    def _on_hello(self, request: Message, worker: str, connection: int) -> Message:
        if request["version"] != 1:
            raise Refusal("BAD_MESSAGE", f"version {request['version']} is not spoken here.")
        return {"version": 1, "job": JOB, "worker": request["worker"]}

    def _on_dataset(self, request: Message, worker: str, connection: int) -> Message:
        spec = request["spec"]
        with self.changed:
            known = self._ledgers.get(spec["name"])
            if known is None:
                self._ledgers[spec["name"]] = Ledger.create(spec)
            elif known.spec != spec:
                raise Refusal("DATASET_EXISTS", f"'{spec['name']}' is there with other parameters.")
        return {"created": known is None}

    def _on_next(self, request: Message, worker: str, connection: int) -> Message:
        until = time.monotonic() + self.wait_s
        with self.changed:
            while True:
                answer = self._ledger(request).lease(worker, connection)
                left = until - time.monotonic()
                if answer["state"] != "wait" or left <= 0:
                    return answer
                self.changed.wait(left)

    def _on_report(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            ledger = self._ledger(request)
            refused = []
            for report in request["reports"]:
                message = ledger.report(worker, report)
                if message is not None:
                    refused.append({"number": report["number"], "message": message})
            self.changed.notify_all()
        return {"refused": refused} if refused else {}

    def _on_flush(self, request: Message, worker: str, connection: int) -> Message:
        self._ledger(request)
        return {"state": "flushed"}

    def _on_grow(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            self._ledger(request).grow(request["partitions"], request["closed"])
            self.changed.notify_all()
        return {}

    def _on_commit_step(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            return self._ledger(request).commit(request["epoch"], request["step"], request["world"])

    def _on_progress(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            return self._ledger(request).progress()

    def _on_checkpoint(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            number = len(self._checkpoints) + 1
            kept = {name: ledger.kept() for name, ledger in self._ledgers.items()}
            self._checkpoints[number] = kept
        encoded = json.dumps({"kept": number}).encode()
        return {
            "number": number,
            "ledger": {
                "job": JOB,
                "number": number,
                "uid": "",
                "run": 0,
                "lineage": self._lineage,
                "ledgers": base64.b64encode(encoded).decode(),
                "crc32c": zlib.crc32(encoded),
            },
        }

    def _on_restore(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            for name, ledger in self._restored(request).items():
                kept = ledger.kept()
                kept.leases = dict(self._ledgers[name].leases)
                self._ledgers[name] = kept
            self._lineage += 1
            self.changed.notify_all()
        return {"lineage": self._lineage}

    def _restored(self, request: Message) -> dict[str, Ledger]:
        if request.get("number") == 0:
            return {name: Ledger.create(ledger.spec) for name, ledger in self._ledgers.items()}
        if "number" in request:
            if request["number"] not in self._checkpoints:
                raise Refusal("UNKNOWN_CHECKPOINT", f"no checkpoint {request['number']} is kept.")
            return self._checkpoints[request["number"]]
        ledger = request["ledger"]
        if ledger["job"] != JOB and not request.get("take_over"):
            raise Refusal("FOREIGN_CHECKPOINT", f"this is a checkpoint of job {ledger['job']}.")
        encoded = base64.b64decode(ledger["ledgers"])
        if zlib.crc32(encoded) != ledger["crc32c"]:
            raise Refusal("DAMAGED_CHECKPOINT", "the ledgers are not what was written.")
        return self._checkpoints[json.loads(encoded)["kept"]]

    def _on_bye(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            error = request["reason"] == "error"
            if not error:
                self._finished.add(worker)
            self._lose(connection, request.get("message", "") if error else None)
        return {}

    # Worlds

    def _on_world(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            self.rendezvous.arrive(
                worker, request["after"], request["holds_state"], request["address"]
            )
            return self._wait_for(lambda: self.rendezvous.answer(worker))

    def _on_watch(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            return self._wait_for(
                lambda: self.rendezvous.word(worker, request["world"], request["seen"])
            )

    def _wait_for(self, ask: Callable[[], Message | None]) -> Message:
        until = time.monotonic() + max(self.wait_s, 2)
        while True:
            changed, deadline = self.rendezvous.decide(time.monotonic())
            if changed:
                self.changed.notify_all()
            answer = ask()
            if answer is not None:
                return answer
            left = min(until, deadline) - time.monotonic()
            if until <= time.monotonic() or not self._listening:
                return {"state": "wait"}
            self.changed.wait(max(0.001, left))

    def _on_stepped(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            ledger = self._ledger(request)
            answer = ledger.commit_through(
                request["epoch"], request["step"], request["world"], self.rendezvous.version
            )
            self.stepped.append({**request, "outcome": answer["outcome"], "worker": worker})
            self.changed.notify_all()
        return {}

    def _on_settle(self, request: Message, worker: str, connection: int) -> Message:
        with self.changed:
            ledger = self._ledger(request)
            return {"state": "settled", "next_epoch": ledger.epoch, "next_step": ledger.step}

    def _on_activity(self, request: Message, worker: str, connection: int) -> Message:
        if request["name"] not in ("start", "wait", "sync", "train", "checkpoint"):
            raise Refusal("BAD_MESSAGE", f"no activity is called '{request['name']}'.")
        return {}


def _always(answer: Message) -> Scripted:
    return lambda _: answer


def _requests(connection: socket.socket) -> Iterator[Message]:
    while True:
        head = _exactly(connection, 4)
        if head is None:
            return
        (length,) = struct.unpack(">I", head)
        if length > MAX_FRAME_BYTES:
            _complain(connection, "TOO_MANY", "a frame has at most 16 MiB.")
            return
        request: Any = None
        with contextlib.suppress(ValueError):
            request = json.loads(_exactly(connection, length) or b"")
        if not isinstance(request, dict):
            _complain(connection, "BAD_MESSAGE", "a frame is a JSON object.")
            return
        yield request


def _complain(connection: socket.socket, code: str, message: str) -> None:
    _send(connection, {"id": None, "ok": False, "error": {"code": code, "message": message}})


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    chunks = bytearray()
    while len(chunks) < count:
        chunk = connection.recv(count - len(chunks))
        if not chunk:
            return None
        chunks += chunk
    return bytes(chunks)


def _send(connection: socket.socket, answer: Message) -> None:
    payload = json.dumps(answer).encode()
    connection.sendall(struct.pack(">I", len(payload)) + payload)
