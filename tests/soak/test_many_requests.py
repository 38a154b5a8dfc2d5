"""Thousands of requests made from the API's description, against the real parts."""

from __future__ import annotations

import pytest

from tests.integration.conftest import stage  # noqa: F401
from tests.integration.http_stage import served_functions, without_limits
from tests.integration.made_requests import make_requests
from tests.integration.sample_stage import Stage

pytestmark = pytest.mark.soak

EACH = 70


def test_thousands_of_requests_break_nothing(stage: Stage) -> None:  # noqa: F811
    with without_limits(stage), served_functions(stage) as url:
        made = make_requests(url, EACH)
    assert made.wrong == {}
    assert made.server_errors == 0
    assert made.cases >= 2_000
