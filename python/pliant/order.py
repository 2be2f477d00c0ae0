"""The seeded order of a dataset's records: which records a step trains on.

The same as the master's (`dev.pliant.model.Permutation`), so that what was trained can be named by
numbers alone, on both sides; golden vectors hold the two together. Computed, never stored: every
position by itself, in constant time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ROUNDS = 8
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB
MASK_64 = (1 << 64) - 1


def mix(value: int) -> int:
    """Return what SplitMix64's finaliser makes of 64 bits."""
    value = ((value ^ (value >> 30)) * FIRST_FACTOR) & MASK_64
    value = ((value ^ (value >> 27)) * SECOND_FACTOR) & MASK_64
    return value ^ (value >> 31)


class Permutation:
    """A random order of 0 to size - 1: a Feistel network over the next power of two.

    A value that falls outside is permuted again until it falls inside.
    """

    def __init__(self, size: int, seed: int, epoch: int) -> None:
        if size < 1:
            raise ValueError(f"nothing to permute: size {size}")
        bits = max(2, (size - 1).bit_length())
        left_bits = bits // 2
        self.size = size
        self.right_bits = bits - left_bits
        self.left_mask = (1 << left_bits) - 1
        self.right_mask = (1 << self.right_bits) - 1
        state = mix(seed & MASK_64) ^ mix((epoch + GOLDEN_GAMMA) & MASK_64)
        keys = []
        for _ in range(ROUNDS):
            state = (state + GOLDEN_GAMMA) & MASK_64
            keys.append(mix(state))
        self.keys = tuple(keys)

    def at(self, position: int) -> int:
        """Return what stands at a position."""
        if not 0 <= position < self.size:
            raise IndexError(f"{position} of {self.size}")
        value = self._permute(position)
        while value >= self.size:
            value = self._permute(value)
        return value

    def _permute(self, value: int) -> int:
        left, right = value >> self.right_bits, value & self.right_mask
        for i in range(0, ROUNDS, 2):
            left ^= mix(right ^ self.keys[i]) & self.left_mask
            right ^= mix(left ^ self.keys[i + 1]) & self.right_mask
        return (left << self.right_bits) | right


@dataclass(frozen=True)
class StepOrder:
    """Where the steps of a dataset lie: step i of an epoch is records [i·B, (i+1)·B) of its order.

    The last step of an epoch has what is left.
    """

    size: int
    batch_size: int
    epochs: int
    shuffled: bool
    seed: int

    @staticmethod
    def of(spec: Mapping[str, Any]) -> StepOrder:
        """Read it from a dataset's spec."""
        return StepOrder(
            size=int(spec["size"]),
            batch_size=int(spec["batch_size"]),
            epochs=int(spec.get("epochs", 1)),
            shuffled=spec.get("shuffle") == "records",
            seed=int(spec.get("seed", 0)),
        )

    @property
    def steps_per_epoch(self) -> int:
        """How many steps an epoch has."""
        return -(-self.size // self.batch_size)

    def bounds(self, step: int) -> tuple[int, int]:
        """Return the first position of a step in its epoch's order, and the one after its last."""
        if not 0 <= step < self.steps_per_epoch:
            raise IndexError(f"step {step} of {self.steps_per_epoch}")
        start = step * self.batch_size
        return start, min(self.size, start + self.batch_size)

    def after(self, epoch: int, step: int) -> tuple[int, int]:
        """Return the epoch and step that follow."""
        return (epoch + 1, 0) if step + 1 == self.steps_per_epoch else (epoch, step + 1)

    def before(self, epoch: int, step: int) -> tuple[int, int]:
        """Return the epoch and step that come before; there must be one."""
        if (epoch, step) <= (0, 0):
            raise IndexError("there is no step before the first")
        return (epoch, step - 1) if step else (epoch - 1, self.steps_per_epoch - 1)

    def permutation(self, epoch: int) -> Permutation | None:
        """Return the order of an epoch's records; None where they come as they are."""
        return Permutation(self.size, self.seed, epoch) if self.shuffled else None

    def records(self, epoch: int, start: int, end: int) -> list[int]:
        """Return the numbers of the records at positions `start` to `end` - 1 of an epoch."""
        permutation = self.permutation(epoch)
        if permutation is None:
            return list(range(start, end))
        return [permutation.at(position) for position in range(start, end)]


def micro_batches(start: int, end: int, count: int, rank: int, size: int) -> list[tuple[int, int]]:
    """Return the micro-batches of a step that a rank computes, as bounds of positions.

    A step is cut into `count` micro-batches of equal length, the first ones longer by one where it
    does not come out even. Of `size` ranks each computes ⌊count/size⌋ of them, one more where its
    rank is below the remainder; those without any record are left out. Who computes which follows
    from world and rank alone, and what is computed does not depend on either.
    """
    each, more = divmod(count, size)
    first = rank * each + min(rank, more)
    length, longer = divmod(end - start, count)
    bounds = []
    for number in range(first, first + each + (rank < more)):
        begin = start + number * length + min(number, longer)
        finish = begin + length + (number < longer)
        if begin < finish:
            bounds.append((begin, finish))
    return bounds
