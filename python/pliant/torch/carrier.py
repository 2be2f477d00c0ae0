"""How a wish to re-form and the loss travel with the gradients, at no cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from pliant.errors import InvalidRequest

LossOf = Callable[[Any], torch.Tensor]


class Carrier(nn.Module):
    """The user's model, and a parameter whose gradient carries values through the all-reduce.

    The loss gets the sum of `signal * values` added, so the gradient of `signal` *is* the values,
    and comes back summed over all members. It is zero, belongs to no optimizer and to no state.
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

    def forward(
        self, loss_of: LossOf, batch: Any, weight: float, size: int, carried: list[Any] | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what to differentiate, and this micro-batch's share of the step's loss."""
        loss = loss_of(batch)
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            raise InvalidRequest(
                "BAD_MESSAGE",
                "the function given to step.run must return the mean loss of its batch, a tensor "
                f"with one number, not {type(loss).__name__} "
                f"{tuple(loss.shape) if isinstance(loss, torch.Tensor) else ''}.",
            )
        loss = loss.reshape(())
        share = loss.detach().to(self.signal) * weight
        scaled = loss * (weight * size)
        if carried is not None:
            told, before = carried
            values = torch.empty_like(self.signal, requires_grad=False)
            values[self.REFORM] = told * size
            values[self.LOSS] = (share + before) * size
            scaled = scaled + torch.dot(self.signal, values).to(scaled)
        return scaled, share
