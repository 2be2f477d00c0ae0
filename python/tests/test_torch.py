"""Datasets for PyTorch's DataLoader, with the real PyTorch where it is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Connect
from fake_agent import FakeAgent

import pliant

has_torch = importlib.util.find_spec("torch") is not None
with_torch = pytest.mark.skipif(not has_torch, reason="PyTorch is not installed")


def loader(*arguments: Any, **options: Any) -> Any:
    from torch.utils.data import DataLoader

    return DataLoader(*arguments, **options)


def test_missing_torch_is_said(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('not here')")
    package = Path(pliant.__file__).parent.parent
    command = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(package)!r}]\n"
        "try:\n    import pliant.torch\n"
        "except ImportError as error:\n    print(type(error).__name__, error)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", command], check=True, capture_output=True, text=True
    )
    assert printed.stdout.startswith("NoTorch this needs PyTorch")
    assert "install torch, or loop over dataset.batches(n)" in printed.stdout


@with_torch
def test_loader_gives_collated_batches(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=8, shard_size=4, read=lambda i: (float(i), i % 2))
    batches = list(loader(dataset.torch(batch_size=2), batch_size=None))
    assert [features.tolist() for features, _ in batches] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert [labels.tolist() for _, labels in batches] == [[0, 1]] * 4


@with_torch
def test_shard_counts_after_the_step_on_its_last_batch(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=8, shard_size=4)
    reported = []
    for _ in loader(dataset.torch(batch_size=2), batch_size=None):
        reported.append(len(fake.reports()))
    assert reported == [0, 0, 1, 1]
    assert fake.reports() == [(0, "done"), (1, "done")]


@with_torch
def test_loader_gives_single_records(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=4, shard_size=2)
    assert list(loader(dataset.torch(batch_size=None), batch_size=None)) == [0, 1, 2, 3]


@with_torch
def test_own_collate_is_used(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=4, shard_size=4)
    batches = loader(dataset.torch(batch_size=2, collate=sum), batch_size=None)
    assert list(batches) == [1, 5]


@with_torch
def test_loader_that_batches_itself_is_refused(fake: FakeAgent, connect: Connect) -> None:
    dataset = connect(fake).dataset("train", size=4, shard_size=4)
    with pytest.raises(pliant.InvalidRequest, match="batch_size=None"):
        list(loader(dataset.torch(), batch_size=2))
    assert fake.of("next") == []


@with_torch
@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore")
def test_loader_with_worker_processes_is_refused(
    fake: FakeAgent, connect: Connect, start: str
) -> None:
    dataset = connect(fake).dataset("train", size=4, shard_size=4)
    batches = loader(
        dataset.torch(batch_size=2), batch_size=None, num_workers=1, multiprocessing_context=start
    )
    with pytest.raises(Exception, match="num_workers"):
        list(batches)
    assert fake.of("next") == []


@with_torch
def test_a_loss_that_teaches_nothing_still_carries() -> None:
    import torch

    from pliant.torch.carrier import Carrier

    carrier = Carrier(torch.nn.Linear(2, 1))
    aside = carrier(lambda _: torch.tensor(4.0), None, False)
    before = carrier.backward(aside, 0.5, 0.0, None)
    outputs = carrier(lambda _: torch.tensor(6.0), None, True)
    loss = carrier.backward(outputs, 0.5, 3.0, before)
    assert float(loss) == 5.0
    assert carrier.signal.grad is not None
    assert carrier.signal.grad.tolist() == [3.0, 5.0]
    assert all(parameter.grad is None for parameter in carrier.model.parameters())


@with_torch
def test_a_loss_is_weighted_in_full_precision() -> None:
    import torch

    from pliant.torch.carrier import Carrier

    carrier = Carrier(torch.nn.Linear(2, 1).to(torch.bfloat16))
    loss = torch.ones((), dtype=torch.bfloat16, requires_grad=True)
    weighted = carrier.backward(carrier(lambda _: loss, None, True), 0.3, 0.0, None)
    assert float(weighted) == pytest.approx(0.3, abs=1e-6)
