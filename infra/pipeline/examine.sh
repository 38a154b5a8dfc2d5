#!/usr/bin/env bash
# Look a stage over: examine.sh STAGE. Exits with 1 when something has to be mended first.
set -euo pipefail
stage=${1:?the stage, as in prod}
cd "$(dirname "$0")/../.."
make --silent .venv/local >&2
.venv/bin/quoth doctor --stage "$stage"
