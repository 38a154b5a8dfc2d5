"""The Lambda handler of `query`."""

from typing import Any

from mangum import Mangum

from functions.adapters.switch import Switch
from functions.answer.word_lists import read_word_lists
from functions.query.app import build_answers, create
from functions.settings import settings
from functions.snapshot import hook_snapshot
from functions.web.breakers import PARTS
from functions.web.retrying import Watch, run_retry

_http = Mangum(create(settings), lifespan="off")
_watch = Watch()
_switch = Switch(settings)


def handler(event: dict[str, Any], context: Any) -> Any:
    """What the runtime calls: with events of the HTTP API, and with the schedule's own."""
    if event.get("task") == "retry-deferred":
        if _switch.is_off():
            return {}
        return run_retry("query", lambda: build_answers(settings()), PARTS, _watch)
    return _http(event, context)


hook_snapshot(read_word_lists)
