"""A small elastic training for pods, which notes when each part of its start was over.

Steps take the time that steps on an accelerator take, and leave the processor to others.
"""

import json
import os
import time


def started(process: str) -> float:
    """Return when a process was made, in seconds since 1970, to a hundredth."""
    with open(f"/proc/{process}/stat") as file:
        ticks = int(file.read().rpartition(")")[2].split()[19])
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - age


moments = {"agent": started("1"), "process": started("self")}

import task  # noqa: E402 (what comes before it is not to wait for torch)
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn.functional import cross_entropy  # noqa: E402

STEP_S = 0.02


def main() -> None:
    """Train for ever, as far as anybody will see."""
    torch.set_num_threads(1)
    torch.manual_seed(11)
    features = torch.randn(1 << 12, 32)
    labels = features[:, : task.CLASSES].argmax(dim=1)
    network = nn.Linear(32, task.CLASSES)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    moments["ready"] = time.time()

    import pliant
    import pliant.torch

    moments["imported"] = time.time()
    job = pliant.init()
    data = job.dataset("train", size=len(features), batch_size=task.BATCH, epochs=100_000)
    elastic = pliant.torch.Elastic(job, network, optimizer)
    moments["waits"] = time.time()
    trace = task.Trace()
    for step in elastic.steps(data):
        time.sleep(STEP_S)
        step.run(lambda batch: cross_entropy(network(features[batch]), labels[batch]))
        if elastic.rank == 0:
            trace.step(step.number, str(elastic.world), elastic.size)
        if "step" not in moments:
            moments["step"] = time.time()
            note()


def note() -> None:
    """Write the moments down, whole, where the driver finds them by the pod's name."""
    path = os.path.join(os.environ["MOMENTS"], os.uname().nodename)
    with open(path + ".new", "w") as file:
        json.dump(moments, file)
    os.replace(path + ".new", path + ".json")


if __name__ == "__main__":
    main()
