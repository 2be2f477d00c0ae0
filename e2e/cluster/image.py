"""Makes an image of a folder: image.py [--user UID] NAME FOLDER TAR [ENTRYPOINT …]

The same folder gives the same bytes: files are sorted, belong to root, and are as old as the epoch.
"""

import argparse
import hashlib
import io
import json
import platform
import tarfile
import tempfile
from typing import BinaryIO

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def without_chance(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def add_bytes(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def make(arguments: argparse.Namespace, layer: BinaryIO) -> None:
    with tarfile.open(fileobj=layer, mode="w") as root:  # it adds a folder's files in sorted order
        root.add(arguments.folder, ".", filter=without_chance)
    size = layer.tell()
    digest = sha256(layer)
    container = {"Entrypoint": arguments.entrypoint, "Env": [PATH]}
    if arguments.user:
        container["User"] = arguments.user
    config = {
        "architecture": ARCHITECTURES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "config": container,
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest]},
    }
    encoded = json.dumps(config, sort_keys=True).encode()
    config_name = hashlib.sha256(encoded).hexdigest() + ".json"
    manifest = [{"Config": config_name, "RepoTags": [arguments.name], "Layers": ["layer.tar"]}]
    with tarfile.open(arguments.tar, "w") as image:
        add_bytes(image, config_name, encoded)
        add_bytes(image, "manifest.json", json.dumps(manifest).encode())
        member = tarfile.TarInfo("layer.tar")
        member.size = size
        layer.seek(0)
        image.addfile(member, layer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", default="")
    parser.add_argument("name")
    parser.add_argument("folder")
    parser.add_argument("tar")
    parser.add_argument("entrypoint", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    with tempfile.TemporaryFile() as layer:
        make(arguments, layer)


main()
