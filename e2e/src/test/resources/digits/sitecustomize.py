"""Has the example `digits` train as a test wants it to.

Python imports this by itself where it is on the path. Tests speak by files in the folder TOLD:
until there is one called `hurry`, a step takes PACE seconds; a process in the pod that another
one names uses more memory than that pod may.
"""

import os
import sys
import threading
import time

TOLD = os.environ.get("TOLD", "/nowhere")
HURRY = os.path.join(TOLD, "hurry")
EXHAUST = os.path.join(TOLD, os.environ.get("POD_NAME", "nobody"))
PACE = float(os.environ.get("PACE", "0.5"))

_sleep = time.sleep


def _sleep_at_pace(seconds: float) -> None:
    # Only the example's own sleep stands for work; others wait for something.
    if sys._getframe(1).f_globals.get("__name__") != "digits":
        _sleep(seconds)
    elif not os.path.exists(HURRY):
        _sleep(PACE)


def _fill() -> None:
    while not os.path.exists(EXHAUST):
        _sleep(0.2)
    held = []
    while True:
        held.append(b"x" * (16 << 20))


if "PLIANT_WORKER" in os.environ:
    time.sleep = _sleep_at_pace
    threading.Thread(target=_fill, name="hog", daemon=True).start()
