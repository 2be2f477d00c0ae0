"""A worker that has done all that workers do with their agent, and is idle: shards, steps, a world. No torch."""

import os
import sys
import time

import pliant
from pliant.world import next_world


def main() -> None:
    """Speak to the agent as training scripts do, say so, and wait to be ended."""
    job = pliant.init()
    for shard in job.dataset("shards-" + os.environ["PLIANT_WORKER"], size=1000, shard_size=10).shards():
        len(shard)
    job.dataset("steps", size=8, batch_size=4)
    job.connection.ask("settle", {"dataset": "steps"}, until="next_epoch")
    next_world(job.connection, 0, False, "127.0.0.1:1")
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("idle\n")
    time.sleep(600)


main()
