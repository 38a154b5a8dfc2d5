"""`python -m quoth.with_parent MODULE …`: run a module until it ends, or its parent does.

The parent holds the other end of standard input, which the system closes when the parent is gone,
by SIGKILL too.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time

END_SECONDS = 10.0


def main() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(END_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
