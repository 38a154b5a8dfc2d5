"""Prepares documents in a process of its own: it ends with a file that takes too long or breaks it.

Neither a thread nor a time-out can end a regular expression or a parser in C.
"""

from __future__ import annotations

import atexit
import pickle
import signal
import subprocess
import sys
import time
from threading import Lock
from typing import IO, cast

from functions.book.markdown.parse import UnreadableDocument
from functions.book.site.manifest import ManifestPage
from functions.ingest.prepare import BookLayout, PreparedDocument, prepare_document

_SERVE = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
_BROKEN = (EOFError, BrokenPipeError, pickle.UnpicklingError)


class DocumentProcess:
    """The process, started with its first document and again after one that ended it.

    It ends with this one, however that ends: nobody writes to its standard input any more.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(
        self,
        key: str,
        data: bytes,
        layout: BookLayout,
        chapter_title: str,
        page: ManifestPage | None,
        seconds: float,
    ) -> PreparedDocument:
        """`prepare_document` within some seconds of processor time; one document at a time.

        Raises UnreadableDocument, also for a file that takes longer or ends the process.
        """
        request = key, data, layout, chapter_title, page
        with self._lock:
            process = self._process = self._process or _start()
            try:
                answer = _ask(process, (seconds, request))
            except _BROKEN:
                self._process = None
                code = _end(process)
                raise UnreadableDocument(_why_it_ended(code, seconds)) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """End the process, if it runs. The next document starts another."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own Python
        [sys.executable, "-P", "-c", _SERVE, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches us alone
    )


def _ask(process: subprocess.Popen[bytes], request: object) -> PreparedDocument | Exception:
    asked, said = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
    pickle.dump(request, asked)
    asked.flush()
    return cast(PreparedDocument | Exception, pickle.load(said))  # noqa: S301 - our own process


def _end(process: subprocess.Popen[bytes]) -> int:
    process.kill()
    process.communicate()
    return process.returncode


def _why_it_ended(code: int, seconds: float) -> str:
    if code == -signal.SIGXCPU:
        return f"reading it takes more than {seconds:g} s of processor time"
    return f"reading it ended the process that reads files ({code})"


def serve() -> None:
    """Prepare the documents that standard input names until it ends."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            seconds, request = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own process
        except EOFError:
            return
        # The system counts whole seconds, over the life of the process.
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, most))
        answer: PreparedDocument | Exception
        try:
            answer = prepare_document(*request)
        except Exception as error:  # raised again where it was asked for
            answer = error
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


documents = DocumentProcess()
"""The one of this process."""
atexit.register(documents.close)
