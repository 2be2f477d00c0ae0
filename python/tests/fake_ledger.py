"""What became of a dataset's records, in memory: the part of the master that the SDK can see."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]

NAME = re.compile(r"[A-Za-z0-9._/-]{1,253}")


class Refusal(Exception):
    """A request that is answered by an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Out:
    """A shard that is with a worker."""

    worker: str
    lease: int
    connection: int


@dataclass
class Ledger:
    """One dataset, consumed by shards or by steps."""

    spec: Message
    cursor: int = 0
    back: list[int] = field(default_factory=list)
    out: dict[int, Out] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    leases: dict[int, int] = field(default_factory=dict)
    failures: dict[int, int] = field(default_factory=dict)
    failure: Message | None = None
    partitions: dict[str, list[int]] = field(default_factory=dict)
    ranges: list[tuple[str, int, int]] = field(default_factory=list)
    closed: bool = False
    epoch: int = 0
    step: int = 0
    world: int = 0

    @staticmethod
    def create(spec: Message) -> Ledger:
        check_spec(spec)
        ledger = Ledger(spec)
        for partition in spec.get("partitions", ()):
            ledger.partitions[partition["name"]] = [partition["start"], partition["end"]]
        return ledger

    # Shards

    def lease(self, worker: str, connection: int) -> Message:
        self._check_by("shard_size")
        if self.failure is not None:
            return {"state": "failed", "failure": self.failure}
        number = self._take()
        if number is None:
            return {"state": "end" if self._is_over() else "wait"}
        lease = self.leases.get(number, 0) + 1
        self.leases[number] = lease
        self.out[number] = Out(worker, lease, connection)
        return {"state": "shard", "shard": {"number": number, "lease": lease, **self._at(number)}}

    def report(self, worker: str, report: Message) -> str | None:
        """Take a report; a sentence says why it is refused."""
        number, lease = report["number"], report["lease"]
        out = self.out.get(number)
        if number in self.done and self.leases.get(number) == lease:
            return None
        if out is None or out.lease != lease or out.worker != worker:
            return f"shard {number} is no longer with '{worker}'."
        del self.out[number]
        if report["fate"] == "done":
            self.done.add(number)
        elif report["fate"] == "returned":
            self._give_back(number)
        else:
            self.charge(number, worker, report.get("cause", ""))
        return None

    def charge(self, number: int, worker: str, cause: str) -> None:
        self.failures[number] = self.failures.get(number, 0) + 1
        if self.failures[number] > self.spec.get("max_retries", 3):
            self.failure = {"shard": number, "worker": worker, "cause": cause}
        self._give_back(number)

    def lose(self, connection: int, charged_to: str | None) -> None:
        """Take back what went out by a connection that has ended."""
        for number, out in sorted(self.out.items(), reverse=True):
            if out.connection == connection:
                del self.out[number]
                if charged_to is None:
                    self._give_back(number)
                else:
                    self.charge(number, out.worker, charged_to)

    def grow(self, partitions: list[Message], closed: bool) -> None:
        if self.spec["kind"] != "stream":
            raise Refusal("WRONG_CONSUMPTION", "only a stream grows.")
        for partition in partitions:
            known = self.partitions.get(partition["name"])
            if self.closed and (known is None or partition["end"] > known[1]):
                raise Refusal("BAD_PARTITION", "the stream was closed.")
        for partition in partitions:
            known = self.partitions.setdefault(
                partition["name"], [partition["start"], partition["end"]]
            )
            known[1] = max(known[1], partition["end"])
        self.closed = self.closed or closed

    # Steps

    def commit(self, epoch: int, step: int, world: int) -> Message:
        self._check_by("batch_size")
        steps = -(-self.spec["size"] // self.spec["batch_size"])
        if epoch >= self.spec.get("epochs", 1) or step >= steps:
            raise Refusal("OUT_OF_RANGE", f"there is no step {step} of epoch {epoch}.")
        if (epoch, step) < (self.epoch, self.step):
            outcome = "repeated"
        elif world < self.world:
            outcome = "old_world"
        elif (epoch, step) > (self.epoch, self.step):
            outcome = "gap"
        else:
            outcome = "committed"
            self.world = world
            last = step + 1 == steps
            self.epoch, self.step = (epoch + 1, 0) if last else (epoch, step + 1)
        return {"outcome": outcome, "next_epoch": self.epoch, "next_step": self.step}

    def commit_through(self, epoch: int, step: int, world: int, newest: int) -> Message:
        """Commit every step up to this one, in the name of a world that is still the newest."""
        steps = -(-self.spec["size"] // self.spec["batch_size"])
        answer = self.commit(epoch, step, world)
        if answer["outcome"] in ("committed", "gap") and world < newest:
            answer["outcome"] = "old_world"
        while answer["outcome"] in ("gap", "committed") and (self.epoch, self.step) <= (
            epoch,
            step,
        ):
            self.commit(self.epoch, self.step, world)
            answer["outcome"] = "committed"
        assert self.step < steps
        return answer

    # The whole

    def progress(self) -> Message:
        size = self.spec.get("size", 0)
        epochs = self.spec.get("epochs", 1)
        if "batch_size" in self.spec:
            done = self.epoch * size + self.step * self.spec["batch_size"]
            over = self.epoch >= epochs
            return _progress(done, 0, epochs * size - done, self.epoch, over, self.step)
        done = sum(self._count(number) for number in self.done)
        out = sum(self._count(number) for number in self.out)
        fresh = sum(end - next_ for next_, end in self.partitions.values())
        if self.spec["kind"] != "stream":
            fresh = size * epochs - sum(self._count(number) for number in range(self.cursor))
        waiting = fresh + sum(self._count(number) for number in self.back)
        answer = _progress(done, out, waiting, self._oldest_epoch(), self._is_over(), 0)
        if self.failure is not None:
            answer["state"] = "failed"
        elif not waiting and not self._is_over():
            answer["state"] = "wait"
        return answer

    def kept(self) -> Ledger:
        """Copy it for a checkpoint: what is out counts as not begun."""
        kept = copy.deepcopy(self)
        kept.back = sorted(set(kept.back) | set(kept.out))
        kept.out = {}
        return kept

    def _take(self) -> int | None:
        if self.back:
            return self.back.pop(0)
        if self.spec["kind"] == "stream" and not self._cut():
            return None
        if self.spec["kind"] != "stream" and self.cursor >= self._parts():
            return None
        self.cursor += 1
        return self.cursor - 1

    def _cut(self) -> bool:
        for name, bounds in self.partitions.items():
            if bounds[0] < bounds[1]:
                end = min(bounds[0] + self.spec["shard_size"], bounds[1])
                self.ranges.append((name, bounds[0], end))
                bounds[0] = end
                return True
        return False

    def _give_back(self, number: int) -> None:
        self.back = sorted([*self.back, number])

    def _parts_of_epoch(self) -> int:
        return -(-int(self.spec["size"]) // int(self.spec["shard_size"]))

    def _parts(self) -> int:
        return self._parts_of_epoch() * int(self.spec.get("epochs", 1))

    def _is_over(self) -> bool:
        if self.spec["kind"] == "stream":
            left = any(next_ < end for next_, end in self.partitions.values())
            return self.closed and not left and len(self.done) == self.cursor
        return len(self.done) == self._parts()

    def _oldest_epoch(self) -> int:
        if self.spec["kind"] == "stream":
            return int(self._is_over())
        parts, epoch = self._parts_of_epoch(), 0
        while epoch < self.spec.get("epochs", 1) and all(
            number in self.done for number in range(epoch * parts, (epoch + 1) * parts)
        ):
            epoch += 1
        return epoch

    def _count(self, number: int) -> int:
        at = self._at(number)
        return len(at["records"]) if "records" in at else int(at["end"] - at["start"])

    def _at(self, number: int) -> Message:
        if self.spec["kind"] == "stream":
            name, start, end = self.ranges[number]
            return {"epoch": 0, "start": start, "end": end, "partition": name}
        epoch, part = divmod(number, self._parts_of_epoch())
        chance = random.Random(f"{self.spec.get('seed', 0)}/{epoch}")
        records = list(range(self.spec["size"]))
        parts = list(range(self._parts_of_epoch()))
        if self.spec.get("shuffle") == "records":
            chance.shuffle(records)
        elif self.spec.get("shuffle") == "shards":
            chance.shuffle(parts)
        start = parts[part] * self.spec["shard_size"]
        end = min(start + self.spec["shard_size"], self.spec["size"])
        if self.spec["kind"] == "text":
            return {"epoch": epoch, "records": records[start:end]}
        return {"epoch": epoch, "start": start, "end": end}

    def _check_by(self, consumption: str) -> None:
        if consumption not in self.spec:
            raise Refusal("WRONG_CONSUMPTION", f"'{self.spec['name']}' is consumed the other way.")


def _progress(done: int, out: int, waiting: int, epoch: int, over: bool, step: int) -> Message:
    return {
        "records_done": done,
        "records_out": out,
        "records_waiting": waiting,
        "epoch": epoch,
        "state": "end" if over else "open",
        "next_step": step,
    }


def check_spec(spec: Message) -> None:
    for code, message in _faults(spec):
        raise Refusal(code, f"dataset '{spec.get('name', '')!s:.40}': {message}")


def _faults(spec: Message) -> Iterator[tuple[str, str]]:
    stream = spec["kind"] == "stream"
    part: int = spec["shard_size"] if "shard_size" in spec else spec["batch_size"]
    if NAME.fullmatch(spec["name"]) is None:
        yield "BAD_NAME", "that is no name."
    if not stream and spec["size"] < 1:
        yield "BAD_DATASET_SIZE", f"{spec['size']} records."
    if part < 1 or (not stream and part > spec["size"]):
        yield "BAD_SHARD_SIZE", f"shards of {part} records."
    if not 0 <= spec.get("max_retries", 3) <= 100:
        yield "BAD_RETRIES", f"{spec['max_retries']} retries."
    if spec.get("epochs", 1) < 1 or (stream and spec.get("epochs", 1) > 1):
        yield "BAD_EPOCHS", f"{spec['epochs']} epochs."
    shuffle = spec.get("shuffle", "none")
    if shuffle not in ("none", "shards", "records"):
        yield "BAD_MESSAGE", f"no shuffle is called {shuffle}."
    if stream and shuffle != "none":
        yield "BAD_SHUFFLE", "a stream is read in its own order."
    if spec["kind"] == "table" and shuffle == "records" and "shard_size" in spec:
        yield "BAD_SHUFFLE", "a shard of a table is a range."
    for partition in spec.get("partitions", ()):
        if not 0 <= partition["start"] <= partition["end"]:
            yield "BAD_PARTITION", f"partition '{partition['name']}' ends before it starts."
