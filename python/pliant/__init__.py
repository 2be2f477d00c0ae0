"""Pliant: training that grows, shrinks and loses machines without stopping.

>>> import pliant
>>> job = pliant.init()
>>> dataset = job.dataset("train", size=60_000, shard_size=500)
>>> for shard in dataset.shards():
...     train(shard.start, shard.end)
"""

from pliant.dataset import Commit, Dataset, Progress
from pliant.errors import (
    AgentLost,
    CheckpointError,
    DatasetExists,
    DatasetFailed,
    GroupFailed,
    InvalidRequest,
    JobClosed,
    NotFound,
    NotInJob,
    PliantError,
    Released,
    Unavailable,
)
from pliant.job import Checkpoint, Job
from pliant.process import init
from pliant.shards import Offset, Shard

__version__ = "0.1.0"

__all__ = [
    "AgentLost",
    "Checkpoint",
    "CheckpointError",
    "Commit",
    "Dataset",
    "DatasetExists",
    "DatasetFailed",
    "GroupFailed",
    "InvalidRequest",
    "Job",
    "JobClosed",
    "NotFound",
    "NotInJob",
    "Offset",
    "PliantError",
    "Progress",
    "Released",
    "Shard",
    "Unavailable",
    "init",
]
