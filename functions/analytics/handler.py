"""The Lambda handler of `analytics`."""

from functools import cache
from typing import Any

from mangum import Mangum

from functions.adapters.aws.kill_switch import KillSwitch
from functions.analytics.feedback import create_feedback
from functions.runtime.settings import settings
from functions.runtime.snapshot import finish_start

_switch = KillSwitch(settings)
_http = Mangum(create_feedback(settings), lifespan="off")


def handler(event: dict[str, Any], context: Any) -> Any:
    """Handles requests of the HTTP API and events of the schedule."""
    if "task" in event:
        return {} if _switch.is_off() else _run_task(event["task"])
    if event.get("rawPath", "").startswith("/analytics"):
        return _administrators()(event, context)
    return _http(event, context)


def _run_task(name: str) -> Any:
    # Imported for the task: readers' feedback must not wait for numpy and the model's client.
    from functions.analytics.jobs import run_task

    return run_task(name, settings())


@cache
def _administrators() -> Mangum:
    # Imported at the first request: readers' feedback must not wait for charts and reports.
    from functions.analytics.app import create

    return Mangum(create(settings), lifespan="off")


finish_start()
