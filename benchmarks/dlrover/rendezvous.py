"""Writes the requests by which DLRover's agents meet, made by DLRover's own classes.

    python rendezvous.py FOLDER AGENTS

`params.bin` says how many are to come (report). `joins.bin` and `worlds.bin` hold a request for each agent, in
the order of their ranks: that it joins, and for the world it is in (get). Each request stands behind its
length, in four bytes, big-endian, and is one `elastic.Message` as it goes over the wire.
"""

import pathlib
import sys

from dlrover.proto import elastic_training_pb2
from dlrover.python.common import comm
from dlrover.python.common.constants import RendezvousName


def wire(node: int, message: comm.Message) -> bytes:
    request = elastic_training_pb2.Message(
        node_id=node, node_type="worker", data=message.serialize()
    )
    return request.SerializeToString()


def framed(messages: list[bytes]) -> bytes:
    return b"".join(len(each).to_bytes(4, "big") + each for each in messages)


def main(folder: str, agents: str) -> None:
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    count = int(agents)
    params = comm.RendezvousParams(
        min_nodes=count, max_nodes=count, waiting_timeout=30, node_unit=1, join_timeout=600
    )
    (out / "params.bin").write_bytes(wire(0, params))
    joins = [
        comm.JoinRendezvousRequest(
            node_id=node,
            node_rank=node,
            local_world_size=1,
            rdzv_name=RendezvousName.TRAINING,
            node_ip="127.0.0.1",
        )
        for node in range(count)
    ]
    worlds = [
        comm.CommWorldRequest(
            node_id=node, local_world_size=1, rdzv_name=RendezvousName.TRAINING
        )
        for node in range(count)
    ]
    (out / "joins.bin").write_bytes(framed([wire(i, each) for i, each in enumerate(joins)]))
    (out / "worlds.bin").write_bytes(framed([wire(i, each) for i, each in enumerate(worlds)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
