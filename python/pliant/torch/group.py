"""A process group that lives as long as its world, inside a process that lives longer."""

from __future__ import annotations

import contextlib
import datetime
import gc
import os
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from pliant.errors import AgentLost
from pliant.job import Job
from pliant.torch.store import StoreClient
from pliant.world import Watch, World

CONNECT_TIMEOUT_S = 5.0
"""Rank 0 listens before anybody learns of its world: who cannot connect in this time never will."""

FORMING_GRACE_S = 1.0
"""A world that is to end while it is still forming: so long it may go on. Its members may wait for
one that is dead, without a socket between them yet that would tell."""

STUCK_S = 10.0
STUCK_STEPS = 20
"""A world that is to end after this step: a step that takes longer than both is stuck."""

BREAK_EVERY_S = 0.05

ESTABLISHED = "01"

GROUP_WORDS = (
    "gloo",
    "nccl",
    "processgroup",
    "process group",
    "connection closed by peer",
    "connection reset by peer",
    "broken pipe",
    "socket timeout",
    "timed out waiting",
)
"""What torch's backends and stores write into the errors that they raise."""


class Group:
    """The process group of one world, from the first connection to the last.

    Any thread may break it: what this process waits for in it then fails within milliseconds, here
    and in its peers. Gloo has no call for that, so the sockets opened since then are shut down.
    """

    FORMING, TRAINING = "forming", "training"

    def __init__(self, job: Job, world: World, backend: str, timeout_s: float) -> None:
        self.world = world
        self.backend = backend
        self._timeout = datetime.timedelta(seconds=timeout_s)
        self._known = set(_tcp_sockets())
        self._phase = self.FORMING
        self._mean_step_s = 0.0
        self._step_began = time.monotonic()
        self._left = threading.Event()
        self._guard: threading.Thread | None = None
        self._model: DistributedDataParallel | None = None
        self._store: StoreClient | None = None
        self.watch = Watch(job.connect_again(), world.version, self._on_word)

    @property
    def device(self) -> torch.device:
        """Where tensors have to be to go through the group."""
        if self.backend == "nccl":
            return torch.device("cuda", torch.cuda.current_device())
        return torch.device("cpu")

    def join(self) -> None:
        """Meet the other members; they all do."""
        world = self.world
        self._store = StoreClient(
            world.host, world.port, CONNECT_TIMEOUT_S, self._timeout.total_seconds()
        )
        dist.init_process_group(
            self.backend,
            store=dist.PrefixStore(f"world-{world.version}", self._store),
            rank=world.rank,
            world_size=world.size,
            timeout=self._timeout,
        )

    def wrap(self, module: nn.Module, options: Mapping[str, Any]) -> DistributedDataParallel:
        """Wrap a module whose parameters are the same in all members already."""
        self._model = DistributedDataParallel(module, **{**_DEFAULTS, **options})
        self._phase = self.TRAINING
        self._step_began = time.monotonic()
        return self._model

    def stepped(self) -> None:
        """Note that a step is done, and how long it took."""
        now = time.monotonic()
        took_s = now - self._step_began
        self._mean_step_s = (
            took_s if not self._mean_step_s else self._mean_step_s * 0.9 + took_s * 0.1
        )
        self._step_began = now

    def caused(self, error: RuntimeError, patience_s: float) -> bool:
        """Tell whether an error is the group's: by its words, or because the agent says so soon."""
        if isinstance(error, _GROUP_ERRORS):
            return True
        text = str(error).lower()
        if any(word in text for word in GROUP_WORDS):
            return True
        return self.watch.wait_for_word(patience_s)

    def break_off(self) -> None:
        """From any thread: let everything that waits in the group fail, now."""
        if self._store is not None:
            self._store.break_off()
        if self.backend == "nccl":
            _abort_nccl()
        for inode, descriptor in _tcp_sockets().items():
            if inode not in self._known:
                _shut_down(descriptor)

    def leave(self, broken: bool) -> None:
        """End the group here. A broken one may have work under way, which has to fail first."""
        self._left.set()
        self.watch.close()
        if broken:
            self.break_off()
        if self._model is not None:
            # The reducer keeps its hooks on the parameters for as long as it lives.
            for name in ("reducer", "logger"):
                self._model.__dict__.pop(name, None)
            self._model = None
        if dist.is_initialized():
            dist.destroy_process_group()
        if self._store is not None:
            self._store.close()
        if self._guard is not None:
            self._guard.join()

    def _on_word(self) -> None:
        if self._guard is None:
            self._guard = threading.Thread(
                target=self._keep_bounds, name="pliant-guard", daemon=True
            )
            self._guard.start()

    def _keep_bounds(self) -> None:
        """Break the group once its end is overdue, and again until this process has left it.

        Again, because a group that is still forming opens further sockets.
        """
        heard = time.monotonic()
        while not self._left.wait(BREAK_EVERY_S):
            if self._is_overdue(heard):
                self.break_off()

    def _is_overdue(self, heard: float) -> bool:
        if self.watch.seen == Watch.ABORT or self.watch.lost is not None:
            return True
        now = time.monotonic()
        if self._phase == self.FORMING:
            return now - heard > FORMING_GRACE_S
        stuck_s = max(STUCK_S, STUCK_STEPS * self._mean_step_s)
        return now - max(heard, self._step_began) > stuck_s


def raise_if_agent_is_lost(group: Group) -> None:
    """Raise what is wrong with the agent, if it is gone."""
    lost: AgentLost | None = group.watch.lost
    if lost is not None:
        raise lost


def warm_up(backend: str) -> None:
    """Let torch load what its groups need, before anybody waits for this process."""
    if backend != "gloo" or dist.is_initialized():
        return
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        model = DistributedDataParallel(nn.Linear(1, 1))
        model(torch.zeros(1, 1)).sum().backward()
        del model
    finally:
        dist.destroy_process_group()
        gc.collect()


def _shut_down(descriptor: int) -> None:
    # An error says that it was closed meanwhile, or is no longer connected: all the better.
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as copy:
        copy.shutdown(socket.SHUT_RDWR)


def _tcp_sockets() -> dict[str, int]:
    """Return the descriptors of this process's connected TCP sockets, by inode."""
    connected = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == ESTABLISHED:
                    connected.add(fields[9])
    found = {}
    for entry in os.listdir("/proc/self/fd"):  # noqa: PTH208 (names are all that is needed)
        with contextlib.suppress(OSError):
            target = os.readlink(f"/proc/self/fd/{entry}")  # noqa: PTH115
            if target.startswith("socket:[") and target[8:-1] in connected:
                found[target[8:-1]] = int(entry)
    return found


def _abort_nccl() -> None:
    """Abort NCCL's communicators, where this torch can."""
    abort = getattr(dist.distributed_c10d, "_abort_process_group", None)
    if abort is not None and dist.is_initialized():
        with contextlib.suppress(Exception):  # nothing was under way, or it failed already
            abort()


def _has_init_sync() -> bool:
    import inspect

    return "init_sync" in inspect.signature(DistributedDataParallel.__init__).parameters


_DEFAULTS: dict[str, Any] = {
    "gradient_as_bucket_view": True,
    **({"init_sync": False} if _has_init_sync() else {}),
}
"""Gradients stay where they were reduced: their memory is there once, and nobody copies them back.
All members have the same state when a model is wrapped; newer versions can leave it at that."""

_GROUP_ERRORS: tuple[type[Exception], ...] = tuple(
    getattr(dist, name)
    for name in ("DistBackendError", "DistNetworkError", "DistStoreError")
    if hasattr(dist, name)
)
