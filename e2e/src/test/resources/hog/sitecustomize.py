"""Makes a training process use more memory than its pod may, once somebody asks for it.

Python imports this by itself where it is on the path. The pod to fill is named by a file.
"""

import os
import threading
import time

ASKED = os.path.join(os.environ.get("HOG", "/nowhere"), os.environ.get("POD_NAME", "nobody"))


def _fill() -> None:
    while not os.path.exists(ASKED):
        time.sleep(0.2)
    held = []
    while True:
        held.append(b"x" * (16 << 20))


if "PLIANT_WORKER" in os.environ:
    threading.Thread(target=_fill, name="hog", daemon=True).start()
