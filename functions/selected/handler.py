"""The Lambda handler of `selected`."""

from typing import Any

from mangum import Mangum

from functions.adapters.aws.kill_switch import KillSwitch
from functions.answer.word_lists import read_word_lists
from functions.lifecycle.choose_writer import load_writer
from functions.lifecycle.retry import QueueState, run_retry
from functions.runtime.settings import settings
from functions.runtime.snapshot import finish_start
from functions.selected.app import build_answers, create

_http = Mangum(create(settings), lifespan="off")
_queue_state = QueueState()
_switch = KillSwitch(settings)


def handler(event: dict[str, Any], context: Any) -> Any:
    """Handle an event of the HTTP API or of the retry schedule."""
    if event.get("task") == "retry-deferred":
        if _switch.is_off():
            return {}
        return run_retry("selected", lambda: build_answers(settings()), _queue_state)
    return _http(event, context)


load_writer()  # while the function starts, not while its first reader waits
finish_start(read_word_lists)
