"""The functions keep to the API's description, whatever is sent. `tests/soak` sends thousands."""

from __future__ import annotations

from tests.integration.http_stage import served_functions, without_limits
from tests.integration.made_requests import make_requests
from tests.integration.sample_stage import Stage


def test_no_request_breaks_the_description(stage: Stage) -> None:
    with without_limits(stage), served_functions(stage) as url:
        made = make_requests(url, 2)
    assert made.wrong == {}
    assert made.server_errors == 0
    assert made.cases > 40
