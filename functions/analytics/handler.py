"""The Lambda handler of `analytics`."""

from functools import cache
from typing import Any

from mangum import Mangum

from functions.adapters.aws.kill_switch import KillSwitch
from functions.analytics.feedback import create_feedback
from functions.analytics.jobs.tasks import run_task
from functions.runtime.settings import settings
from functions.runtime.snapshot import hook_snapshot

_switch = KillSwitch(settings)
_http = Mangum(create_feedback(settings), lifespan="off")


def handler(event: dict[str, Any], context: Any) -> Any:
    """What the runtime calls: with events of the HTTP API, and with the schedule's own."""
    if "task" in event:
        return {} if _switch.is_off() else run_task(event["task"], settings())
    if event.get("rawPath", "").startswith("/analytics"):
        return _administrators()(event, context)
    return _http(event, context)


@cache
def _administrators() -> Mangum:
    # Imported when one comes: readers' feedback must not wait for charts and reports.
    from functions.analytics.app import create

    return Mangum(create(settings), lifespan="off")


hook_snapshot()
