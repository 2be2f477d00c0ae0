"""Agents to test against: the fake, and the real one where there is one."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from fake_agent import FakeAgent

import pliant

CLUSTER = "PLIANT_TEST_CLUSTER"
START_TIMEOUT_S = 120
STOP_TIMEOUT_S = 60

_numbers = count(1)

Connect = Callable[..., pliant.Job]


@dataclass(frozen=True)
class Agent:
    """Any agent, as a training process sees it: a socket."""

    socket: str


@pytest.fixture
def fake() -> Iterator[FakeAgent]:
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        agent = FakeAgent(Path(folder) / "agent.sock")
        yield agent
        agent.close()


@pytest.fixture(scope="session")
def real_socket() -> Iterator[str]:
    """The socket of a real agent with a real master, for the whole run."""
    command = os.environ.get(CLUSTER)
    if not command:
        why = f"{CLUSTER} is not set; README.md of the Python SDK says to what"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    cluster = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield _socket_line(cluster)
    finally:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        with contextlib.suppress(OSError):
            cluster.stdin.close()
        try:
            cluster.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            cluster.kill()
            cluster.wait()
            raise
        finally:
            cluster.stdout.close()


def _socket_line(cluster: subprocess.Popen[bytes]) -> str:
    assert cluster.stdout is not None
    ready, _, _ = select.select([cluster.stdout], [], [], START_TIMEOUT_S)
    line = cluster.stdout.readline().decode().strip() if ready else ""
    assert line.startswith("socket="), f"{CLUSTER} printed {line!r}, not socket=PATH"
    return line[len("socket=") :]


@pytest.fixture(params=["fake", "real"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """First the fake, then the real one: both have to pass the same contract."""
    if request.param == "fake":
        return Agent(request.getfixturevalue("fake").socket)
    return Agent(request.getfixturevalue("real_socket"))


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Open jobs on an agent, each as a worker of its own; they are closed after the test."""
    jobs: list[pliant.Job] = []

    def open_job(agent: Agent | FakeAgent, worker: str | None = None) -> pliant.Job:
        job = pliant.Job.connect(agent.socket, worker or f"w{next(_numbers)}")
        jobs.append(job)
        return job

    yield open_job
    for job in jobs:
        job.close()


@pytest.fixture
def name() -> str:
    """A name that no dataset has had, for a real job outlives its tests."""
    return f"d{next(_numbers)}"


@dataclass
class Script:
    """A training script in a process of its own."""

    process: subprocess.Popen[str]

    def end(self, timeout_s: float = 30) -> tuple[int, str, str]:
        """Wait for its end; its exit code and what it printed."""
        out, err = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, out, err

    def line(self) -> str:
        """Wait for a line of it."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def say(self, line: str) -> None:
        """Write a line to it."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


Start = Callable[..., Script]


def _hear_interrupts() -> None:
    """Be as a script that an agent starts: tests may run in the background, where none is heard."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start(fake: FakeAgent, tmp_path: Path) -> Iterator[Start]:
    """Start scripts as an agent does."""
    scripts: list[Script] = []

    def start_script(source: str, **environment: str) -> Script:
        path = tmp_path / "train.py"
        path.write_text(source)
        package = str(Path(pliant.__file__).parent.parent)
        process = subprocess.Popen(
            [sys.executable, "-W", "error", str(path)],
            env={
                **os.environ,
                "PLIANT_SOCKET": fake.socket,
                "PLIANT_WORKER": "w0",
                "PLIANT_JOB": "default/fake",
                "PYTHONPATH": package,
                **environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hear_interrupts,
        )
        scripts.append(Script(process))
        return scripts[-1]

    yield start_script
    for script in scripts:
        if script.process.poll() is None:
            script.process.kill()
            script.process.communicate(timeout=30)
