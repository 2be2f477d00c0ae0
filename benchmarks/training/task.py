"""What is trained, the same for every side: a network of three layers on made-up data."""

import json
import os
import time

import torch
from torch import nn

RECORDS = 1 << 16
FEATURES = 256
CLASSES = 10
BATCH = 96
"""Records in a global batch: it can be cut alike for two, three and four members."""


def data() -> tuple[torch.Tensor, torch.Tensor]:
    """Return the same records in every process."""
    chance = torch.Generator().manual_seed(7)
    features = torch.randn(RECORDS, FEATURES, generator=chance)
    labels = (features @ torch.randn(FEATURES, CLASSES, generator=chance)).argmax(dim=1)
    return features, labels


def network() -> nn.Module:
    """Return the same untrained network in every process."""
    torch.manual_seed(11)
    return nn.Sequential(
        nn.Linear(FEATURES, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, CLASSES)
    )


class Trace:
    """Notes when each step was complete, by rank 0 of each group: what the driver measures by."""

    def __init__(self) -> None:
        name = f"{os.uname().nodename}-{os.getpid()}.jsonl"  # each pod counts its processes anew
        path = os.path.join(os.environ["TRACE"], name)
        self._file = open(path, "a", buffering=1)  # noqa: SIM115 - open for the life of the process

    def step(self, number: int, group: str, size: int) -> None:
        """Note that a step is complete."""
        line = {"at": time.time(), "step": number, "group": group, "size": size, "pid": os.getpid()}
        self._file.write(json.dumps(line) + "\n")
