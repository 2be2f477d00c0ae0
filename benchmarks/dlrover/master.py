"""Runs DLRover's own local master, unchanged but for where it listens.

As shipped it listens on every interface and says nowhere on which free port. Here it listens on
loopback only, the port it got is written to the file named first, and it ends when its standard
input does: whoever measures it may die first.

    python master.py PORT_FILE [arguments of dlrover.python.master.main ...]
"""

import os
import runpy
import sys
import threading

import grpc


def listen_on_loopback(port_file: str) -> None:
    make_server = grpc.server

    def server(*args, **kwargs):
        made = make_server(*args, **kwargs)
        bind = made.add_insecure_port

        def add_insecure_port(address: str) -> int:
            port = bind("127.0.0.1:" + address.rsplit(":", 1)[1])
            with open(port_file + ".new", "w") as out:
                out.write(str(port))
            os.replace(port_file + ".new", port_file)
            return port

        made.add_insecure_port = add_insecure_port
        return made

    grpc.server = server


def end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    listen_on_loopback(sys.argv[1])
    sys.argv = ["dlrover.python.master.main", *sys.argv[2:]]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
