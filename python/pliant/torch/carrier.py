"""How a wish to re-form and the loss travel with the gradients, at no cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from pliant.errors import InvalidRequest

LossOf = Callable[[Any], torch.Tensor]

MAX_NUMBERS = 64


class Carrier(nn.Module):
    """The user's model, and a parameter whose gradient carries values through the all-reduce.

    The values are given as the gradient of `signal`, beside that of the loss, and come back summed
    over all members. It is zero, belongs to no optimizer and to no state.
    """

    REFORM, LOSS = 0, 1

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        first = next(iter(model.parameters()))
        wide = first.dtype in (torch.float32, torch.float64)
        self.signal = nn.Parameter(
            torch.zeros(2, dtype=first.dtype if wide else torch.float32, device=first.device)
        )
        self._numbers: dict[tuple[float, torch.dtype], torch.Tensor] = {}

    def forward(self, loss_of: LossOf, batch: Any, carries: bool) -> list[torch.Tensor]:
        """Return what to differentiate: the loss of a micro-batch, and what carries the values."""
        loss = loss_of(batch)
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            raise InvalidRequest(
                "BAD_MESSAGE",
                "the function given to step.run must return the mean loss of its batch, a tensor "
                f"with one number, not {type(loss).__name__} "
                f"{tuple(loss.shape) if isinstance(loss, torch.Tensor) else ''}.",
            )
        if loss.dim():
            loss = loss.reshape(())
        return [loss, self.signal.view(2)] if carries else [loss]

    def backward(
        self, outputs: list[torch.Tensor], weight: float, told: float, before: torch.Tensor | None
    ) -> torch.Tensor:
        """Make the gradients of a loss that counts `weight`, and carry the values where it does.

        Return the weighted loss, with what came before it. It runs in every step, and each
        operation of torch costs as much as a hundred lines of Python: hence so few.
        """
        loss = outputs[0]
        value = loss.detach()
        if value.dtype != self.signal.dtype or value.device != self.signal.device:
            value = value.to(self.signal)
        value = value * weight
        if before is not None:
            value = value + before
        gradients = [self._number(weight, loss)]
        if len(outputs) > 1:
            gradients.append(torch.stack((self._number(told, self.signal), value)))
        if not loss.requires_grad:  # nothing to learn from: all of the batch may be masked
            outputs, gradients = outputs[1:], gradients[1:]
        if outputs:
            torch.autograd.backward(outputs, gradients)
        return value

    def _number(self, value: float, like: torch.Tensor) -> torch.Tensor:
        """Return a number as a tensor that is only ever read."""
        key = (value, like.dtype)
        known = self._numbers.get(key)
        if known is None or known.device != like.device:
            if len(self._numbers) >= MAX_NUMBERS:
                self._numbers.clear()
            known = self._numbers[key] = torch.full((), value, dtype=like.dtype, device=like.device)
        return known
