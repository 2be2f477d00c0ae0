"""The same training as plain.py, made elastic by Pliant."""

import task
import torch
from torch.nn.functional import cross_entropy

import pliant
import pliant.torch


def main() -> None:
    """Train for ever, as far as anybody will see."""
    torch.set_num_threads(1)
    features, labels = task.data()
    job = pliant.init()
    network = task.network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    data = job.dataset("train", size=task.RECORDS, batch_size=task.BATCH, epochs=100_000)
    elastic = pliant.torch.Elastic(job, network, optimizer)
    trace = task.Trace()
    for step in elastic.steps(data):
        step.run(lambda batch: cross_entropy(elastic.model(features[batch]), labels[batch]))
        if elastic.rank == 0:
            trace.step(step.number, str(elastic.world), elastic.size)


if __name__ == "__main__":
    main()
