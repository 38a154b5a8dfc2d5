from __future__ import annotations

from functools import cache
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.answers import Claim, ClaimPart
from functions.answer.check.check_claims import check_claims
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context, context_of_chunks, context_of_selection
from functions.answer.excerpt import emphasis_of, excerpt_of
from functions.answer.write.quote_units import joined
from functions.answer.write.writer import DraftClaim
from functions.book.markdown.parse import read_document
from functions.ingest.to_rows import stored_chunks
from functions.selected.selection import split_selection
from tests.unit.answer.contexts import sample_context
from tests.unit.ingest.prepared import prepared_document

PAGE = """# Parts

A robot has `three` parts. They work together:

- **Sensors.** They measure. See [the list][parts].
  1. cameras
  2. encoders
- Actuators $F = ma$ act
  over two lines.

7. Write this:

   ```python title="a.py"
   def f():

       return {
           1
       }
   ```

8. Run it.

| Part | Rate `Hz` |
|------|:---------:|
| eye \\| lens | 20 |
| arm | |

It ends.
It is over.

[parts]: parts.md
"""


@cache
def page() -> Context:
    document = read_document("docs/parts.md", PAGE.encode())
    return context_of_chunks([(chunk, 1.0) for chunk in chunks_of(document)])
