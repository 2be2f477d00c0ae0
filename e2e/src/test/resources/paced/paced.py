"""Takes shards as the example `count` does, slowly until somebody says to hurry.

So a job lasts as long as what is tried on it, and ends soon after. To hurry is said by a file
beside this one, which has the job's name.
"""

import os
import time

import pliant

HURRY = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.environ["JOB_NAME"] + ".hurry")

job = pliant.init()
taken = 0
for _ in job.dataset("paced", size=100_000, shard_size=10).shards():
    taken += 1
    if not os.path.exists(HURRY):
        time.sleep(0.2)
print(f"worker {job.worker}: {taken} shards", flush=True)
