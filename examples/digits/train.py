"""Learn to read handwritten digits."""

import torch
from digits import Network, accuracy, arguments, load, loss_of

import pliant.torch


def main() -> None:
    """Train, together with every other worker, and say how well the network reads."""
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    train, test = load()
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.998)
    job = pliant.init()
    size = {"size": len(train), "batch_size": options.batch_size, "epochs": options.epochs}
    data = job.dataset("digits", shuffle="records", **size)
    elastic = pliant.torch.Elastic(job, model, optimizer, scheduler)
    for step in elastic.steps(data):
        step.run(lambda batch: loss_of(model, train, batch, options))
        if step.ends_epoch and elastic.rank == 0:
            elastic.report(accuracy=accuracy(model, test))
    if elastic.rank == 0:
        print(f"accuracy {accuracy(model, test):.4f}", flush=True)


if __name__ == "__main__":
    main()
