"""The safetensors format: a length, a header of JSON, and the tensors' bytes.

Eight bytes (little-endian) hold the header's length; the header names for each tensor its type, its
shape and where its bytes lie behind the header. Files are what the `safetensors` package writes and
reads; this is the small part of it that needs nothing but Python.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAX_HEADER_BYTES = 100 * 1024 * 1024
ALIGNMENT = 8

SIZES: Mapping[str, int] = {
    "BOOL": 1,
    "U8": 1,
    "I8": 1,
    "I16": 2,
    "F16": 2,
    "BF16": 2,
    "I32": 4,
    "F32": 4,
    "I64": 8,
    "F64": 8,
}
"""Bytes of one element, by the format's names for types."""

_LENGTH = struct.Struct("<Q")


class BadFile(ValueError):
    """A file that is no whole safetensors file."""


@dataclass(frozen=True)
class Tensor:
    """A tensor in a file: its type, its shape, and its bytes."""

    kind: str
    shape: tuple[int, ...]
    data: memoryview


def chunks(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> Iterator[memoryview]:
    """Give the bytes of a file, piece by piece."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    start = 0
    # Larger elements first, as the format's own writer does: so each begins where it may.
    named = sorted(tensors.items(), key=lambda item: (-SIZES[item[1].kind], item[0]))
    for name, tensor in named:
        end = start + tensor.data.nbytes
        header[name] = {
            "dtype": tensor.kind,
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
        start = end
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % ALIGNMENT)
    yield memoryview(_LENGTH.pack(len(encoded)) + encoded)
    for _, tensor in named:
        yield tensor.data


def parse(content: memoryview) -> dict[str, Tensor]:
    """Read a file's tensors; their data are views of `content`."""
    if len(content) < _LENGTH.size:
        raise BadFile(f"it has {len(content)} bytes, too few for a header")
    (length,) = _LENGTH.unpack_from(content)
    if length > min(MAX_HEADER_BYTES, len(content) - _LENGTH.size):
        raise BadFile(f"its header would have {length:,} bytes, more than there are")
    body = content[_LENGTH.size + length :]
    try:
        header = json.loads(bytes(content[_LENGTH.size : _LENGTH.size + length]))
        if not isinstance(header, dict):
            raise BadFile("its header is no object of JSON")
        entries = [(name, header[name]) for name in header if name != "__metadata__"]
        return {name: _tensor(name, entry, body) for name, entry in entries}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"its header cannot be read: {error}") from error


def _tensor(name: str, entry: Mapping[str, Any], body: memoryview) -> Tensor:
    kind = str(entry["dtype"])
    shape = tuple(int(length) for length in entry["shape"])
    start, end = entry["data_offsets"]
    if kind not in SIZES:
        raise BadFile(f"'{name}' is of type {kind}, which is not known here")
    if not 0 <= start <= end <= len(body) or end - start != SIZES[kind] * _product(shape):
        raise BadFile(f"'{name}' lies at {start} to {end}, which does not fit")
    return Tensor(kind, shape, body[start:end])


def _product(numbers: Iterable[int]) -> int:
    product = 1
    for number in numbers:
        product *= number
    return product
