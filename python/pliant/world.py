"""Worlds: the group of processes that train together, as the agent tells of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pliant.connection import Connection
from pliant.errors import AgentLost, PliantError

ASK_AGAIN_S = 0.5


@dataclass(frozen=True)
class World:
    """A group of processes, and this one's place in it."""

    version: int
    rank: int
    size: int
    local_rank: int
    local_size: int
    node_rank: int
    nodes: int
    host: str
    port: int
    max_size: int

    @staticmethod
    def read(fields: Mapping[str, Any]) -> World:
        """Read it from an agent's answer."""
        host, _, port = str(fields["address"]).rpartition(":")
        return World(
            version=int(fields["version"]),
            rank=int(fields["rank"]),
            size=int(fields["size"]),
            local_rank=int(fields.get("local_rank", 0)),
            local_size=int(fields.get("local_size", 1)),
            node_rank=int(fields.get("node_rank", fields["rank"])),
            nodes=int(fields.get("nodes", fields["size"])),
            host=host.strip("[]"),
            port=int(port),
            max_size=int(fields.get("max_size", fields["size"])),
        )


@dataclass(frozen=True)
class NoWorld:
    """Why this process is in no world."""

    state: str
    """`released` (it was asked to go), `excluded` (it was given up and may begin anew) or
    `closed` (there will be no further world)."""
    why: str
    complete: bool
    """With `closed`: whether the training is complete."""


def next_world(
    connection: Connection, after: int, holds_state: bool, address: str
) -> World | NoWorld:
    """Wait for the world after the one this process was in."""
    arrival = {"after": after, "holds_state": holds_state, "address": address}
    answer = connection.ask("world", arrival, until="world")
    state = answer.get("state")
    if state == "world":
        return World.read(answer["world"])
    if state in ("released", "excluded", "closed"):
        complete = bool(answer.get("complete", False))
        return NoWorld(str(state), str(answer.get("why", "")), complete)
    raise PliantError("BAD_MESSAGE", f"the agent answered 'world' by state {state!r}.")


class Watch:
    """Listens, on a connection and in a thread of its own, for the end of one world.

    `on_word` is called in that thread each time there is more to know than before.
    """

    NOTHING, REFORM, ABORT = 0, 1, 2

    def __init__(
        self, connection: Connection, world: int, on_word: Callable[[], None] | None = None
    ) -> None:
        self._connection = connection
        self._world = world
        self._on_word = on_word
        self._closed = False
        self._changed = threading.Condition()
        self._seen = self.NOTHING
        self._why = ""
        self._lost: AgentLost | None = None
        self._thread = threading.Thread(target=self._listen, name="pliant-watch", daemon=True)
        self._thread.start()

    @property
    def seen(self) -> int:
        """What was heard: 0 nothing, 1 that the world is to end, 2 at once."""
        return self._seen

    @property
    def why(self) -> str:
        """Why the world is to end, for people."""
        return self._why

    @property
    def lost(self) -> AgentLost | None:
        """What is wrong with the agent, if it is gone."""
        return self._lost

    def wait_for_word(self, timeout_s: float) -> bool:
        """Wait until anything is heard of the world's end; tell whether it was."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._seen > self.NOTHING or self._lost is not None, timeout_s
            )

    def close(self) -> None:
        """Stop listening. The job's own connection stays, so the worker does."""
        self._closed = True
        self._connection.hang_up()

    def _listen(self) -> None:
        while not self._closed and self._seen < self.ABORT:
            try:
                answer = self._connection.request(
                    "watch", {"world": self._world, "seen": self._seen}
                )
            except AgentLost as lost:
                if not self._closed:
                    self._tell(self._seen, "", lost)
                break
            except PliantError:  # the agent cannot say now
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, ASK_AGAIN_S)
                continue
            if answer.get("state") == "reform":
                seen = self.ABORT if answer.get("abort") else self.REFORM
                self._tell(max(seen, self._seen), str(answer.get("why", "")), None)
        self._connection.close()

    def _tell(self, seen: int, why: str, lost: AgentLost | None) -> None:
        with self._changed:
            self._seen, self._why, self._lost = seen, why or self._why, lost
            self._changed.notify_all()
        if self._on_word is not None and not self._closed:
            self._on_word()
