"""Writes the requests that a DLRover worker sends, made by DLRover's own classes.

    python messages.py FOLDER DATASET RECORDS SHARD_SIZE EPOCHS

Each file holds one `elastic.Message` as it goes over the wire: `dataset.bin` registers the dataset
(report), `get-task.bin` asks for a shard (get), `task-result.bin` reports shard TASK_ID (report). That id
is pickled in four bytes, little-endian, so a driver can put any other id in their place.
"""

import pathlib
import shutil
import sys

import dlrover.proto
from dlrover.proto import elastic_training_pb2
from dlrover.python.common import comm

TASK_ID = 0x51A4B3C2


def write(path: pathlib.Path, message: comm.Message) -> None:
    request = elastic_training_pb2.Message(
        node_id=0, node_type="worker", data=message.serialize()
    )
    path.write_bytes(request.SerializeToString())


def main(folder: str, dataset: str, records: str, shard_size: str, epochs: str) -> None:
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    write(
        out / "dataset.bin",
        comm.DatasetShardParams(
            batch_size=int(shard_size),
            num_epochs=int(epochs),
            dataset_size=int(records),
            num_minibatches_per_shard=1,
            dataset_name=dataset,
            task_type=elastic_training_pb2.TRAINING,
            storage_type="table",
        ),
    )
    write(out / "get-task.bin", comm.TaskRequest(dataset_name=dataset))
    write(out / "task-result.bin", comm.TaskResult(dataset_name=dataset, task_id=TASK_ID))
    proto = pathlib.Path(dlrover.proto.__file__).parent / "elastic_training.proto"
    shutil.copy(proto, out / "elastic_training.proto")


if __name__ == "__main__":
    main(*sys.argv[1:])
