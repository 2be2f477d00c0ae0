"""What belongs to a whole process: its one job, and how that learns of the process's end."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, NoReturn

from pliant.errors import InvalidRequest, NotInJob, PliantError, describe
from pliant.job import Job

_logger = logging.getLogger("pliant")


class _Ending:
    """Tells a job how the process ends.

    An exception that nobody caught reaches the interpreter's hooks; they are chained, so that what
    was there still runs. An orderly end reaches `atexit`. All else (a signal, a machine's death)
    cuts the connection, and the agent takes the worker for lost.

    `sys.exit(3)` reaches no hook, so it is looked at as it is called. It may still be caught: it
    ended the script if the outermost frame never came further than the instruction it stood at.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._error: str | None = None
        self._previous = sys.excepthook
        self._previous_of_threads = threading.excepthook
        self._previous_exit = sys.exit
        self._exit: tuple[object, FrameType, int] | None = None
        sys.excepthook = self._on_error
        threading.excepthook = self._on_error_of_thread
        sys.exit = self._on_sys_exit
        atexit.register(self._on_exit)

    def remove(self) -> None:
        """Take the hooks out again; one that somebody else chained after us stays, and is idle."""
        if sys.excepthook == self._on_error:
            sys.excepthook = self._previous
        if threading.excepthook == self._on_error_of_thread:
            threading.excepthook = self._previous_of_threads
        if sys.exit == self._on_sys_exit:
            sys.exit = self._previous_exit
        atexit.unregister(self._on_exit)

    def _on_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        try:
            self._previous(kind, error, trace)
        finally:
            if not _is_interactive():
                self._error = describe(error)
                self._blame(error)

    def _on_error_of_thread(self, args: Any) -> None:
        try:
            self._previous_of_threads(args)
        finally:
            self._blame(args.exc_value)

    def _blame(self, error: BaseException | None) -> None:
        if error is None:
            return
        try:
            self._job.blame(error)
        except PliantError as trouble:
            _logger.warning("job %s: %s", self._job.name, trouble)

    def _on_sys_exit(self, status: Any = None, /) -> NoReturn:
        if status and threading.current_thread() is threading.main_thread():
            frame = sys._getframe()
            while frame.f_back is not None:
                frame = frame.f_back
            self._exit = (status, frame, frame.f_lasti)
        self._previous_exit(status)

    def _on_exit(self) -> None:
        if self._error is None and self._exit is not None:
            status, outermost, instruction = self._exit
            if outermost.f_lasti == instruction:
                self._error = f"sys.exit({status!r})"
        if self._error is None:
            self._job.close()
        else:
            self._job.fail(self._error)


class _Process:
    """The job of this process, if it has one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._ending: _Ending | None = None

    def after_fork(self) -> None:
        """In a forked child: another thread of the parent may have held the lock."""
        self._lock = threading.Lock()

    def init(self, socket: str | None, worker: str | None) -> Job:
        with self._lock:
            job = self._job
            if job is not None and not job.closed and not job.forked:
                _check_same(job, socket, worker)
                return job
            if job is not None and job.forked and worker in (None, job.worker):
                raise PliantError(
                    "FORKED",
                    f"process {os.getpid()} was forked from worker '{job.worker}'; two processes "
                    "cannot be one worker. Give this one a name of its own: "
                    f"pliant.init(worker='{job.worker}-1').",
                )
            if self._ending is not None:
                self._ending.remove()
            self._job = Job.connect(
                socket or _from_environment("PLIANT_SOCKET", "socket"),
                worker or _from_environment("PLIANT_WORKER", "worker"),
            )
            self._ending = _Ending(self._job)
            return self._job


_process = _Process()
os.register_at_fork(after_in_child=_process.after_fork)


def init(socket: str | None = None, worker: str | None = None) -> Job:
    """Connect this process to its job, once: later calls give the same job.

    `socket` and `worker` are read from PLIANT_SOCKET and PLIANT_WORKER, which the agent sets.
    """
    return _process.init(socket, worker)


def _check_same(job: Job, socket: str | None, worker: str | None) -> None:
    if socket not in (None, job.socket) or worker not in (None, job.worker):
        raise InvalidRequest(
            "BAD_MESSAGE",
            f"this process is worker '{job.worker}' at {job.socket} already; close that job before "
            "opening another.",
        )


def _from_environment(variable: str, parameter: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise NotInJob(
            "NOT_IN_JOB",
            f"this script was not started by Pliant: {variable} is not set. Start it with "
            f"`pliant run job.yaml`, or give pliant.init({parameter}=…).",
        )
    return value


def _is_interactive() -> bool:
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)
