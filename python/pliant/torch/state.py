"""The state of a training: what a member that joins must be given, and a checkpoint must keep."""

from __future__ import annotations

import json
import logging
import math
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from pliant.errors import PliantError
from pliant.torch.group import Group

_logger = logging.getLogger("pliant")

BUCKET_BYTES = 32 * 1024 * 1024
"""Small tensors travel together, in buckets of at most this size."""

LARGE_BYTES = 1024 * 1024
"""Tensors from this size on travel by themselves, without a copy."""

ALIGNMENT = 16

Tensors = dict[str, torch.Tensor]


class BadState(PliantError):
    """A state that does not fit this model, optimizer or scheduler."""

    def __init__(self, message: str) -> None:
        super().__init__("BAD_STATE", message)


class TrainingState:
    """Model, optimizer, scheduler and the place in the data, and whether they are the training's.

    `holds` is false until this process has begun the training or was given its state. Two members
    whose `identity` is the same have the same state to the last bit: a step's result is the same in
    all members of the world that made it, and the step, the world and the lineage are in it.
    """

    def __init__(self, model: nn.Module, optimizer: Any, scheduler: Any) -> None:
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.holds = False
        self.steps = 0
        self.made_by_world = 0
        self.lineage = 0
        self.micro_batches = 0
        self.loss = math.nan
        self.positions: dict[str, tuple[int, int]] = {}

    def begin(self) -> None:
        """Make what is here the training's state: nobody has any."""
        self.lineage = secrets.randbits(62)
        self.holds = True

    def reset(self) -> None:
        """Go back to the beginning of the data; model and optimizer stay as they are."""
        self.steps = 0
        self.made_by_world = 0
        self.positions = {}

    def forget(self) -> None:
        """Give up what is here: the others went on without this process."""
        self.holds = False

    def position(self, dataset: str) -> tuple[int, int]:
        """Return the epoch and the step that come next."""
        return self.positions.get(dataset, (0, 0))

    def identity(self) -> list[int]:
        """Return four numbers that are the same in two members only if their states are."""
        if not self.holds:
            return [0, 0, 0, 0]
        return [1, self.steps, self.made_by_world, self.lineage]

    def tensors_of_model(self) -> Tensors:
        """Return parameters and buffers as they are, under their names."""
        named = [*self.model.named_parameters(), *self.model.named_buffers()]
        return {f"model.{name}": tensor.detach() for name, tensor in named}

    def skeleton(self) -> tuple[dict[str, Any], Tensors]:
        """Return all but the model: an object of JSON, and the tensors that it names."""
        tensors: Tensors = {}
        skeleton = {
            "steps": self.steps,
            "made_by_world": self.made_by_world,
            "lineage": self.lineage,
            "micro_batches": self.micro_batches,
            "loss": encode(self.loss, "loss", tensors),
            "positions": {name: list(at) for name, at in self.positions.items()},
            "optimizer": encode(self.optimizer.state_dict(), "optimizer", tensors),
            "scheduler": None
            if self.scheduler is None
            else encode(self.scheduler.state_dict(), "scheduler", tensors),
        }
        return skeleton, tensors

    def take(self, skeleton: Mapping[str, Any], tensors: Tensors) -> None:
        """Take all but the model, from what `skeleton` gave."""
        self.optimizer.load_state_dict(decode(skeleton["optimizer"], tensors))
        if self.scheduler is not None:
            if skeleton["scheduler"] is None:
                raise BadState("the state was made without a scheduler, and here is one.")
            self.scheduler.load_state_dict(decode(skeleton["scheduler"], tensors))
        self.steps = int(skeleton["steps"])
        self.made_by_world = int(skeleton["made_by_world"])
        self.lineage = int(skeleton["lineage"])
        self.micro_batches = int(skeleton["micro_batches"])
        self.loss = float(decode(skeleton["loss"], tensors))
        self.positions = {
            name: (int(epoch), int(step)) for name, (epoch, step) in skeleton["positions"].items()
        }
        self.holds = True

    def take_optimizer(self, skeleton: Mapping[str, Any], tensors: Tensors) -> None:
        """Take what the optimizer has learned about each parameter, from what `skeleton` gave.

        Its settings, such as the learning rate, stay those of this script, and so do the scheduler
        and the place in the data: another run begins.
        """
        mine = self.optimizer.state_dict()
        theirs = decode(skeleton["optimizer"], tensors)
        here = [len(group["params"]) for group in mine["param_groups"]]
        there = [len(group["params"]) for group in theirs["param_groups"]]
        if here != there:
            raise BadState(
                f"the checkpoint's optimizer has groups of {there} parameters, this one of {here}; "
                "use the same kind of optimizer on the same model."
            )
        groups = [
            {**own, "params": other["params"]}
            for own, other in zip(mine["param_groups"], theirs["param_groups"])
        ]
        self.optimizer.load_state_dict({**theirs, "param_groups": groups})

    def take_model(self, received: Tensors) -> None:
        """Take the model's tensors."""
        mine = self.tensors_of_model()
        for name, tensor in received.items():
            if mine[name].data_ptr() != tensor.data_ptr():
                mine[name].copy_(tensor)


def encode(value: Any, path: str, tensors: Tensors) -> Any:
    """Write a state as JSON; its tensors go to `tensors`, under the path that leads to them.

    What JSON does not have is written as an object with one key that begins with `$`. Functions and
    other things that cannot be written are left out: who takes the state keeps its own.
    """
    if isinstance(value, torch.Tensor):
        tensors[path] = value.detach()
        return {"$tensor": path}
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, (list, tuple)):
        items = [encode(item, f"{path}.{i}", tensors) for i, item in enumerate(value)]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, Mapping):
        pairs = [
            [key, encode(item, f"{path}.{key}", tensors)]
            for key, item in value.items()
            if _can_be_written(key, item, path)
        ]
        return {"$counter" if isinstance(value, Counter) else "$map": pairs}
    raise BadState(f"'{path}' is a {type(value).__name__}, which cannot be kept or sent.")


def decode(value: Any, tensors: Tensors) -> Any:
    """Read what `encode` wrote."""
    if isinstance(value, list):
        return [decode(item, tensors) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "$tensor":
        return tensors[content]
    if kind == "$float":
        return float(content)
    if kind == "$tuple":
        return tuple(decode(item, tensors) for item in content)
    if kind in ("$map", "$counter"):
        pairs = {key: decode(item, tensors) for key, item in content}
        return Counter(pairs) if kind == "$counter" else pairs
    raise BadState(f"the state holds '{kind}', which this version does not know.")


def _can_be_written(key: object, value: object, path: str) -> bool:
    known = (torch.Tensor, bool, int, float, str, list, tuple, Mapping, type(None))
    if not isinstance(key, (int, str)):
        raise BadState(f"'{path}' has the key {key!r}; only numbers and strings can be kept.")
    if not isinstance(value, known):
        _logger.debug("'%s.%s' is a %s and stays as it is here", path, key, type(value).__name__)
        return False
    return True


def agree(group: Group, state: TrainingState) -> list[list[int]]:
    """Return the identity of every member's state, by rank."""
    mine = torch.tensor(state.identity(), dtype=torch.int64, device=group.device)
    all_of_them = [torch.empty_like(mine) for _ in range(group.world.size)]
    dist.all_gather(all_of_them, mine)
    return [[int(number) for number in one.tolist()] for one in all_of_them]


def synchronize(group: Group, state: TrainingState, source: int) -> None:
    """Give the state of rank `source` to every other member.

    A member that holds a state itself keeps it until it has the new one as a whole: where this
    breaks off, it still has its own.
    """
    if group.world.rank == source:
        skeleton, tensors = state.skeleton()
        tensors = {**state.tensors_of_model(), **tensors}
        described = {name: [str(t.dtype)[6:], list(t.shape)] for name, t in tensors.items()}
        _send_object(group, source, {"skeleton": skeleton, "tensors": described})
        _broadcast(group, source, list(tensors.values()))
        return
    received = _receive_object(group, source)
    model = state.tensors_of_model()
    _check_fits(model, received["tensors"])
    tensors = {}
    for name, (kind, shape) in received["tensors"].items():
        direct = name in model and not state.holds
        tensors[name] = model[name] if direct else torch.empty(shape, dtype=getattr(torch, kind))
    _broadcast(group, source, list(tensors.values()))
    state.take_model({name: tensors[name] for name in model})
    state.take(received["skeleton"], tensors)


def _check_fits(model: Tensors, described: Mapping[str, Any]) -> None:
    theirs = {name: at for name, at in described.items() if name.startswith("model.")}
    for name, tensor in model.items():
        here = [str(tensor.dtype)[6:], list(tensor.shape)]
        if theirs.pop(name, None) != here:
            raise BadState(
                f"{name} is {here} here and {described.get(name, 'missing')} in the state that the "
                "others have; all workers must build the same model."
            )
    if theirs:
        raise BadState(f"the state of the others has {sorted(theirs)}, which this model has not.")


def _send_object(group: Group, source: int, content: Mapping[str, Any]) -> None:
    data = bytearray(json.dumps(content, separators=(",", ":")).encode())
    length = torch.tensor([len(data)], dtype=torch.int64, device=group.device)
    dist.broadcast(length, source)
    dist.broadcast(torch.frombuffer(data, dtype=torch.uint8).to(group.device), source)


def _receive_object(group: Group, source: int) -> dict[str, Any]:
    length = torch.zeros(1, dtype=torch.int64, device=group.device)
    dist.broadcast(length, source)
    data = torch.empty(int(length.item()), dtype=torch.uint8, device=group.device)
    dist.broadcast(data, source)
    content: dict[str, Any] = json.loads(bytes(data.tolist()))
    return content


def _broadcast(group: Group, source: int, tensors: list[torch.Tensor]) -> None:
    """Broadcast tensors in place, as bytes: large ones by themselves, small ones together."""
    for bucket in _buckets(tensors):
        if len(bucket) == 1 and _goes_alone(bucket[0], group.device):
            dist.broadcast(bucket[0].view(-1).view(torch.uint8), source)
        else:
            _broadcast_packed(group, source, bucket)


def _buckets(tensors: list[torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    bucket: list[torch.Tensor] = []
    size = 0
    for tensor in tensors:
        length = _length(tensor)
        if length == 0:
            continue
        if length >= LARGE_BYTES:
            yield [tensor]
            continue
        if size + length > BUCKET_BYTES:
            yield bucket
            bucket, size = [], 0
        bucket.append(tensor)
        size += _padded(length)
    if bucket:
        yield bucket


def _broadcast_packed(group: Group, source: int, bucket: list[torch.Tensor]) -> None:
    size = sum(_padded(_length(tensor)) for tensor in bucket[:-1]) + _length(bucket[-1])
    packed = torch.zeros(size, dtype=torch.uint8, device=group.device)
    if group.world.rank == source:
        for place, tensor in zip(_places(packed, bucket), bucket):
            place.copy_(tensor.contiguous().view(-1).view(torch.uint8))
    dist.broadcast(packed, source)
    if group.world.rank != source:
        for place, tensor in zip(_places(packed, bucket), bucket):
            tensor.copy_(place.view(tensor.dtype).view(tensor.shape))


def _places(packed: torch.Tensor, bucket: list[torch.Tensor]) -> Iterator[torch.Tensor]:
    start = 0
    for tensor in bucket:
        yield packed[start : start + _length(tensor)]
        start += _padded(_length(tensor))


def _goes_alone(tensor: torch.Tensor, device: torch.device) -> bool:
    return tensor.is_contiguous() and tensor.device == device and _length(tensor) >= LARGE_BYTES


def _length(tensor: torch.Tensor) -> int:
    return int(tensor.numel() * tensor.element_size())


def _padded(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
