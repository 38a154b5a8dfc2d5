"""What a log line may say. A field that is not here is dropped by the logger, whoever wrote it.

No field holds a reader's words. `detail`, `reason`, `error` and the stacks hold what libraries and
other services say, masked; `chapter_*` is the page's own name for itself.
"""

from __future__ import annotations

FROM_LOGGER = frozenset(
    "level location message timestamp service exception exception_name stack_trace".split()
)
IDS = frozenset("function request_id correlation_id query_id response_id message_id".split())
OF_REQUESTS = frozenset(
    "route status http_status operation error detail kind part code retry_after_s"
    " blocks_outside chapter_id chapter_title confidence source filtered_count problems stored"
    " answered given_up waiting".split()
)
OF_BOOK = frozenset(
    "source_path key action embedded reused chunks reason warnings counts deleted task done".split()
)
ALLOWED = FROM_LOGGER | IDS | OF_REQUESTS | OF_BOOK
