"""Training whose group changes: real processes, real groups of gloo, and things that die."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import Agent, Connect
from fake_agent import FakeAgent
from fake_world import FakeRendezvous

import pliant

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)

TIMEOUT_S = 60
SCRIPT = Path(__file__).parent / "elastic_worker.py"


@dataclass(frozen=True)
class Stepped:
    """A line of a worker on a step that it ran."""

    number: int
    world: int
    size: int
    rank: int
    loss: float
    records: str

    @staticmethod
    def read(line: str) -> Stepped:
        number, _, _, world, size, rank, loss, records = line.split()[1:]
        return Stepped(int(number), int(world), int(size), int(rank), float(loss), records)


@dataclass
class Worker:
    """A training process, and the lines that it has written."""

    name: str
    process: subprocess.Popen[str]
    changed: threading.Condition = field(default_factory=threading.Condition)
    lines: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.readers = [
            threading.Thread(target=self._read, args=(stream, into))
            for stream, into in (
                (self.process.stdout, self.lines),
                (self.process.stderr, self.errors),
            )
        ]
        for reader in self.readers:
            reader.start()

    def _read(self, stream: Any, into: list[str]) -> None:
        for line in stream:
            with self.changed:
                into.append(line.strip())
                self.changed.notify_all()

    def steps(self) -> list[Stepped]:
        with self.changed:
            return [Stepped.read(line) for line in self.lines if line.startswith("step ")]

    def wait_for(self, what: str, until: Callable[[], bool]) -> None:
        with self.changed:
            came = self.changed.wait_for(until, TIMEOUT_S)
        assert came, f"{self.name}: {what} did not come; {self.lines[-3:]} {self.errors[-15:]}"

    def wait_for_step(self, number: int) -> None:
        self.wait_for(f"step {number}", lambda: any(s.number >= number for s in self.steps()))

    def wait_for_size(self, size: int) -> None:
        self.wait_for(f"size {size}", lambda: any(s.size == size for s in self.steps()[-3:]))

    def end(self) -> int:
        code = self.process.wait(TIMEOUT_S)
        for reader in self.readers:
            reader.join(TIMEOUT_S)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.end()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def result(self) -> tuple[int, int, float]:
        """Rank, steps and a number made of the model, from its last line."""
        assert self.end() == 0, self.errors[-20:]
        end = next(line for line in self.lines if line.startswith("end "))
        rank, steps, total = end.split()[1:]
        return int(rank), int(steps), float(total)


def start_worker(socket: str, name: str, options: dict[str, Any]) -> Worker:
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        env={
            **os.environ,
            "PLIANT_SOCKET": socket,
            "PLIANT_WORKER": name,
            "PLIANT_HOST": "127.0.0.1",
            "PYTHONPATH": str(Path(pliant.__file__).parent.parent),
            "OMP_NUM_THREADS": "1",
            "WORKER_OPTIONS": json.dumps(options),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return Worker(name, process)


class Cluster:
    """An agent that forms worlds, and the workers that share it."""

    def __init__(self, folder: Path, **rendezvous: Any) -> None:
        patient = {"last_call_s": TIMEOUT_S, "leave_out_after_s": TIMEOUT_S, **rendezvous}
        self.agent = FakeAgent(folder / "a.sock", rendezvous=FakeRendezvous(**patient))
        self.workers: list[Worker] = []
        self.gate = folder / "gate"

    def start(self, *names: str, **options: Any) -> list[Worker]:
        slow = {"gate": str(self.gate), **options}
        started = [start_worker(self.agent.socket, name, slow) for name in names]
        self.workers += started
        return started

    def open(self) -> None:
        """Let them train on at full speed."""
        self.gate.touch()

    def by_rank(self, workers: list[Worker]) -> list[Worker]:
        """The workers in the order of their ranks in the newest world."""
        with self.agent.changed:
            world = list(self.agent.rendezvous.world)
        return sorted(workers, key=lambda worker: world.index(worker.name))

    def wait_for_worlds(self, count: int) -> None:
        with self.agent.changed:
            came = self.agent.changed.wait_for(
                lambda: len(self.agent.rendezvous.worlds) >= count, TIMEOUT_S
            )
        assert came, self.agent.rendezvous.worlds

    def committed(self) -> list[tuple[int, int]]:
        """The newest step of each word that was taken, in order; each stands for all before it."""
        with self.agent.changed:
            said = [s for s in self.agent.stepped if s["outcome"] == "committed"]
        return [(s["epoch"], s["step"]) for s in said]

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
        self.agent.close()


Start = Callable[..., Cluster]


@pytest.fixture
def cluster() -> Iterator[Start]:
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        clusters: list[Cluster] = []

        def make(**rendezvous: Any) -> Cluster:
            place = Path(folder) / str(len(clusters))
            place.mkdir()
            clusters.append(Cluster(place, **rendezvous))
            return clusters[-1]

        yield make
        for each in clusters:
            each.close()


def check_committed(cluster: Cluster) -> None:
    """All steps, each once and in order, though not each by a word of its own."""
    committed = cluster.committed()
    assert committed == sorted(set(committed))
    assert committed[-1] == (11, 9)


def history(workers: list[Worker]) -> dict[int, Stepped]:
    """Every step as it was last done, whoever tells of it."""
    steps = [step for worker in workers for step in worker.steps()]
    return {step.number: step for step in sorted(steps, key=lambda s: (s.number, s.world))}


def check_same_training(one: dict[int, Stepped], other: dict[int, Stepped]) -> None:
    assert sorted(one) == sorted(other)
    for number, step in one.items():
        assert step.records == other[number].records
        assert step.loss == pytest.approx(other[number].loss, rel=1e-3, abs=1e-5)


LONG: dict[str, Any] = {"size": 150, "batch": 16, "epochs": 12}
"""Slow until a cluster's gate is opened, so that what is to happen on the way can: 115 s."""
STEPS = 120


@pytest.fixture(scope="module")
def alone() -> Iterator[tuple[dict[int, Stepped], float]]:
    """The same training by one worker, undisturbed."""
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.open()
            (worker,) = cluster.start("w0", **LONG)
            _, steps, total = worker.result()
            assert steps == STEPS
            yield history([worker]), total
        finally:
            cluster.close()


Alone = tuple[dict[int, Stepped], float]


def test_three_train_as_one_does(cluster: Start, alone: Alone) -> None:
    three = cluster(wish=3)
    three.open()
    workers = three.start("w0", "w1", "w2", **LONG)
    totals = [worker.result()[2] for worker in workers]
    assert totals[0] == totals[1] == totals[2] == pytest.approx(alone[1], rel=1e-4)
    check_same_training(alone[0], history(workers))
    assert {step.size for worker in workers for step in worker.steps()} == {3}
    check_committed(three)


def test_gradients_are_those_of_the_whole_batch(cluster: Start) -> None:
    """What three members make of a step is what one process makes of its records at once."""
    import torch
    from torch import nn

    three = cluster(wish=3)
    three.open()
    options = {"size": 37, "batch": 37, "epochs": 1, "gradients": True}
    workers = three.start("w0", "w1", "w2", **options)
    for worker in workers:
        worker.result()
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(7)
    inputs = torch.randn(37, 5, generator=generator)
    targets = inputs @ torch.randn(5, 2, generator=generator) + 0.3
    model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2))
    model = nn.Sequential(model[0], model[2], model[3])
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    expected = [
        v for p in model.parameters() if p.grad is not None for v in p.grad.flatten().tolist()
    ]
    for worker in workers:
        told = next(line for line in worker.lines if line.startswith("gradients "))
        assert [float(value) for value in told.split()[1:]] == pytest.approx(expected, abs=1e-6)
        assert worker.steps()[0].loss == pytest.approx(loss.item(), abs=1e-6)


def test_more_workers_than_micro_batches(cluster: Start) -> None:
    few, many = cluster(wish=1), cluster(wish=3)
    few.open()
    many.open()
    options = {"micro": 2, "epochs": 2}
    (one,) = few.start("w0", **options)
    workers = many.start("w0", "w1", "w2", **options)
    totals = {worker.result()[2] for worker in workers}
    assert totals == {totals.copy().pop()}
    assert totals.pop() == pytest.approx(one.result()[2], rel=1e-5)


def test_size_changes_and_the_training_stays_the_same(cluster: Start, alone: Alone) -> None:
    """1 → 3 → 2 workers: two join, one is released."""
    changing = cluster(wish=1, abort_after_s=TIMEOUT_S)
    (first,) = changing.start("w0", **LONG)
    first.wait_for_step(3)
    with changing.agent.changed:
        changing.agent.rendezvous.wish = 3
    joined = changing.start("w1", "w2", **LONG, init=99)
    first.wait_for_size(3)
    with changing.agent.changed:
        changing.agent.rendezvous.drain("w1")
        changing.agent.changed.notify_all()
    assert joined[0].end() == 0
    assert not any(line.startswith("end") for line in joined[0].lines)
    first.wait_for_size(2)
    changing.open()
    totals = [first.result()[2], joined[1].result()[2]]
    assert totals[0] == totals[1] == pytest.approx(alone[1], rel=1e-3)
    check_same_training(alone[0], history([first, *joined]))
    check_committed(changing)
    assert not any("failed" in line for line in first.errors), "a planned change breaks nothing"


@pytest.mark.parametrize("rank", [0, 1])
def test_killed_member_costs_no_step(cluster: Start, alone: Alone, rank: int) -> None:
    three = cluster(wish=3)
    workers = three.start("w0", "w1", "w2", **LONG)
    workers[0].wait_for_step(5)
    victim = three.by_rank(workers)[rank]
    victim.process.kill()
    three.open()
    survivors = [worker for worker in workers if worker is not victim]
    totals = [worker.result()[2] for worker in survivors]
    assert totals[0] == totals[1] == pytest.approx(alone[1], rel=1e-3)
    check_same_training(alone[0], history(workers))
    assert [len(world) for world in three.agent.rendezvous.worlds] == [3, 2]
    assert three.agent.of("restore") == []


def test_two_killed_at_once(cluster: Start, alone: Alone) -> None:
    three = cluster(wish=3)
    workers = three.start("w0", "w1", "w2", **LONG)
    workers[2].wait_for_step(5)
    ranked = three.by_rank(workers)
    ranked[0].process.kill()
    ranked[2].process.kill()
    three.open()
    assert ranked[1].result()[2] == pytest.approx(alone[1], rel=1e-3)
    check_same_training(alone[0], history(workers))


@pytest.mark.parametrize(
    ("stage", "rank"), [("join", 0), ("join", 1), ("agree", 0), ("transfer", 0), ("transfer", 2)]
)
def test_death_while_a_world_forms(cluster: Start, alone: Alone, stage: str, rank: int) -> None:
    """Two train, a third joins, and one of them dies before the three are together."""
    joining = cluster(wish=2)
    dying = {"die_in": stage, "die_rank": rank, "die_world": 2}
    workers = joining.start("w0", "w1", **LONG, **dying)
    workers[0].wait_for_step(5)
    with joining.agent.changed:
        joining.agent.rendezvous.wish = 3
    workers += joining.start("w2", **LONG, **dying, init=9)
    joining.wait_for_worlds(3)
    joining.open()
    ends = [worker.end() for worker in workers]
    assert sorted(ends) == [-signal.SIGKILL, 0, 0], [worker.errors[-9:] for worker in workers]
    totals = [worker.result()[2] for worker in workers if worker.process.returncode == 0]
    assert totals[0] == totals[1] == pytest.approx(alone[1], rel=1e-3)
    check_same_training(alone[0], history(workers))
    assert [len(world) for world in joining.agent.rendezvous.worlds] == [2, 3, 2]
    assert joining.agent.of("restore") == []


def test_stopped_member_is_left_out_and_joins_anew(cluster: Start, alone: Alone) -> None:
    three = cluster(wish=3)
    workers = three.start("w0", "w1", "w2", **LONG)
    workers[0].wait_for_step(5)
    stopped = three.by_rank(workers)[0]
    stopped.process.send_signal(signal.SIGSTOP)
    with three.agent.changed:
        three.agent.rendezvous.lose(stopped.name)
        three.agent.changed.notify_all()
    others = [worker for worker in workers if worker is not stopped]
    others[0].wait_for_size(2)
    stopped.process.send_signal(signal.SIGCONT)
    others[0].wait_for_size(3)
    three.open()
    totals = [worker.result()[2] for worker in workers]
    assert totals[0] == totals[1] == totals[2] == pytest.approx(alone[1], rel=1e-3)
    check_same_training(alone[0], history(workers))
    assert any("joins anew" in line for line in stopped.errors)


def test_own_error_of_the_script_is_raised_as_it_is(cluster: Start) -> None:
    one = cluster(wish=1)
    one.open()
    (worker,) = one.start("w0", fault_at=3)
    assert worker.end() == 1
    assert worker.errors[-1] == "RuntimeError: the script's own fault"
    assert len(worker.steps()) == 3
    assert one.agent.of("bye")[-1]["reason"] == "error"


def test_error_in_one_member_does_not_keep_the_others(cluster: Start) -> None:
    two = cluster(wish=2)
    (good,) = two.start("w0", **{**LONG, "epochs": 3})
    (bad,) = two.start("w1", **{**LONG, "epochs": 3}, fault_at=5)
    assert bad.end() == 1
    two.open()
    assert good.result()[1] == 30
    assert [len(world) for world in two.agent.rendezvous.worlds] == [2, 1]


def test_buffers_are_put_back_before_a_step_is_done_again(cluster: Start) -> None:
    two = cluster(wish=2)
    options = {**LONG, "size": 160, "epochs": 6, "norm": True}
    workers = two.start("w0", "w1", **options)
    workers[0].wait_for_step(5)
    survivor, victim = two.by_rank(workers)
    victim.process.kill()
    two.open()
    assert survivor.result()[1] == 60
    counted = sum(4 // step.size for step in survivor.steps())
    assert int(survivor.lines[-2].split()[1]) == counted, "of each step, its own share once"


def test_all_die_and_the_next_begins_anew(cluster: Start, alone: Alone) -> None:
    one = cluster(wish=1)
    one.open()
    (first,) = one.start("w0", **LONG, kill_at=[30])
    assert first.end() == -signal.SIGKILL
    (second,) = one.start("w1", **LONG)
    assert second.result()[2] == pytest.approx(alone[1], rel=1e-6)
    check_same_training(alone[0], history([second]))
    assert [request["number"] for request in one.agent.of("restore")] == [0]
    assert second.steps()[0].number == 0


def test_all_die_and_the_next_goes_on_from_the_checkpoint(
    cluster: Start, alone: Alone, tmp_path: Path
) -> None:
    one = cluster(wish=1)
    one.open()
    policy = {"path": str(tmp_path / "kept"), "every": 10, "keep": 2}
    (first,) = one.start("w0", **LONG, kill_at=[38], checkpoint=policy)
    assert first.end() == -signal.SIGKILL
    (second,) = one.start("w1", **LONG, checkpoint=policy, init=5)
    assert second.result()[2] == pytest.approx(alone[1], rel=1e-6)
    # From the tenth step on: one that is due while another is still being written comes later.
    assert 10 <= second.steps()[0].number < 38
    check_same_training(alone[0], history([first, second]))
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_real_agent_and_master_bring_workers_together(
    real_socket: str, connect: Connect, alone: Alone, tmp_path: Path
) -> None:
    """Two train, a third joins, and rank 0 is killed: with the real ones, not the fake."""
    options = {**LONG, "gate": str(tmp_path / "gate")}
    workers = [start_worker(real_socket, name, options) for name in ("e0", "e1")]
    try:
        workers[1].wait_for_size(2)
        workers.append(start_worker(real_socket, "e2", {**options, "init": 9}))
        workers[2].wait_for_size(3)
        victim = next(w for w in workers if w.steps()[-1].rank == 0)
        victim.process.kill()
        (tmp_path / "gate").touch()
        survivors = [worker for worker in workers if worker is not victim]
        totals = [worker.result()[2] for worker in survivors]
        assert totals[0] == totals[1] == pytest.approx(alone[1], rel=1e-3)
        check_same_training(alone[0], history(workers))
        dataset = connect(Agent(real_socket)).dataset(
            "train", size=150, batch_size=16, epochs=12, shuffle="records", seed=3
        )
        assert dataset.progress().state == "end"
    finally:
        for worker in workers:
            worker.close()
