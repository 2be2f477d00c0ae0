"""Train a small network and write down, for each step, its records and its loss.

TRACE is a folder: every process appends to a file of its own there, a line for each step. It is
slow until there is a file `hurry`: it lasts as long as what is tried on it, and ends soon after.
"""

import json
import os
import time

import pliant
import pliant.torch
import torch
from torch import nn
from torch.nn.functional import cross_entropy

RECORDS = 1_000
EPOCHS = 20
HURRY = os.path.join(os.environ["TRACE"], "hurry")


def main() -> None:
    """Train to the end."""
    torch.set_num_threads(1)
    chance = torch.Generator().manual_seed(3)
    features = torch.randn(RECORDS, 32, generator=chance)
    labels = (features @ torch.randn(32, 5, generator=chance)).argmax(dim=1)
    torch.manual_seed(5)
    network = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.003)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=100, gamma=0.7)
    job = pliant.init()
    data = job.dataset(
        "train", size=RECORDS, batch_size=64, epochs=EPOCHS, shuffle="records", seed=9
    )
    elastic = pliant.torch.Elastic(job, network, optimizer, scheduler=scheduler)
    trained: list[int] = []

    def loss_of(batch: torch.Tensor) -> torch.Tensor:
        trained.extend(int(record) for record in batch)
        pause()
        return cross_entropy(elastic.model(features[batch]), labels[batch])

    with open(os.path.join(os.environ["TRACE"], f"{os.getpid()}.jsonl"), "a", buffering=1) as trace:
        for step in elastic.steps(data):
            trained.clear()
            loss = step.run(loss_of)
            line = {"step": step.number, "size": elastic.size, "records": trained, "loss": loss}
            trace.write(json.dumps(line) + "\n")
    if elastic.rank == 0:
        whole = cross_entropy(network(features), labels).item()
        with open(os.path.join(os.environ["TRACE"], "final.json"), "w") as final:
            json.dump({"loss": whole}, final)


def pause() -> None:
    """Take time as a larger network would."""
    if not os.path.exists(HURRY):
        time.sleep(0.2)


if __name__ == "__main__":
    main()
