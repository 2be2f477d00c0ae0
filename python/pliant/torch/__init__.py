"""Pliant for PyTorch: datasets for its DataLoader, and training that changes its size."""

from __future__ import annotations

from pliant.errors import PliantError


class NoTorch(PliantError, ImportError):
    """PyTorch is not installed."""


try:
    import torch as _torch  # noqa: F401 (only whether it is there)
except ImportError as missing:
    raise NoTorch(
        "NO_TORCH",
        f"this needs PyTorch, which cannot be imported here ({missing}); install torch, or loop "
        "over dataset.batches(n), which needs nothing.",
    ) from missing

from pliant.torch.elastic import Elastic  # noqa: E402 (after the word on torch)
from pliant.torch.loader import PliantIterableDataset  # noqa: E402
from pliant.torch.step import Step  # noqa: E402

__all__ = ["Elastic", "NoTorch", "PliantIterableDataset", "Step"]
