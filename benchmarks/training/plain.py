"""Plain DDP as torchrun's documentation has it: starts again from a snapshot after every change.

Nothing of Pliant in it. It trains until it is ended.
"""

import os

import task
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

SNAPSHOT = os.environ.get("SNAPSHOT", "")
VIEWS = os.environ.get("VIEWS") == "1"
"""Whether gradients stay in the buckets of DDP, which is not its default."""
EVERY = 20
"""Steps between two snapshots; what was trained since the last is lost with a change."""


def main() -> None:
    """Train for ever."""
    torch.set_num_threads(1)
    features, labels = task.data()
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    network = task.network()
    step = load(network) if SNAPSHOT else 0
    model = DistributedDataParallel(network, gradient_as_bucket_view=VIEWS)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    trace = task.Trace() if rank == 0 else None
    per_rank = task.BATCH // size
    steps_per_epoch = task.RECORDS // task.BATCH
    epoch, order = -1, torch.empty(0)
    while True:
        if step // steps_per_epoch != epoch:
            epoch = step // steps_per_epoch
            order = shuffled(epoch)
        first = step % steps_per_epoch * task.BATCH + rank * per_rank
        batch = order[first : first + per_rank]
        optimizer.zero_grad()
        cross_entropy(model(features[batch]), labels[batch]).backward()
        optimizer.step()
        if trace is not None:
            trace.step(step, str(os.getpid()), size)
        step += 1
        if SNAPSHOT and rank == 0 and step % EVERY == 0:
            save(network, step)


def shuffled(epoch: int) -> torch.Tensor:
    """Return an epoch's order of records, the same in all members, as DistributedSampler has it."""
    return torch.randperm(task.RECORDS, generator=torch.Generator().manual_seed(epoch))


def save(network: nn.Module, step: int) -> None:
    """Write a snapshot beside, then put it in place."""
    torch.save({"step": step, "model": network.state_dict()}, SNAPSHOT + ".new")
    os.replace(SNAPSHOT + ".new", SNAPSHOT)


def load(network: nn.Module) -> int:
    """Take the last snapshot, if there is one; return the next step."""
    if not os.path.exists(SNAPSHOT):
        return 0
    snapshot = torch.load(SNAPSHOT, weights_only=True)
    network.load_state_dict(snapshot["model"])
    return int(snapshot["step"])


if __name__ == "__main__":
    main()
