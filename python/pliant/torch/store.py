"""Where the members of a group tell each other their addresses: torch's Store, by plain sockets.

Torch's own TCPStore would do, but for its failures: its client may take the process down with it
when the server dies (1.13), and tries a dead server for minutes. Here every wait has a bound, and
another thread can break it off.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from datetime import timedelta
from typing import Any

import torch.distributed as dist

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
MAX_KEYS = 100_000
GRACE_S = 5.0
"""What an answer may take beyond the time that was asked for."""

_LENGTH = struct.Struct(">I")

Message = dict[str, Any]


class StoreLost(RuntimeError):
    """The store of the group is gone, with the process that kept it or by our own doing."""


class StoreServer:
    """Keeps keys and values for whoever connects, from its making on and as long as it lives."""

    def __init__(self, host: str) -> None:
        is_local = host in ("localhost", "::1") or host.startswith("127.")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._values: dict[str, bytes] = {}
        self._changed = threading.Condition()
        self._listener = socket.create_server(
            (host if is_local else "", 0), family=family, backlog=1024
        )
        name = f"[{host}]" if ":" in host else host
        self.address = f"{name}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, name="pliant-store", daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                request = _receive(client)
                if request is None:
                    return
                _send(client, self._answer(request))

    def _answer(self, request: Message) -> Message:
        op, keys = request["op"], [str(key) for key in request["keys"]]
        with self._changed:
            if op == "wait":
                there = self._changed.wait_for(
                    lambda: all(key in self._values for key in keys), float(request["timeout_s"])
                )
                return {"there": there}
            if op == "get":
                return {"value": self._values[keys[0]].hex()}
            if op == "check":
                return {"there": all(key in self._values for key in keys)}
            if op == "count":
                return {"count": len(self._values)}
            if op == "delete":
                return {"there": self._values.pop(keys[0], None) is not None}
            return self._change(op, keys[0], request)

    def _change(self, op: str, key: str, request: Message) -> Message:
        before = self._values.get(key)
        if op == "set":
            after = bytes.fromhex(request["value"])
        elif op == "add":
            after = str(int(before or b"0") + int(request["amount"])).encode()
        elif op == "compare_set":
            expected, desired = bytes.fromhex(request["expected"]), bytes.fromhex(request["value"])
            swaps = before == expected or (before is None and not expected)
            after = desired if swaps else (before if before is not None else expected)
        else:
            raise ValueError(op)
        if before is None and len(self._values) >= MAX_KEYS:
            raise ValueError("too many keys")
        self._values[key] = after
        self._changed.notify_all()
        return {"value": after.hex()}


class StoreClient(dist.Store):
    """One member's side of a store, as torch calls it."""

    def __init__(self, host: str, port: int, connect_timeout_s: float, timeout_s: float) -> None:
        super().__init__()
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._broken = False
        try:
            self._socket = socket.create_connection((host, port), connect_timeout_s)
        except OSError as error:
            raise StoreLost(
                f"the store of the group at {host}:{port} is not there: {error}"
            ) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def break_off(self) -> None:
        """From any thread: let what waits here fail."""
        self._broken = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection."""
        self.break_off()
        self._socket.close()

    # What torch calls

    def set(self, key: str, value: str | bytes) -> None:
        """Store a value."""
        self._ask({"op": "set", "keys": [key], "value": _bytes(value).hex()})

    def get(self, key: str) -> bytes:
        """Return a value, once it is there."""
        self.wait([key])
        return bytes.fromhex(self._ask({"op": "get", "keys": [key]})["value"])

    def add(self, key: str, amount: int) -> int:
        """Add to a number, and return the sum."""
        answer = self._ask({"op": "add", "keys": [key], "amount": amount})
        return int(bytes.fromhex(answer["value"]))

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Replace a value if it is the expected one; return what is there then."""
        values = {"expected": _bytes(expected).hex(), "value": _bytes(desired).hex()}
        answer = self._ask({"op": "compare_set", "keys": [key], **values})
        return bytes.fromhex(answer["value"])

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Return once all keys are there."""
        timeout_s = self._timeout_s if timeout is None else timeout.total_seconds()
        request = {"op": "wait", "keys": list(keys), "timeout_s": timeout_s}
        if not self._ask(request, timeout_s)["there"]:
            raise StoreLost(f"timed out waiting {timeout_s:g} s for a member's word: {keys}")

    def check(self, keys: list[str]) -> bool:
        """Tell whether all keys are there."""
        return bool(self._ask({"op": "check", "keys": list(keys)})["there"])

    def delete_key(self, key: str) -> bool:
        """Remove a key, and tell whether it was there."""
        return bool(self._ask({"op": "delete", "keys": [key]})["there"])

    def num_keys(self) -> int:
        """Return how many keys there are."""
        return int(self._ask({"op": "count", "keys": []})["count"])

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long `get` and `wait` wait."""
        self._timeout_s = timeout.total_seconds()

    def _ask(self, request: Message, timeout_s: float = 0) -> Message:
        with self._lock:
            try:
                self._socket.settimeout(timeout_s + GRACE_S)
                _send(self._socket, request)
                answer = _receive(self._socket)
            except (OSError, ValueError) as error:
                raise StoreLost(f"the store of the group is lost: {error}") from error
        if answer is None:
            why = "it was broken off" if self._broken else "whoever kept it is gone"
            raise StoreLost(f"the store of the group is lost: {why}")
        return answer


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _send(connection: socket.socket, message: Message) -> None:
    payload = json.dumps(message, separators=(",", ":")).encode()
    connection.sendall(_LENGTH.pack(len(payload)) + payload)


def _receive(connection: socket.socket) -> Message | None:
    head = _exactly(connection, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length:,} bytes")
    payload = _exactly(connection, length)
    if payload is None:
        return None
    message = json.loads(payload)
    if not isinstance(message, dict):
        raise TypeError("no object of JSON")
    return message


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    received = bytearray()
    while len(received) < count:
        chunk = connection.recv(count - len(received))
        if not chunk:
            return None
        received += chunk
    return bytes(received)
