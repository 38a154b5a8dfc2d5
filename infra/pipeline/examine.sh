#!/usr/bin/env bash
# Look a stage over: examine.sh STAGE [FOLDER], the folder of samconfig.toml and template.yaml.
# Exits with 1 when something has to be mended first.
set -euo pipefail
stage=${1:?the stage, as in prod}
folder=$(realpath "${2:-$(dirname "$0")/../..}")
cd "$(dirname "$0")/../.."
make --silent .venv/local >&2
.venv/bin/quoth doctor --stage "$stage" --project "$folder"
