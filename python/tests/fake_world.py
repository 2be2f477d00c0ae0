"""A rendezvous in memory: the part of the master that forms worlds, as the SDK can see it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Message = dict[str, Any]


@dataclass
class Member:
    """A process that has arrived and has not left."""

    worker: str
    seniority: int
    waiting: bool = True
    holds_state: bool = False
    address: str = ""
    released: bool = False
    since: float | None = None


@dataclass
class FakeRendezvous:
    """Forms worlds of all that wait, oldest with state first; the caller guards it by a lock."""

    wish: int = 1
    min: int = 1
    max: int = 4
    last_call_s: float = 0.2
    abort_after_s: float = 0.5
    leave_out_after_s: float = 2.0
    version: int = 0
    members: dict[str, Member] = field(default_factory=dict)
    world: list[str] = field(default_factory=list)
    address: str = ""
    worlds: list[list[str]] = field(default_factory=list)
    closed: Message | None = None
    excluded: dict[str, str] = field(default_factory=dict)
    reform: int = 0
    why: str = ""
    first_arrival: float | None = None
    _wanted_at: float = math.inf
    _seniority: Any = field(default_factory=count)

    def arrive(self, worker: str, after: int, holds_state: bool, address: str) -> None:
        if self.closed is not None or (worker in self.excluded and after):
            return
        self.excluded.pop(worker, None)
        member = self.members.get(worker)
        if member is None:
            member = self.members[worker] = Member(worker, next(self._seniority))
        elif worker in self.world and after < self.version:
            return  # it has not yet heard of the world it is in
        member.waiting, member.holds_state, member.address = True, holds_state, address

    def leave(self, worker: str, finished: bool) -> None:
        if self.members.pop(worker, None) is None:
            return
        if worker in self.world:
            if finished:
                self.closed = {"state": "closed", "complete": True, "why": "training is complete"}
            else:
                self._want(1, f"{worker} is gone")

    def drain(self, worker: str) -> None:
        self.members[worker].released = True
        self._want(1, f"{worker} is to go")

    def lose(self, worker: str) -> None:
        """Give a member up that is not heard of any more."""
        if self.members.pop(worker, None) is not None:
            self.excluded[worker] = "no heartbeat"
            if worker in self.world:
                self._want(2, f"{worker} is lost")

    def answer(self, worker: str) -> Message | None:
        """What a member that waits is told; None while it has to wait on."""
        if self.closed is not None:
            return self.closed
        if worker in self.excluded:
            return {"state": "excluded", "why": self.excluded[worker]}
        member = self.members.get(worker)
        if member is None or member.waiting:
            return None
        if member.released:
            del self.members[worker]
            return {"state": "released", "why": "scaled down"}
        rank, size = self.world.index(worker), len(self.world)
        return {
            "state": "world",
            "world": {
                "version": self.version,
                "rank": rank,
                "size": size,
                "local_rank": 0,
                "local_size": 1,
                "node_rank": rank,
                "nodes": size,
                "address": self.address,
                "max_size": self.max,
            },
        }

    def word(self, worker: str, world: int, seen: int) -> Message | None:
        """What is to be said of a world's end beyond what was seen; None if nothing is."""
        told = 2 if world < self.version else self.reform
        if told <= seen:
            return None
        return {"state": "reform", "abort": told == 2, "why": self.why}

    def decide(self, now: float) -> tuple[bool, float]:
        """Do what is due; tell whether anything changed, and when to look again."""
        if self.closed is not None:
            return False, math.inf
        waiting = [member for member in self.members.values() if member.waiting]
        inside = [self.members[name] for name in self.world if name in self.members]
        if any(member.waiting for member in inside):
            self.first_arrival = now if self.first_arrival is None else self.first_arrival
            self._want(1, "a member's collective failed")
        newcomers = [member for member in waiting if member.worker not in self.world]
        for member in newcomers:
            member.since = now if member.since is None else member.since
        changed, deadline = self._judge_late(inside, now)
        called = min((m.since for m in newcomers if m.since is not None), default=math.inf)
        all_here = len(self.members) >= self.wish
        due = called if all_here else called + self.last_call_s
        if self.world and newcomers and len(inside) < self.max and not self.reform:
            if now >= due:
                self._want(1, "somebody joins")
                changed = True
            deadline = min(deadline, due)
        ready = self.reform and all(m.waiting or m.worker not in self.members for m in inside)
        if not self.world:
            ready = all_here or (len(waiting) >= self.min and now >= due)
            deadline = min(deadline, due)
        if ready:
            changed |= self._form(waiting)
        return changed, max(deadline, now + 0.001)

    def _judge_late(self, inside: list[Member], now: float) -> tuple[bool, float]:
        if self.first_arrival is None:
            return False, math.inf
        late = [member for member in inside if not member.waiting]
        if late and now >= self.first_arrival + self.leave_out_after_s:
            for member in late:
                del self.members[member.worker]
                self.excluded[member.worker] = "it did not come in time"
                inside.remove(member)
            return True, math.inf
        if late and now >= self.first_arrival + self.abort_after_s and self.reform < 2:
            self._want(2, self.why)
            return True, self.first_arrival + self.leave_out_after_s
        after = self.abort_after_s if self.reform < 2 else self.leave_out_after_s
        return False, self.first_arrival + after

    def _form(self, waiting: list[Member]) -> bool:
        going = [member for member in waiting if member.released]
        for member in going:
            member.waiting = False
        staying = sorted(
            (member for member in waiting if not member.released),
            key=lambda member: (not member.holds_state, member.seniority),
        )[: self.max]
        if len(staying) < self.min:
            return bool(going)
        self.version += 1
        self.world = [member.worker for member in staying]
        self.worlds.append(self.world)
        self.address = staying[0].address
        for member in staying:
            member.waiting, member.since = False, None
        self.reform, self.first_arrival = 0, None
        return True

    def _want(self, reform: int, why: str) -> None:
        if reform > self.reform:
            self.reform, self.why = reform, why
