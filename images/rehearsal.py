"""What the build has a worker do once, so that agents start quickly afterwards: shards, steps, a world."""

import pliant
from pliant.world import next_world


def main() -> None:
    """Speak to the agent as training scripts do."""
    job = pliant.init()
    for shard in job.dataset("shards", size=20, shard_size=5).shards():
        print(sum(shard), flush=True)
    job.dataset("steps", size=8, batch_size=4)
    job.connection.ask("settle", {"dataset": "steps"}, until="next_epoch")
    print(next_world(job.connection, 0, False, "127.0.0.1:1"), flush=True)
    job.close()


main()
