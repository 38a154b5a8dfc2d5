#!/usr/bin/env bash
# Publish a book, wait for its index, ask its golden questions:
# publish.sh BOOK STACK ORIGIN [MANIFEST]. Paths count from where it is called.
set -euo pipefail
book=$(realpath "${1:?the folder of the book}")
stack=${2:?the stack that serves it, as in quoth-prod}
origin=${3:?the site of the book, as in https://book.example.org}
manifest=${4:+$(realpath "$4")}
cd "$(dirname "$0")/../.."
make --silent .venv/local >&2
.venv/bin/quoth push "$book" --stack "$stack" ${manifest:+--manifest "$manifest"}
if [ -f "$book/golden.yaml" ]; then
  .venv/bin/quoth smoke --stack "$stack" --origin "$origin" --book "$book" \
    --report "${GITHUB_STEP_SUMMARY:-/dev/null}"
else
  echo "The book has no golden.yaml: nothing was asked."
fi
