"""Checkpoints of a training: its state and the job's ledger under one number."""

from __future__ import annotations

import ctypes
import json
import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from pliant import safetensors
from pliant.checkpoints import (
    LATEST,
    CheckpointFolder,
    CheckpointPolicy,
    Damaged,
    Found,
    Taker,
    checkpoints_below,
    read_any,
)
from pliant.errors import CheckpointError
from pliant.job import Checkpoint, Job
from pliant.torch.state import BadState, Tensors, TrainingState

_logger = logging.getLogger("pliant")

MODEL, OPTIMIZER, TRAINING = "model.safetensors", "optimizer.safetensors", "training.json"

_KINDS: Mapping[torch.dtype, str] = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.int16: "I16",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int32: "I32",
    torch.float32: "F32",
    torch.int64: "I64",
    torch.float64: "F64",
}
_TYPES = {kind: dtype for dtype, kind in _KINDS.items()}


class Saver:
    """Writes checkpoints in a thread of its own while the training goes on.

    A checkpoint that cannot be written is said loudly, and the training goes on; the next one tries
    again.
    """

    def __init__(self, policy: CheckpointPolicy, job: str) -> None:
        self.policy = policy
        self.folder = CheckpointFolder.of(policy.path, job)
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether the last checkpoint is still being written."""
        return self._thread is not None and self._thread.is_alive()

    def save(self, state: TrainingState, ledger: Checkpoint) -> None:
        """Copy the state as it is now, and write it under the ledger's number."""
        self.finish()
        skeleton, tensors = state.skeleton()
        model = {
            name: tensor
            for name, tensor in state.model.state_dict().items()
            if isinstance(tensor, torch.Tensor)
        }
        training = {**skeleton, "ledger": dict(ledger.ledger)}
        copies = (_copied(model), _copied(tensors))
        self._thread = threading.Thread(
            target=self._write,
            args=(ledger, training, *copies),
            name="pliant-checkpoint",
        )
        self._thread.start()

    def finish(self) -> None:
        """Wait until the last checkpoint is written."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def restore(self, state: TrainingState, job: Job) -> int | None:
        """Bring state and ledgers back from the job's newest checkpoint; return its number."""
        for found in self.folder.whole_ones():
            try:
                model, tensors, training = _parsed(found)
            except Damaged as damaged:
                _logger.warning("checkpoint %s is damaged and not used: %s", found.path, damaged)
                continue
            _check_model(state, model, found)
            try:
                job.restore(training["ledger"])
            except CheckpointError as refused:
                _logger.warning("checkpoint %s is not used: %s", found.path, refused)
                continue
            state.model.load_state_dict(model)
            state.take(training, tensors)
            return found.number
        return None

    def start(self, state: TrainingState, job: Job) -> Path | None:
        """Begin with what the policy's `start` names, where it does; return that checkpoint."""
        if self.policy.start is None:
            return None
        for path in self._candidates(self.policy.start):
            try:
                found = read_any(path)
                model, tensors, training = _parsed(found)
            except Damaged as damaged:
                _logger.warning("checkpoint %s is damaged and not used: %s", path, damaged)
                continue
            _check_model(state, model, found)
            if self.policy.with_data_position:
                job.restore(training["ledger"], take_over=True)
                state.model.load_state_dict(model)
                state.take(training, tensors)
            else:
                state.model.load_state_dict(model)
                state.take_optimizer(training, tensors)
            return path
        raise BadState(
            f"there is no whole checkpoint to start from: checkpoint.from is {self.policy.start!r},"
            f" and checkpoints of this job lie below {self.folder.path.parent}."
        )

    def _candidates(self, start: str) -> list[Path]:
        return self.folder.earlier() if start == LATEST else checkpoints_below(Path(start))

    def warn_of_earlier(self) -> None:
        """Say that an earlier run left checkpoints, which this run does not use."""
        earlier = self.folder.earlier()
        if earlier:
            _logger.warning(
                "This run starts from the beginning. An earlier run left %d checkpoints, the "
                "newest is %s. To start from it, run the job again with --from-checkpoint latest.",
                len(earlier),
                earlier[0],
            )

    def _write(
        self, ledger: Checkpoint, training: Mapping[str, Any], model: Tensors, tensors: Tensors
    ) -> None:
        number = ledger.number
        try:
            files = {
                MODEL: _chunks(model),
                OPTIMIZER: _chunks(tensors),
                TRAINING: [json.dumps(training, separators=(",", ":")).encode()],
            }
            path = self.folder.write(number, files, self.policy.keep, Taker.of(ledger.ledger))
            _logger.info("checkpoint %s is written: step %d", path, training["steps"])
        except OSError as error:
            _logger.error(
                "CHECKPOINT %d COULD NOT BE WRITTEN to %s: %s. Training goes on; the next "
                "checkpoint tries again. Make room, or correct checkpoint.path.",
                number,
                self.folder.path,
                error,
            )


def _copied(tensors: Tensors) -> Tensors:
    return {
        name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()
    }


def _chunks(tensors: Tensors) -> Any:
    described = {}
    for name, tensor in tensors.items():
        if tensor.dtype not in _KINDS:
            raise BadState(f"'{name}' is of type {tensor.dtype}, which safetensors does not have.")
        described[name] = safetensors.Tensor(
            _KINDS[tensor.dtype], tuple(tensor.shape), _bytes_of(tensor)
        )
    return safetensors.chunks(described, {"format": "pt"})


def _bytes_of(tensor: torch.Tensor) -> memoryview:
    length = tensor.numel() * tensor.element_size()
    if length == 0:
        return memoryview(b"")
    return memoryview((ctypes.c_ubyte * length).from_address(tensor.data_ptr())).cast("B")


def _parsed(found: Found) -> tuple[Tensors, Tensors, dict[str, Any]]:
    try:
        model = _tensors(found.files[MODEL])
        tensors = _tensors(found.files[OPTIMIZER])
        training = json.loads(bytes(found.files[TRAINING]))
        return model, tensors, training
    except (KeyError, ValueError) as error:
        raise Damaged(f"{type(error).__name__}: {error}") from error


def _tensors(content: memoryview) -> Tensors:
    return {name: _tensor(stored) for name, stored in safetensors.parse(content).items()}


def _tensor(stored: safetensors.Tensor) -> torch.Tensor:
    dtype = _TYPES[stored.kind]
    if not len(stored.data):
        return torch.empty(stored.shape, dtype=dtype)
    data = torch.frombuffer(stored.data, dtype=torch.uint8).clone()
    return data.view(dtype).view(stored.shape)


def _check_model(state: TrainingState, model: Tensors, found: Found) -> None:
    here = {
        name: tuple(tensor.shape)
        for name, tensor in state.model.state_dict().items()
        if isinstance(tensor, torch.Tensor)
    }
    there = {name: tuple(tensor.shape) for name, tensor in model.items()}
    if here != there:
        differing = sorted(name for name in {*here, *there} if here.get(name) != there.get(name))
        raise BadState(
            f"checkpoint {found.path} was made by another model; it differs in {differing[:5]}. "
            "Give the job another checkpoint.path, or the model its old shape."
        )
