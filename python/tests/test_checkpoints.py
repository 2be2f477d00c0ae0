"""Checkpoints on disk: whole or not there, whatever happened while they were written."""

from __future__ import annotations

import errno
import importlib.util
import json
import logging
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pliant
from pliant import safetensors
from pliant.checkpoints import (
    MANIFEST,
    CheckpointFolder,
    CheckpointPolicy,
    Content,
    Taker,
    checkpoints_below,
)

PACKAGE = Path(pliant.__file__).parent.parent

with_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)


TAKER = Taker("default/digits", "u-1", 7, 0)
JOB = "default/digits"


def a_ledger(number: int) -> pliant.Checkpoint:
    """What a master gives for a checkpoint, without what only a master reads."""
    return pliant.Checkpoint(
        number, {"number": number, "job": JOB, "uid": "u-1", "run": 7, "lineage": 0}
    )


@pytest.fixture(autouse=True)
def _without_uid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLIANT_JOB_UID", raising=False)


def write(path: Path, number: int, keep: int = 3, text: str = "") -> None:
    files: dict[str, Content] = {
        "model.safetensors": [b"weights of ", text.encode() or str(number).encode()],
        "training.json": [json.dumps({"number": number}).encode()],
    }
    CheckpointFolder(path).write(number, files, keep, TAKER)


def newest(path: Path) -> int | None:
    found = next(CheckpointFolder(path).whole_ones(), None)
    if found is None:
        return None
    assert json.loads(bytes(found.files["training.json"])) == {"number": found.number}
    return found.number


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert newest(tmp_path / "not-there") is None
    assert newest(tmp_path) is None


def test_last_ones_are_kept(tmp_path: Path) -> None:
    for number in (1, 2, 9, 10, 11):
        write(tmp_path, number, keep=3)
    assert CheckpointFolder(tmp_path).numbers() == [11, 10, 9]
    assert newest(tmp_path) == 11
    assert len(list(tmp_path.iterdir())) == 3


def test_numbers_that_start_again_do_not_make_new_ones_old(tmp_path: Path) -> None:
    for number in (48, 49, 50, 1, 2):
        write(tmp_path, number, keep=3)
    assert CheckpointFolder(tmp_path).numbers() == [2, 1, 50]
    assert newest(tmp_path) == 2


def test_same_number_is_replaced(tmp_path: Path) -> None:
    write(tmp_path, 5, text="old")
    write(tmp_path, 5, text="new")
    (found,) = CheckpointFolder(tmp_path).whole_ones()
    assert bytes(found.files["model.safetensors"]) == b"weights of new"


CRASHING = """
import os, sys
from pathlib import Path
import pliant.checkpoints as checkpoints

stage, left = sys.argv[2], [int(sys.argv[3])]

def dying(real):
    def call(*arguments, **options):
        if left[0] == 0:
            os.kill(os.getpid(), 9)
        left[0] -= 1
        return real(*arguments, **options)
    return call

if stage == "fsync":
    os.fsync = dying(os.fsync)
elif stage == "rename":
    Path.rename = dying(Path.rename)
elif stage == "rmtree":
    checkpoints.shutil.rmtree = dying(checkpoints.shutil.rmtree)

def pieces():
    yield b"half"
    if stage == "write":
        os.kill(os.getpid(), 9)
    yield b"whole"

training = [b'{"number": 8}']
checkpoints.CheckpointFolder(Path(sys.argv[1])).write(
    8, {"model.safetensors": pieces(), "training.json": training}, 2,
    checkpoints.Taker("default/digits", "u-1", 7, 0))
"""


@pytest.mark.parametrize(
    ("stage", "after", "expected"),
    [
        ("write", 0, 7),
        ("fsync", 0, 7),
        ("fsync", 1, 7),
        ("fsync", 2, 7),
        ("fsync", 3, 7),
        ("rename", 0, 7),
        ("rename", 1, 7),
        ("fsync", 4, 8),
        ("rename", 2, 8),
        ("rmtree", 0, 8),
    ],
)
def test_whole_one_is_found_after_a_crash_at_any_stage(
    tmp_path: Path, stage: str, after: int, expected: int
) -> None:
    write(tmp_path, 6)
    write(tmp_path, 7)
    crashed = subprocess.run(
        [sys.executable, "-c", CRASHING, str(tmp_path), stage, str(after)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        check=False,
    )
    assert crashed.returncode == -signal.SIGKILL
    assert newest(tmp_path) == expected
    write(tmp_path, 9, keep=2)
    assert newest(tmp_path) == 9
    assert not [entry for entry in tmp_path.iterdir() if entry.name.startswith(".")]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", ["flip", "cut", "gone", "manifest", "empty manifest", "moved"])
def test_damaged_one_is_passed_over_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    for number in (1, 2):
        write(tmp_path, number)
    last = tmp_path / "checkpoint-2"
    if damage == "flip":
        flip(last / "model.safetensors")
    elif damage == "cut":
        os.truncate(last / "training.json", 3)
    elif damage == "gone":
        (last / "training.json").unlink()
    elif damage == "manifest":
        flip(last / MANIFEST)
    elif damage == "empty manifest":
        os.truncate(last / MANIFEST, 0)
    else:
        last.rename(tmp_path / "checkpoint-3")
    with caplog.at_level(logging.WARNING, "pliant"):
        assert newest(tmp_path) == 1
    assert "is damaged and not used" in caplog.text


def test_full_disk_leaves_the_earlier_one(tmp_path: Path) -> None:
    write(tmp_path, 1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(OSError) as full:  # noqa: PT011 (its number is looked at)
            write(tmp_path, 2, text="x" * 20_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, previous)
    assert full.value.errno == errno.EFBIG
    assert [entry.name for entry in tmp_path.iterdir()] == ["checkpoint-1"]
    write(tmp_path, 3, text="x" * 20_000)
    assert newest(tmp_path) == 3


def test_policy_is_read_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLIANT_CHECKPOINT", raising=False)
    assert CheckpointPolicy.from_environment() is None
    monkeypatch.setenv("PLIANT_CHECKPOINT", '{"path": "/x", "every": 7, "keep": 2}')
    assert CheckpointPolicy.from_environment() == CheckpointPolicy(Path("/x"), 7, 2)
    monkeypatch.setenv(
        "PLIANT_CHECKPOINT", '{"path": "/x", "from": "latest", "with_data_position": true}'
    )
    assert CheckpointPolicy.from_environment() == CheckpointPolicy(
        Path("/x"), 100, 3, "latest", True
    )
    for bad in ("nonsense", "[]", "{}", '{"path": "/x", "evry": 7}', '{"path": "/x", "keep": 0}'):
        monkeypatch.setenv("PLIANT_CHECKPOINT", bad)
        with pytest.raises(pliant.InvalidRequest):
            CheckpointPolicy.from_environment()


def test_manifest_names_the_job_that_took_it(tmp_path: Path) -> None:
    write(tmp_path, 4)
    manifest = json.loads((tmp_path / "checkpoint-4" / MANIFEST).read_bytes())
    assert {name: manifest[name] for name in ("job", "uid", "run", "lineage")} == {
        "job": "default/digits",
        "uid": "u-1",
        "run": 7,
        "lineage": 0,
    }


def folder_of(base: Path, uid: str, monkeypatch: pytest.MonkeyPatch) -> CheckpointFolder:
    monkeypatch.setenv("PLIANT_JOB_UID", uid)
    return CheckpointFolder.of(base, JOB)


def test_runs_neither_find_nor_remove_each_others_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = folder_of(tmp_path, "u-1", monkeypatch)
    for number in (1, 2):
        write(first.path, number, keep=2)
    second = folder_of(tmp_path, "u-2", monkeypatch)
    assert second.path == tmp_path / "default/digits/u-2"
    assert list(second.whole_ones()) == []
    for number in (1, 2, 3):
        write(second.path, number, keep=1)
    assert (first.numbers(), second.numbers()) == ([2, 1], [3])
    assert second.earlier() == [first.path / "checkpoint-2", first.path / "checkpoint-1"]


def test_other_jobs_on_one_path_are_no_earlier_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLIANT_JOB_UID", "u-1")
    write(CheckpointFolder.of(tmp_path, "default/other").path, 1)
    assert folder_of(tmp_path, "u-2", monkeypatch).earlier() == []


def test_path_names_a_checkpoint_a_run_or_a_job(tmp_path: Path) -> None:
    run = tmp_path / "default/digits/u-1"
    for number in (9, 10):
        write(run, number)
    both = [run / "checkpoint-10", run / "checkpoint-9"]
    assert checkpoints_below(run / "checkpoint-9") == [run / "checkpoint-9"]
    assert checkpoints_below(run) == both
    assert checkpoints_below(run.parent) == both
    assert checkpoints_below(tmp_path / "not-there") == []


def parsed(content: bytes) -> dict[str, safetensors.Tensor]:
    return safetensors.parse(memoryview(content))


def encoded(**tensors: safetensors.Tensor) -> bytes:
    return b"".join(safetensors.chunks(tensors, {"format": "pt"}))


def test_tensors_are_read_as_they_were_written() -> None:
    small = safetensors.Tensor("U8", (3,), memoryview(b"abc"))
    large = safetensors.Tensor("F64", (1, 2), memoryview(bytes(range(16))))
    nothing = safetensors.Tensor("F32", (0, 4), memoryview(b""))
    content = encoded(small=small, large=large, nothing=nothing)
    assert int.from_bytes(content[:8], "little") % 8 == 0
    assert parsed(content) == {"large": large, "nothing": nothing, "small": small}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 7,
        b"\xff" * 8,
        (99).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (4).to_bytes(8, "little") + b'{"a"',
        encoded(a=safetensors.Tensor("F32", (1,), memoryview(b"1234")))[:-1],
        encoded(a=safetensors.Tensor("F32", (2,), memoryview(b"1234"))),
        encoded(a=safetensors.Tensor("F32", (1,), memoryview(b"1234"))).replace(b"F32", b"F99"),
    ],
)
def test_bad_file_is_refused(content: bytes) -> None:
    with pytest.raises(safetensors.BadFile):
        parsed(content)


def a_state(layers: int = 4) -> Any:
    import torch

    from pliant.torch.state import TrainingState

    torch.manual_seed(layers)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, layers), torch.nn.BatchNorm1d(layers), torch.nn.Linear(layers, 1)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, betas=(0.8, 0.9))
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 5], 0.5)
    state = TrainingState(model, optimizer, scheduler)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 3)).sum().backward()
        optimizer.step()
        scheduler.step()
        state.steps += 1
    state.positions = {"train": (1, 2)}
    state.micro_batches = 4
    state.begin()
    return state


class Ledgers:
    """What of a job a checkpoint needs."""

    def __init__(self) -> None:
        self.restored: list[Any] = []

    def restore(self, ledger: Any, *, take_over: bool = False) -> int:
        self.restored.append(ledger if not take_over else ("taken over", ledger["number"]))
        return len(self.restored)


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Any, Path]:
    from pliant.torch.saving import Saver

    state = a_state()
    saver = Saver(CheckpointPolicy(tmp_path / "kept"), JOB)
    for number in (1, 2):
        saver.save(state, a_ledger(number))
    saver.finish()
    return state, tmp_path / "kept"


@with_torch
def test_state_comes_back_to_the_last_bit(saved: tuple[Any, Path]) -> None:
    import torch

    from pliant.torch.saving import Saver

    state, path = saved
    other, ledgers = a_state(), Ledgers()
    for parameter in other.model.parameters():
        torch.nn.init.zeros_(parameter)
    assert Saver(CheckpointPolicy(path), JOB).restore(other, ledgers) == 2  # type: ignore[arg-type]
    assert ledgers.restored == [a_ledger(2).ledger]
    for name, tensor in state.model.state_dict().items():
        assert torch.equal(other.model.state_dict()[name], tensor), name
    assert repr(other.optimizer.state_dict()) == repr(state.optimizer.state_dict())
    assert other.scheduler.state_dict() == state.scheduler.state_dict()
    assert (other.steps, other.positions, other.lineage) == (3, {"train": (1, 2)}, state.lineage)


@with_torch
def test_earlier_one_is_used_where_the_newest_is_damaged(
    saved: tuple[Any, Path], caplog: pytest.LogCaptureFixture
) -> None:
    from pliant.torch.saving import Saver

    flip(saved[1] / "checkpoint-2/model.safetensors")
    ledgers: Any = Ledgers()
    with caplog.at_level(logging.WARNING, "pliant"):
        assert Saver(CheckpointPolicy(saved[1]), JOB).restore(a_state(), ledgers) == 1
    assert "checkpoint-2 is damaged and not used: model.safetensors has other bytes" in caplog.text


@with_torch
def test_checkpoint_of_another_model_is_refused(saved: tuple[Any, Path]) -> None:
    from pliant.torch.saving import Saver

    ledgers: Any = Ledgers()
    with pytest.raises(pliant.PliantError, match="another model"):
        Saver(CheckpointPolicy(saved[1]), JOB).restore(a_state(layers=5), ledgers)
    assert ledgers.restored == []


@with_torch
def test_training_goes_on_where_nothing_can_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from pliant.torch.saving import Saver

    blocked = tmp_path / "kept"
    blocked.write_text("a file is in the way")
    saver = Saver(CheckpointPolicy(blocked), JOB)
    saver.save(a_state(), a_ledger(1))
    saver.finish()
    assert "CHECKPOINT 1 COULD NOT BE WRITTEN" in caplog.text
    blocked.unlink()
    saver.save(a_state(), a_ledger(2))
    saver.finish()
    assert CheckpointFolder(blocked).numbers() == [2]


@with_torch
def test_full_disk_is_said_and_survived(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """On a file system of 64 KiB, where this process may mount one."""
    from pliant.torch.saving import Saver

    small = tmp_path / "small"
    small.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("needs root, to mount a small file system")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (small / "filler").write_bytes(b"x" * 56 * 1024)
        saver = Saver(CheckpointPolicy(small / "kept"), JOB)
        saver.save(a_state(), a_ledger(1))
        saver.finish()
        assert "No space left on device" in caplog.text
        (small / "filler").unlink()
        saver.save(a_state(), a_ledger(2))
        saver.finish()
        assert saver.folder.numbers() == [2]
    finally:
        subprocess.run(["umount", str(small)], check=True)


@with_torch
def test_safetensors_own_package_reads_ours_and_we_read_its(
    saved: tuple[Any, Path], tmp_path: Path
) -> None:
    import torch

    theirs = pytest.importorskip("safetensors.torch")
    model = saved[0].model.state_dict()
    read = theirs.load_file(saved[1] / "checkpoint-2/model.safetensors")
    assert sorted(read) == sorted(model)
    assert all(torch.equal(read[name], tensor) for name, tensor in model.items())
    kinds = [torch.bool, torch.uint8, torch.float16, torch.bfloat16, torch.int64, torch.float64]
    written = {str(kind): torch.ones(2, 3).to(kind) for kind in kinds}
    theirs.save_file(written, tmp_path / "theirs.safetensors")
    from pliant.torch.saving import _tensors

    ours = _tensors(memoryview(bytearray((tmp_path / "theirs.safetensors").read_bytes())))
    assert all(torch.equal(ours[name], tensor) for name, tensor in written.items())


def started(
    path: Path, monkeypatch: pytest.MonkeyPatch, start: str, with_data_position: bool = False
) -> tuple[Any, Ledgers]:
    """Start another run from what `saved` kept, with another learning rate."""
    import torch

    from pliant.torch.saving import Saver

    monkeypatch.setenv("PLIANT_JOB_UID", "u-2")
    policy = CheckpointPolicy(path, start=start, with_data_position=with_data_position)
    state, ledgers = a_state(), Ledgers()
    for parameter in state.model.parameters():
        torch.nn.init.zeros_(parameter)
    state.optimizer.param_groups[0]["lr"] = 0.7
    state.reset()
    job: Any = ledgers
    assert Saver(policy, JOB).start(state, job) is not None
    return state, ledgers


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Path]:
    """Give the state and the base folder of a run u-1 that took two checkpoints."""
    from pliant.torch.saving import Saver

    monkeypatch.setenv("PLIANT_JOB_UID", "u-1")
    state = a_state()
    saver = Saver(CheckpointPolicy(tmp_path), JOB)
    for number in (1, 2):
        saver.save(state, a_ledger(number))
    saver.finish()
    return state, tmp_path


@with_torch
def test_new_run_takes_model_and_optimizer_and_starts_the_data_anew(
    earlier: tuple[Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    before, path = earlier
    for start in ("latest", str(path / JOB / "u-1"), str(path / JOB / "u-1/checkpoint-2")):
        state, ledgers = started(path, monkeypatch, start)
        assert ledgers.restored == []
        assert (state.steps, state.positions) == (0, {})
        for name, tensor in before.model.state_dict().items():
            assert torch.equal(state.model.state_dict()[name], tensor), name
        mine, theirs = state.optimizer.state_dict(), before.optimizer.state_dict()
        assert repr(mine["state"]) == repr(theirs["state"])
        assert mine["param_groups"][0]["lr"] == 0.7


@with_torch
def test_new_run_takes_the_data_position_only_when_asked(
    earlier: tuple[Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, ledgers = started(earlier[1], monkeypatch, "latest", with_data_position=True)
    assert ledgers.restored == [("taken over", 2)]
    assert (state.steps, state.positions) == (3, {"train": (1, 2)})


@with_torch
def test_nothing_to_start_from_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pliant.PliantError, match="no whole checkpoint to start from"):
        started(tmp_path, monkeypatch, "latest")


@with_torch
def test_new_run_says_that_an_earlier_one_left_checkpoints(
    earlier: tuple[Any, Path], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from pliant.torch.saving import Saver

    monkeypatch.setenv("PLIANT_JOB_UID", "u-2")
    with caplog.at_level(logging.WARNING, "pliant"):
        Saver(CheckpointPolicy(earlier[1]), JOB).warn_of_earlier()
    assert "An earlier run left 2 checkpoints" in caplog.text
    assert "--from-checkpoint latest" in caplog.text
