#!/usr/bin/env bash
# Ask a deployed stage the sample book's golden questions: smoke.sh STAGE ORIGIN [BOOK].
# What they answer is added to the page of the run, where there is one.
set -euo pipefail
stage=${1:?the stage, as in prod}
origin=${2:?a site that may carry the widget, as in https://book.example.org}
cd "$(dirname "$0")/../.."
book=${3:-examples/book}
make --silent .venv/local >&2
.venv/bin/quoth smoke --stack "quoth-$stage" --origin "$origin" --book "$book" --limit 40 \
  --report "${GITHUB_STEP_SUMMARY:-/dev/null}"
