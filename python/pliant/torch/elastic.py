"""Training that goes on while its group changes: the loop.

Every step trains on the same records whatever the size of the world: a step is cut into a fixed
number of micro-batches, and who computes which follows from world and rank alone. Gradients are
weighted by records, so the update is that of the mean over the global batch.

The process stays alive over a change of its world. Members agree in-band on the step after which
they leave: a parameter of ours, which only carries values, travels with the gradients, and its sum
tells everybody at the same step that somebody was told to. A member that dies shows as a failed
collective. Either way each leaves the old group, meets the others in the new one, and goes on; a
step that failed changed nothing and is done again with the same records.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import torch
import torch.distributed as dist
from torch import nn

from pliant.checkpoints import CheckpointPolicy
from pliant.dataset import Dataset
from pliant.errors import (
    GroupFailed,
    InvalidRequest,
    JobClosed,
    PliantError,
    Released,
)
from pliant.job import Job
from pliant.torch.carrier import Carrier, LossOf
from pliant.torch.group import Group, raise_if_agent_is_lost, warm_up
from pliant.torch.records import Records
from pliant.torch.saving import Saver
from pliant.torch.state import BadState, TrainingState, agree, synchronize
from pliant.torch.step import Step
from pliant.torch.store import StoreServer
from pliant.world import NoWorld, next_world

_logger = logging.getLogger("pliant")

COLLECTIVE_TIMEOUT_S = 60.0
MAX_RETRIES = 10
WORD_TIMEOUT_S = 2.0
"""How long an error that does not look like the group's waits for the agent's word on the world."""

SAY_EVERY_S = 1.0
"""How often rank 0 says how far it is, at most: each word stands for all before it."""

SAY_EVERY_AT_FIRST_S = 0.05
SAY_EVERY_OF_AGE = 0.05
"""A young world is looked at closely: oftener by this share of its age."""


class Elastic:
    """A model and its optimizer, trained by however many processes there are.

    >>> elastic = pliant.torch.Elastic(job, model, optimizer)
    >>> for step in elastic.steps(dataset):
    ...     loss = step.run(lambda batch: F.cross_entropy(model(x[batch]), y[batch]))

    The scheduler is stepped after every step, or after every epoch with `schedule="epoch"`.
    `micro_batches` is the most members that can share a step; all of them must give the same. `ddp`
    holds options for torch's DistributedDataParallel, which is what it is inside.
    """

    def __init__(
        self,
        job: Job,
        model: nn.Module,
        optimizer: Any,
        scheduler: Any = None,
        *,
        schedule: Literal["step", "epoch"] = "step",
        backend: str | None = None,
        micro_batches: int | None = None,
        checkpoint: CheckpointPolicy | Mapping[str, Any] | Literal[False] | None = None,
        timeout_s: float = COLLECTIVE_TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        ddp: Mapping[str, Any] | None = None,
    ) -> None:
        _check_parts(model, optimizer)
        self.model = model
        self.state = TrainingState(model, optimizer, scheduler)
        self._job = job
        self._schedule = schedule
        self._backend = backend or ("nccl" if _is_on_cuda(model) else "gloo")
        self._micro_batches = micro_batches or int(os.environ.get("PLIANT_MAX_WORKERS", "0"))
        self._saver = _saver(checkpoint, self._job.name)
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._ddp_options = dict(ddp or {})
        self._carrier = Carrier(model)
        self._group: Group | None = None
        self._wrapped: Any = None
        self._version = 0
        self._leaving = False
        self._complete = False
        self._failures = 0
        self._saved_at = 0
        self._metrics: dict[str, float] = {}
        self._said_at = -math.inf
        self._joined_at = -math.inf
        self._unsaid: Dataset[Any] | None = None
        self._activity = ""
        self._do("start")
        warm_up(self._backend)
        self._server = StoreServer(os.environ.get("PLIANT_HOST", "127.0.0.1"))
        atexit.register(self.close)

    @property
    def rank(self) -> int:
        """The rank of this process in its world; -1 while it is in none."""
        return -1 if self._group is None else self._group.world.rank

    @property
    def size(self) -> int:
        """How many processes train together now; 0 while this one is in no world."""
        return 0 if self._group is None else self._group.world.size

    @property
    def world(self) -> int:
        """The version of the world that this process is or was in."""
        return self._version

    def steps(self, dataset: Dataset[Any]) -> Iterator[Step]:
        """Loop over the steps of a dataset that are still to be done; call `run` on each, once.

        The loop ends in every process when all steps are on the master's disk, or when others have
        finished the training. A process that is to go ends by `pliant.Released`, a SystemExit.
        """
        order = dataset.step_order
        records = Records(order)
        try:
            while self._is_in_world(dataset):
                if self.state.position(dataset.name)[0] >= order.epochs:
                    if self._is_settled(dataset):
                        return
                    continue
                step = Step(self, dataset, records)
                yield step
                if not step.ran:
                    raise InvalidRequest(
                        "BAD_MESSAGE",
                        f"{step} was given by the loop and never run; call step.run(…).",
                    )
                if self.rank == 0:
                    if time.monotonic() - self._said_at >= self._say_every_s():
                        self._say_stepped(dataset)
                    self._save_if_due(dataset)
        finally:
            self._say_rest()  # the loop may be left early

    def report(self, **metrics: float) -> None:
        """Tell the job how the training does, by numbers: accuracy=0.97. Rank 0's are taken.

        Call it in the loop, after `run`: the numbers go with the step.
        """
        self._metrics.update({name: float(value) for name, value in metrics.items()})

    def close(self) -> None:
        """Leave the group and finish writing; the interpreter's exit does it otherwise."""
        atexit.unregister(self.close)
        if self._saver is not None:
            self._saver.finish()
        self._leave(broken=False)

    # A step

    def run_step(
        self,
        step: Step,
        dataset: Dataset[Any],
        loss_of: LossOf,
        before_update: Callable[[], Any] | None,
    ) -> float:
        """Do what `step.run` says."""
        while self._is_in_world(dataset) and step.point():
            assert self._group is not None
            buffers = [(buffer, buffer.clone()) for buffer in self.model.buffers()]
            try:
                told, loss = self._compute(step, loss_of)
            except RuntimeError as error:
                self._fail(self._group, error)
                _put_back(buffers)
                continue
            if before_update is not None:
                before_update()
            self._update(dataset, step, loss)
            self._leaving = told
            return loss
        return self.state.loss

    def _compute(self, step: Step, loss_of: LossOf) -> tuple[bool, float]:
        """Make the gradients of the global batch; return the carried values, too."""
        group = self._group
        assert group is not None
        raise_if_agent_is_lost(group)
        size = group.world.size
        shares = step.shares(group.world.rank, size)
        self._carrier.zero_grad(set_to_none=True)
        loss: torch.Tensor | None = None
        for i, (batch, weight) in enumerate(shares):
            is_last = i == len(shares) - 1
            told = float(size) if group.watch.seen else 0.0
            with contextlib.nullcontext() if is_last else self._wrapped.no_sync():
                outputs = self._wrapped(loss_of, batch, is_last)
                loss = self._carrier.backward(outputs, weight * size, told, loss)
        signal = self._carrier.signal.grad
        assert signal is not None
        values = signal.tolist()
        return values[Carrier.REFORM] > 0.5, values[Carrier.LOSS]

    def _update(self, dataset: Dataset[Any], step: Step, loss: float) -> None:
        group, state = self._group, self.state
        assert group is not None
        state.optimizer.step()
        order = dataset.step_order
        following = order.after(step.epoch, step.step)
        if state.scheduler is not None and (self._schedule == "step" or following[1] == 0):
            state.scheduler.step()
        state.positions[dataset.name] = following
        state.steps += 1
        state.made_by_world = group.world.version
        state.loss = loss
        self._failures = 0
        self._unsaid = dataset
        group.stepped()

    def _say_every_s(self) -> float:
        age_s = time.monotonic() - self._joined_at
        return min(SAY_EVERY_S, max(SAY_EVERY_AT_FIRST_S, SAY_EVERY_OF_AGE * age_s))

    def _say_rest(self) -> None:
        """Say the last steps of rank 0, which were not worth a word of their own."""
        if self._unsaid is not None and self.rank == 0:
            with contextlib.suppress(PliantError):  # nobody is there to hear it
                self._say_stepped(self._unsaid)

    def _say_stepped(self, dataset: Dataset[Any]) -> None:
        """Say how far this member's state is, without waiting for an answer."""
        at = self.state.position(dataset.name)
        if at == (0, 0):
            return
        self._said_at = time.monotonic()
        self._unsaid = None
        epoch, step = dataset.step_order.before(*at)
        metrics, self._metrics = self._metrics, {}
        if math.isfinite(self.state.loss):
            metrics = {"loss": self.state.loss, **metrics}
        self._job.connection.post(
            "stepped",
            {
                "dataset": dataset.name,
                "epoch": epoch,
                "step": step,
                "world": self._version,
                "metrics": {k: v for k, v in metrics.items() if math.isfinite(v)},
            },
        )

    # Worlds

    def _is_in_world(self, dataset: Dataset[Any]) -> bool:
        """Be in a world with the state that its members agree on; False once all is complete."""
        while not self._complete and (self._group is None or self._leaving):
            self._leave(broken=False)
            self._meet(dataset)
        if not self._complete:
            self._do("train")
        return not self._complete

    def _meet(self, dataset: Dataset[Any]) -> None:
        self._do("wait")
        state = self.state
        found = next_world(self._job.connection, self._version, state.holds, self._server.address)
        if isinstance(found, NoWorld):
            self._stay_out(found)
            return
        self._version = found.version
        group = Group(self._job, found, self._backend, self._timeout_s)
        self._group = group
        try:
            group.join()
            self._do("sync")
            self._share_state(group, dataset)
            self._wrapped = group.wrap(self._carrier, self._ddp_options)
        except (RuntimeError, OSError) as error:
            self._fail(group, error)
            return
        _logger.info(
            "world %d: rank %d of %d, at step %d",
            found.version,
            found.rank,
            found.size,
            state.steps,
        )
        self._joined_at = time.monotonic()
        if found.rank == 0:
            self._say_stepped(dataset)

    def _stay_out(self, found: NoWorld) -> None:
        if found.state == "released":
            raise Released(found.why or "this worker was asked to go")
        if found.state == "excluded":
            _logger.warning("the others went on without this worker (%s): it joins anew", found.why)
            self.state.forget()
            self._version = 0
            return
        if not found.complete:
            raise JobClosed("JOB_CLOSED", f"the job has ended: {found.why or 'no reason given'}.")
        self._complete = True

    def _share_state(self, group: Group, dataset: Dataset[Any]) -> None:
        identities = agree(group, self.state)
        holders = [rank for rank, identity in enumerate(identities) if identity[0]]
        if not holders:
            if group.world.rank == 0:
                self._begin(dataset, group.world.max_size)
            holders = [0]
            identities = []
        if not identities or any(identity != identities[0] for identity in identities):
            synchronize(group, self.state, holders[0])
        self._saved_at = max(self._saved_at, self.state.steps - _since(self.state, self._saver))

    def _begin(self, dataset: Dataset[Any], max_size: int) -> None:
        """Begin the training, or begin it again from what is on disk: nobody has its state."""
        state = self.state
        saver = self._saver
        number = None if saver is None else saver.restore(state, self._job)
        if number is not None:
            _logger.warning("Training continues from checkpoint %d, step %d.", number, state.steps)
        else:
            self._begin_anew(dataset, max_size)
        state.begin()

    def _begin_anew(self, dataset: Dataset[Any], max_size: int) -> None:
        """Begin without a checkpoint of this run: with another run's, or with nothing."""
        state, saver = self.state, self._saver
        state.reset()
        started_before = dataset.progress().records_done > 0
        if started_before:
            _logger.warning(
                "No worker and no checkpoint of this run has the training's state: it starts again."
            )
            self._job.restore(0)
        start = None if saver is None else saver.start(state, self._job)
        if start is None:
            if saver is not None and not started_before:
                saver.warn_of_earlier()
        elif state.steps:
            _logger.warning("Training starts from %s, at step %d.", start, state.steps)
        else:
            _logger.warning("Training starts with model and optimizer of %s.", start)
        if not state.steps:
            state.micro_batches = self._micro_batches or max_size

    def _fail(self, group: Group, error: Exception) -> None:
        """Leave a group that failed; raise the error if it is the script's own."""
        forming = self._wrapped is None
        if not forming:
            assert isinstance(error, RuntimeError)
            if not group.caused(error, WORD_TIMEOUT_S):
                raise error
        raise_if_agent_is_lost(group)
        self._failures += 1
        _logger.warning(
            "world %d failed at step %d, which is done again: %s",
            group.world.version,
            self.state.steps,
            str(error).splitlines()[0] if str(error) else type(error).__name__,
        )
        self._leave(broken=True)
        if self._failures > self._max_retries:
            raise GroupFailed(
                "GROUP_FAILED",
                f"step {self.state.steps} failed {self._failures} times in a row, in worlds up to "
                f"{self._version}: {error}",
            ) from error

    def _leave(self, broken: bool) -> None:
        if not broken:
            self._say_rest()
        group, self._group = self._group, None
        self._leaving = False
        self._wrapped = None
        if group is not None:
            group.leave(broken)

    # The ledger and checkpoints

    def _is_settled(self, dataset: Dataset[Any]) -> bool:
        """Tell whether the master has all steps; otherwise leave, to find out what the others do.

        Every member says how far it is, since rank 0 may have died with its last word unsaid.
        """
        order = dataset.step_order
        self._say_stepped(dataset)
        answer = self._job.connection.ask("settle", {"dataset": dataset.name}, until="next_epoch")
        if int(answer["next_epoch"]) < order.epochs:
            self._leaving = True
            self._failures += 1
            if self._failures > self._max_retries:
                raise GroupFailed(
                    "GROUP_FAILED",
                    f"the training is done, but the master has dataset '{dataset.name}' at step "
                    f"{answer.get('next_step')} of epoch {answer['next_epoch']}, and does not take "
                    f"the word of world {self._version}.",
                )
            return False
        if self.rank == 0 and self._saver is not None and self._saved_at < self.state.steps:
            self._save(self._saver)
            self._saver.finish()
        return True

    def _save_if_due(self, dataset: Dataset[Any]) -> None:
        saver = self._saver
        if saver is None or saver.busy:
            return
        if self.state.steps - self._saved_at < saver.policy.every:
            return
        self._do("checkpoint")
        # The ledger has to hold exactly the steps that the model has learnt.
        self._say_stepped(dataset)
        answer = self._job.connection.request("settle", {"dataset": dataset.name})
        if answer.get("state") == "settled":
            self._save(saver)
        self._do("train")  # else: the master is away; the next step tries again

    def _save(self, saver: Saver) -> None:
        try:
            saver.save(self.state, self._job.checkpoint())
            self._saved_at = self.state.steps
        except BadState:
            raise
        except PliantError as error:
            _logger.error("no checkpoint at step %d: %s", self.state.steps, error)

    def _do(self, activity: str) -> None:
        if activity != self._activity:
            self._activity = activity
            self._job.connection.post("activity", {"name": activity})


def _since(state: TrainingState, saver: Saver | None) -> int:
    """Return how many steps ago the last checkpoint was due, for a rank 0 that is new."""
    return 0 if saver is None else state.steps % saver.policy.every


def _put_back(buffers: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """Undo what the forward passes of a failed step did to the model's buffers."""
    with torch.no_grad():
        for buffer, before in buffers:
            buffer.copy_(before)


def _saver(
    checkpoint: CheckpointPolicy | Mapping[str, Any] | Literal[False] | None, job: str
) -> Saver | None:
    if checkpoint is None:
        checkpoint = CheckpointPolicy.from_environment()
    if not checkpoint:
        return None
    if isinstance(checkpoint, Mapping):
        checkpoint = CheckpointPolicy.of(checkpoint)
    return Saver(checkpoint, job)


def _is_on_cuda(model: nn.Module) -> bool:
    return any(parameter.is_cuda for parameter in model.parameters())


def _check_parts(model: nn.Module, optimizer: Any) -> None:
    if dist.is_initialized():
        raise InvalidRequest(
            "BAD_MESSAGE",
            "torch.distributed is initialised already; Elastic makes the group itself, anew for "
            "each world. Leave init_process_group and DistributedDataParallel out.",
        )
    known = {id(parameter) for parameter in model.parameters()}
    if not known:
        raise InvalidRequest(
            "BAD_MESSAGE", "the model has no parameters; there is nothing to train."
        )
    for group in optimizer.param_groups:
        if any(id(parameter) not in known for parameter in group["params"]):
            raise InvalidRequest(
                "BAD_MESSAGE",
                "the optimizer has parameters that the model has not: their gradients would differ "
                "from worker to worker. Make them part of the model.",
            )
