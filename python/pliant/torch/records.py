"""The seeded order, many records at once: what `pliant.order` computes, with torch's arithmetic."""

from __future__ import annotations

import torch

from pliant.order import FIRST_FACTOR, ROUNDS, SECOND_FACTOR, Permutation, StepOrder

CHUNK = 1 << 16
"""Records whose numbers are computed at once, ahead of the steps that need them."""


def permuted(permutation: Permutation, positions: torch.Tensor) -> torch.Tensor:
    """Return what stands at each of some positions (int64)."""
    values = _permute(permutation, positions)
    outside = values >= permutation.size
    while bool(outside.any()):
        values[outside] = _permute(permutation, values[outside])
        outside = values >= permutation.size
    return values


class Records:
    """The numbers of a dataset's records, in the order in which its steps train on them."""

    def __init__(self, order: StepOrder) -> None:
        self._order = order
        self._epoch = -1
        self._first = 0
        self._chunk = torch.empty(0, dtype=torch.int64)
        self._permutation: Permutation | None = None

    def numbers(self, epoch: int, start: int, end: int) -> torch.Tensor:
        """Return the numbers of the records at positions `start` to `end` - 1 of an epoch."""
        if not self._order.shuffled:
            return torch.arange(start, end)
        if epoch != self._epoch:
            self._permutation = self._order.permutation(epoch)
            self._epoch, self._first = epoch, 0
            self._chunk = torch.empty(0, dtype=torch.int64)
        if start < self._first or end > self._first + len(self._chunk):
            self._compute(start, max(end, min(start + CHUNK, self._order.size)))
        return self._chunk[start - self._first : end - self._first].clone()

    def _compute(self, start: int, end: int) -> None:
        assert self._permutation is not None
        self._chunk = permuted(self._permutation, torch.arange(start, end))
        self._first = start


def _permute(permutation: Permutation, values: torch.Tensor) -> torch.Tensor:
    bits = permutation.right_bits
    left, right = values >> bits, values & permutation.right_mask
    for i in range(0, ROUNDS, 2):
        left = left ^ (_mix(right ^ _signed(permutation.keys[i])) & permutation.left_mask)
        right = right ^ (_mix(left ^ _signed(permutation.keys[i + 1])) & permutation.right_mask)
    return (left << bits) | right


def _mix(values: torch.Tensor) -> torch.Tensor:
    values = (values ^ _shifted(values, 30)) * _signed(FIRST_FACTOR)
    values = (values ^ _shifted(values, 27)) * _signed(SECOND_FACTOR)
    return values ^ _shifted(values, 31)


def _shifted(values: torch.Tensor, bits: int) -> torch.Tensor:
    """Shift 64 bits right without keeping the sign, which torch's int64 would."""
    return (values >> bits) & ((1 << (64 - bits)) - 1)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
