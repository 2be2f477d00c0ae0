"""Count the records of a dataset, together with every other worker of the job.

Nothing is trained here: a shard is summed up, then a short sleep stands for the work. What it shows
is that the workers' sums always add up, whatever is killed on the way.
"""

import argparse
import os
import time

import pliant


def main() -> None:
    """Take shards until there are no more, and say what came of them."""
    options = arguments()
    job = pliant.init()
    dataset = job.dataset("count", size=options.records, shard_size=options.shard_size)
    shards = records = total = 0
    for shard in dataset.shards():
        total += sum(shard)
        records += len(shard)
        shards += 1
        time.sleep(options.delay_ms / 1000)
    print(f"worker {job.worker}: {shards} shards, {records} records, sum {total}", flush=True)


def arguments() -> argparse.Namespace:
    """Read the options; each may be given by the environment too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--records",
        type=int,
        default=os.environ.get("COUNT_RECORDS", "200000"),
        help="records in the dataset (COUNT_RECORDS, %(default)s)",
    )
    parser.add_argument(
        "--shard-size",
        type=int,
        default=os.environ.get("COUNT_SHARD_SIZE", "500"),
        help="records in a shard (COUNT_SHARD_SIZE, %(default)s)",
    )
    parser.add_argument(
        "--delay-ms",
        type=float,
        default=os.environ.get("COUNT_DELAY_MS", "50"),
        help="how long the work on a shard takes (COUNT_DELAY_MS, %(default)s)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
