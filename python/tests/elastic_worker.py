"""A small training, as a script that the tests start, kill and stop: what it did is its output.

Every line is one event: `step NUMBER EPOCH STEP WORLD SIZE RANK LOSS RECORDS`, `end …`.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

import pliant
import pliant.torch


def main() -> None:
    options = json.loads(os.environ["WORKER_OPTIONS"])
    logging.basicConfig(level=logging.INFO, format="log %(message)s", stream=sys.stderr)
    torch.manual_seed(options.get("init", 0))
    torch.set_num_threads(1)
    size = options.get("size", 60)
    generator = torch.Generator().manual_seed(7)
    inputs = torch.randn(size, 5, generator=generator)
    targets = inputs @ torch.randn(5, 2, generator=generator) + 0.3
    model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2))
    if not options.get("norm", False):
        model = nn.Sequential(model[0], model[2], model[3])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 40, 0.9)
    job = pliant.init()
    data = job.dataset(
        "train",
        size=size,
        batch_size=options.get("batch", 16),
        epochs=options.get("epochs", 5),
        shuffle="records",
        seed=3,
    )
    elastic = pliant.torch.Elastic(
        job,
        model,
        optimizer,
        scheduler,
        micro_batches=options.get("micro", 4),
        checkpoint=options.get("checkpoint", False),
        timeout_s=20,
        max_retries=options.get("retries", 10),
    )
    arm(options.get("die_in"), options.get("die_rank", 0), options.get("die_world", 1))
    say("ready", os.getpid())

    def tell_gradients() -> None:
        gradients = [parameter.grad for parameter in model.parameters()]
        flat = torch.cat([g.flatten() for g in gradients if g is not None])
        say("gradients", *(f"{value:.9f}" for value in flat.tolist()))

    def loss_of(batch: torch.Tensor) -> torch.Tensor:
        if elastic.state.steps == options.get("fault_at", -1):
            raise RuntimeError("the script's own fault")
        return nn.functional.mse_loss(model(inputs[batch]), targets[batch])

    for step in elastic.steps(data):
        if "gate" in options:
            pause(Path(options["gate"]), step.number)
        tells = options.get("gradients", False)
        loss = step.run(loss_of, before_update=tell_gradients if tells else None)
        records = ",".join(map(str, step.records.tolist())) if step.epoch < 5000 else ""
        say(
            "step",
            step.number,
            step.epoch,
            step.step,
            elastic.world,
            elastic.size,
            elastic.rank,
            f"{loss:.9f}",
            records,
        )
        if step.number + 1 in options.get("kill_at", []):
            os.kill(os.getpid(), 9)
    total = sum(parameter.double().abs().sum().item() for parameter in model.parameters())
    batches = getattr(model[1], "num_batches_tracked", torch.zeros(()))
    say("batches", int(batches))
    say("end", elastic.rank, elastic.state.steps, f"{total:.9f}")


def pause(gate: Path, step: int) -> None:
    """Be slow until the gate is open, for what the test waits for is still to come.

    The first steps are soon there, because tests wait for them; those after them last for as long
    as a busy machine takes to start two more processes.
    """
    end = time.monotonic() + (0.25 if step < 6 else 1)
    while not gate.exists() and time.monotonic() < end:
        time.sleep(0.02)


def arm(stage: str | None, rank: int, world: int) -> None:
    """Die at a stage of becoming a world's member, as one rank of it."""
    if stage is None:
        return
    from pliant.torch import elastic, group, state

    def deadly(real: Any, place: Callable[[Any], group.Group]) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            at = place(arguments[0]).world
            if at.version == world and at.rank == rank:
                os.kill(os.getpid(), 9)
            return real(*arguments, **options)

        return call

    if stage == "join":
        group.Group.join = deadly(group.Group.join, lambda mine: mine)  # type: ignore[method-assign]
    elif stage == "agree":
        elastic.agree = deadly(state.agree, lambda mine: mine)  # type: ignore[attr-defined]
    elif stage == "transfer":
        state._broadcast = deadly(state._broadcast, lambda mine: mine)
    else:
        raise ValueError(stage)


def say(*words: object) -> None:
    print(*words, flush=True)


if __name__ == "__main__":
    main()
