"""Checkpoints on disk: found whole or not at all, whatever happened while they were written.

A checkpoint is a folder `checkpoint-NUMBER`: files, and a `manifest.json` that names each with its
size and SHA-256, and the job that took it: its name, uid, run and lineage. It is written under a
hidden name beside, forced to disk, and published by one rename. The number is the master's, so
model and ledger are kept under one number.

Every job has a folder of its own below the path that it was given, `NAMESPACE/NAME/UID`: a later
job of the same name has another uid, so neither finds or removes what the other has kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pliant.errors import InvalidRequest

_logger = logging.getLogger("pliant")

FORMAT = 2
MANIFEST = "manifest.json"
_FOLDER = re.compile(r"checkpoint-([0-9]{1,18})")
_HIDDEN = ".checkpoint-"
_READ_BYTES = 1024 * 1024

LATEST = "latest"
"""The newest checkpoint of an earlier run of the same job."""

Content = Iterable["bytes | memoryview"]


class Damaged(Exception):
    """A checkpoint that is not what was written; says what is wrong."""


@dataclass(frozen=True)
class CheckpointPolicy:
    """Where checkpoints go, after how many steps one is taken, and how many are kept.

    `start` is what a run without a checkpoint of its own begins with: LATEST, the path of a
    checkpoint, or of a folder that has some; None for nothing. `with_data_position` also takes over
    which records are done.
    """

    path: Path
    every: int = 100
    keep: int = 3
    start: str | None = None
    with_data_position: bool = False

    def __post_init__(self) -> None:
        for name, number in (("every", self.every), ("keep", self.keep)):
            if number < 1:
                raise InvalidRequest(
                    "BAD_MESSAGE", f"checkpoint.{name} is {number}; it must be at least 1."
                )

    @staticmethod
    def of(fields: Mapping[str, Any]) -> CheckpointPolicy:
        """Read it from `{"path": …, "every": …, "keep": …, "from": …}`."""
        unknown = set(fields) - {"path", "every", "keep", "from", "with_data_position"}
        if unknown or not fields.get("path"):
            raise InvalidRequest(
                "BAD_MESSAGE",
                "a checkpoint policy has path, every, keep, from and with_data_position, not "
                f"{dict(fields)!r}.",
            )
        start = fields.get("from")
        return CheckpointPolicy(
            Path(str(fields["path"])),
            int(fields.get("every", 100)),
            int(fields.get("keep", 3)),
            None if start is None else str(start),
            bool(fields.get("with_data_position", False)),
        )

    @staticmethod
    def from_environment() -> CheckpointPolicy | None:
        """Read what the job says, from PLIANT_CHECKPOINT; None where it says nothing."""
        said = os.environ.get("PLIANT_CHECKPOINT")
        if not said:
            return None
        try:
            fields = json.loads(said)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            raise InvalidRequest(
                "BAD_MESSAGE", f"PLIANT_CHECKPOINT is no object of JSON: {said!r:.200}."
            )
        return CheckpointPolicy.of(fields)


@dataclass(frozen=True)
class Found:
    """A whole checkpoint: its number and the bytes of its files, all checked."""

    number: int
    path: Path
    files: Mapping[str, memoryview]


@dataclass(frozen=True)
class Taker:
    """Who took a checkpoint: a job, told from others of its name by its uid."""

    job: str
    uid: str
    run: int
    lineage: int

    @staticmethod
    def of(fields: Mapping[str, Any]) -> Taker:
        """Read it from a manifest, or from the ledger that the master gave."""
        return Taker(
            str(fields["job"]), str(fields["uid"]), int(fields["run"]), int(fields["lineage"])
        )


class CheckpointFolder:
    """The folder in which a job keeps its checkpoints. One process writes at a time: rank 0."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @staticmethod
    def of(base: Path, job: str) -> CheckpointFolder:
        """Give the folder of this process' job below `base`; `job` is NAMESPACE/NAME.

        Where nobody gave the job a uid, it is `base` itself.
        """
        uid = os.environ.get("PLIANT_JOB_UID", "")
        return CheckpointFolder(base / job / uid if uid else base)

    def earlier(self) -> list[Path]:
        """Return the checkpoints of earlier runs of the same job, newest first."""
        if not os.environ.get("PLIANT_JOB_UID"):
            return []
        try:
            others = [run for run in self.path.parent.iterdir() if run.name != self.path.name]
        except OSError:
            return []
        return newest_first(path for run in others for path in checkpoints_in(run))

    def write(self, number: int, files: Mapping[str, Content], keep: int, taker: Taker) -> Path:
        """Write a checkpoint, publish it, and remove all but the newest `keep`."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.remove_leftovers()
        hidden = self.path / f"{_HIDDEN}{number}.{os.getpid()}"
        published = self.path / f"checkpoint-{number}"
        try:
            hidden.mkdir()
            manifest = {name: _write(hidden / name, content) for name, content in files.items()}
            whole = {"format": FORMAT, "number": number, **asdict(taker), "files": manifest}
            _write(hidden / MANIFEST, [json.dumps(whole, indent=1).encode()])
            _force(hidden)
            self._remove(published)
            hidden.rename(published)
            _force(self.path)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            raise
        for old in newest_first(checkpoints_in(self.path))[keep:]:
            if old != published:
                self._remove(old)
        return published

    def numbers(self) -> list[int]:
        """Return the numbers of the published checkpoints, the one published last first.

        A master that lost its journal counts from 1 again, so numbers do not tell which is newer.
        """
        return [_number(path) for path in newest_first(checkpoints_in(self.path))]

    def whole_ones(self) -> Iterator[Found]:
        """Give the whole checkpoints, newest first; a damaged one is passed over with a warning."""
        for number in self.numbers():
            path = self.path / f"checkpoint-{number}"
            try:
                yield read(path, number)
            except Damaged as damaged:
                _logger.warning("checkpoint %s is damaged and not used: %s", path, damaged)

    def remove_leftovers(self) -> None:
        """Remove what a process that was killed while writing or removing has left behind."""
        for entry in list(self.path.iterdir()):
            if entry.name.startswith(_HIDDEN):
                shutil.rmtree(entry, ignore_errors=True)

    def _remove(self, published: Path) -> None:
        """Remove a checkpoint; it is hidden first, so nobody ever finds half of one."""
        hidden = self.path / f"{_HIDDEN}{published.name}.{os.getpid()}.old"
        with contextlib.suppress(FileNotFoundError):
            published.rename(hidden)
            shutil.rmtree(hidden, ignore_errors=True)


def checkpoints_in(folder: Path) -> list[Path]:
    """Return the published checkpoints that lie in a folder, in no order."""
    try:
        return [path for path in folder.iterdir() if _FOLDER.fullmatch(path.name)]
    except OSError:
        return []


def checkpoints_below(path: Path) -> list[Path]:
    """Return the checkpoints that a path names, newest first.

    It may name a checkpoint, the folder of a run, or that of a job with several runs.
    """
    if (path / MANIFEST).is_file():
        return [path]
    found = checkpoints_in(path)
    if not found and path.is_dir():
        found = [inner for run in path.iterdir() for inner in checkpoints_in(run)]
    return newest_first(found)


def newest_first(paths: Iterable[Path]) -> list[Path]:
    """Sort checkpoints of several runs by when they were published, the newest first."""

    def age(path: Path) -> tuple[int, int]:
        try:
            return (path / MANIFEST).stat().st_mtime_ns, _number(path)
        except OSError:
            return 0, _number(path)

    return sorted(paths, key=age, reverse=True)


def read_any(path: Path) -> Found:
    """Read a checkpoint by its path alone, and check every byte of it."""
    if _number(path) < 0:
        raise Damaged(f"a checkpoint's folder is called checkpoint-NUMBER, not {path.name!r}")
    return read(path, _number(path))


def _number(path: Path) -> int:
    match = _FOLDER.fullmatch(path.name)
    return -1 if match is None else int(match[1])


def read(path: Path, number: int) -> Found:
    """Read a checkpoint and check every byte of it."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        if manifest["format"] != FORMAT:
            raise Damaged(f"it has format {manifest['format']}, not {FORMAT}")
        if manifest["number"] != number:
            raise Damaged(f"its manifest says number {manifest['number']}")
        files = {
            name: _read(path / name, int(entry["bytes"]), str(entry["sha256"]))
            for name, entry in manifest["files"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{type(error).__name__}: {error}") from error
    return Found(number, path, files)


def _read(path: Path, length: int, sha256: str) -> memoryview:
    actual = path.stat().st_size
    if actual != length:
        raise Damaged(f"{path.name} has {actual:,} bytes, not {length:,}")
    content = bytearray(length)
    view = memoryview(content)
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        at = 0
        while at < length:
            got = file.readinto(view[at : at + _READ_BYTES])
            if not got:
                raise Damaged(f"{path.name} ends after {at:,} bytes")
            digest.update(view[at : at + got])
            at += got
    if digest.hexdigest() != sha256:
        raise Damaged(f"{path.name} has other bytes than were written (SHA-256)")
    return view


def _write(path: Path, content: Content) -> dict[str, Any]:
    digest = hashlib.sha256()
    length = 0
    with path.open("xb") as file:
        for chunk in content:
            file.write(chunk)
            digest.update(chunk)
            length += len(chunk)
        file.flush()
        os.fsync(file.fileno())
    return {"bytes": length, "sha256": digest.hexdigest()}


def _force(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
