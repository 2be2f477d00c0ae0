"""What can go wrong, each with a code.

Codes in capitals that come from the master are those of its `ErrorCode`; the SDK adds its own:
NOT_IN_JOB, AGENT_LOST, FORKED, BUSY, CLOSED, DATASET_FAILED, JOB_CLOSED, GROUP_FAILED, BAD_STATE
and NO_TORCH.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path

MAX_CAUSE_BYTES = 4096


class PliantError(Exception):
    """Something that Pliant could not do; `code` says which kind of thing, for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


class NotInJob(PliantError):
    """The script was not started by Pliant, so there is no job to work for."""


class AgentLost(PliantError):
    """The agent of this node is gone or silent: what this worker held goes to others."""


class InvalidRequest(PliantError, ValueError):
    """A parameter that Pliant cannot take; nothing was changed."""


class DatasetExists(PliantError):
    """The dataset's name is taken by one with other parameters; nothing was changed."""


class NotFound(PliantError, LookupError):
    """A dataset, lease or worker that the job does not have."""


class CheckpointError(PliantError):
    """A checkpoint that is not there, is damaged, or belongs to another job."""


class Unavailable(PliantError):
    """The master cannot take this now; the same request may succeed later."""


class JobClosed(PliantError):
    """The job ended, failed or was stopped, before the training was complete."""


class GroupFailed(PliantError):
    """The processes could not train together, again and again, though nobody left."""


class Released(SystemExit):
    """The worker was asked to go, by a scale-down or a drain: the script ends, and all is well."""

    def __init__(self, why: str) -> None:
        super().__init__(0)
        self.why = why

    def __str__(self) -> str:
        return self.why


class DatasetFailed(PliantError):
    """A shard ran out of retries, and with it the dataset failed for every worker."""

    def __init__(self, dataset: str, shard: int, worker: str, cause: str) -> None:
        super().__init__(
            "DATASET_FAILED",
            f"dataset '{dataset}' has failed: shard {shard} ran out of retries, last with "
            f"worker '{worker}': {cause}",
        )
        self.args = (dataset, shard, worker, cause)
        self.dataset = dataset
        self.shard = shard
        self.worker = worker
        self.cause = cause


_CLASSES: Mapping[str, type[PliantError]] = {
    "BAD_NAME": InvalidRequest,
    "BAD_DATASET_SIZE": InvalidRequest,
    "BAD_SHARD_SIZE": InvalidRequest,
    "BAD_EPOCHS": InvalidRequest,
    "BAD_SHUFFLE": InvalidRequest,
    "BAD_RETRIES": InvalidRequest,
    "BAD_PARTITION": InvalidRequest,
    "BAD_MESSAGE": InvalidRequest,
    "TOO_MANY": InvalidRequest,
    "OUT_OF_RANGE": InvalidRequest,
    "WRONG_CONSUMPTION": InvalidRequest,
    "UNKNOWN_DATASET": NotFound,
    "UNKNOWN_LEASE": NotFound,
    "UNKNOWN_WORKER": NotFound,
    "UNKNOWN_JOB": NotFound,
    "DATASET_EXISTS": DatasetExists,
    "UNKNOWN_CHECKPOINT": CheckpointError,
    "FOREIGN_CHECKPOINT": CheckpointError,
    "DAMAGED_CHECKPOINT": CheckpointError,
    "OVERLOADED": Unavailable,
    "JOURNAL_STALLED": Unavailable,
    "FENCED": Unavailable,
    "STOPPING": Unavailable,
}


def error_of(code: str, message: str) -> PliantError:
    """Return the exception for a code; one that this version does not know is a PliantError."""
    return _CLASSES.get(code, PliantError)(code, message)


def is_of_the_script(error: BaseException | None) -> bool:
    """Tell whether an exception speaks against the shard at hand.

    Ctrl-C and `sys.exit` do not, nor does what befell the job as a whole.
    """
    return isinstance(error, Exception) and not isinstance(
        error, (AgentLost, DatasetFailed, Unavailable)
    )


def describe(error: BaseException) -> str:
    """Say in one line what was raised and where, short enough to be a shard's cause."""
    what = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        last = frames[-1]
        what += f" ({Path(last.filename).name}:{last.lineno} in {last.name})"
    return shorten(what)


def shorten(text: str) -> str:
    """Cut a cause to the bytes that the master takes."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_CAUSE_BYTES:
        return encoded.decode("utf-8")
    return encoded[: MAX_CAUSE_BYTES - 3].decode("utf-8", "ignore") + "…"
