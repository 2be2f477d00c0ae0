"""Learn to read handwritten digits."""

import torch
import torch.distributed as dist
from digits import Network, accuracy, arguments, load, loss_of
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import BatchSampler, DistributedSampler


def main() -> None:
    """Train, together with every other worker, and say how well the network reads."""
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    train, test = load()
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.998)
    dist.init_process_group("gloo")
    wrapped = DistributedDataParallel(model)
    sampler = DistributedSampler(train)
    batches = BatchSampler(sampler, options.batch_size // dist.get_world_size(), drop_last=False)
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        for batch in batches:
            optimizer.zero_grad()
            loss = loss_of(wrapped, train, torch.tensor(batch), options)
            loss.backward()
            optimizer.step()
            scheduler.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: loss {loss:.4f}", flush=True)
    if dist.get_rank() == 0:
        print(f"accuracy {accuracy(model, test):.4f}", flush=True)


if __name__ == "__main__":
    main()
