"""What both scripts of this example share: the data, the network, the options."""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy

DATA = Path(__file__).parent / "digits.csv.gz"
TEST_EVERY = 6
"""Every sixth picture is kept from the training, to test on."""


@dataclass(frozen=True)
class Pictures:
    """Pictures of 8x8 pixels, each with the digit that it shows."""

    images: torch.Tensor
    labels: torch.Tensor

    def __len__(self) -> int:
        return len(self.labels)


class Network(nn.Module):
    """Two convolutions, two dense layers: 39,000 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, 64),
            nn.ReLU(),
            nn.Linear(64, 10),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return for each picture how much it looks like each digit."""
        scores: torch.Tensor = self.layers(images)
        return scores


def load() -> tuple[Pictures, Pictures]:
    """Read the pictures to train on, and those to test on."""
    with gzip.open(DATA, "rt") as file:
        rows = [[float(value) for value in row] for row in csv.reader(file)]
    table = torch.tensor(rows)
    pictures = Pictures(table[:, :64].reshape(-1, 1, 8, 8) / 16, table[:, 64].long())
    test = torch.arange(len(pictures)) % TEST_EVERY == 0
    return (
        Pictures(pictures.images[~test], pictures.labels[~test]),
        Pictures(pictures.images[test], pictures.labels[test]),
    )


def loss_of(
    model: nn.Module, train: Pictures, batch: torch.Tensor, options: argparse.Namespace
) -> torch.Tensor:
    """Return the mean loss of some pictures, and take the time that a larger model would."""
    time.sleep(options.delay_ms * len(batch) / 1000)
    return cross_entropy(model(train.images[batch]), train.labels[batch])


def accuracy(model: nn.Module, test: Pictures) -> float:
    """Return which part of the test's pictures the model reads rightly."""
    with torch.no_grad():
        right = (model(test.images).argmax(1) == test.labels).float().mean()
    return float(right)


def arguments() -> argparse.Namespace:
    """Read the options; each may be given by the environment too."""
    parser = argparse.ArgumentParser(description="Learn to read handwritten digits.")
    for name, kind, default, meaning in (
        ("epochs", int, "60", "how often all pictures are trained on"),
        ("batch-size", int, "64", "pictures in a step, by all workers together"),
        ("delay-ms", float, "1", "time that each picture takes on top, for a larger model"),
        ("seed", int, "1", "of the order of pictures and of the first weights"),
    ):
        variable = f"DIGITS_{name.upper().replace('-', '_')}"
        parser.add_argument(
            f"--{name}",
            type=kind,
            default=os.environ.get(variable, default),
            help=f"{meaning} ({variable}, %(default)s)",
        )
    return parser.parse_args()
