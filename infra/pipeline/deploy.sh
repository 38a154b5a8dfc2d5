#!/usr/bin/env bash
# Deploy what `make build` left: deploy.sh STAGE [BUILD] [SAMCONFIG]. Nothing is asked.
set -euo pipefail
stage=${1:?the stage, as in prod}
cd "$(dirname "$0")/../.."
build=${2:-.aws-sam/build}
config=${3:-samconfig.toml}
if [ ! -f "$build/template.yaml" ]; then
  echo "There is no build: run make build first." >&2
  exit 1
fi
make --silent .venv/local >&2
sam=$(.venv/bin/python -c 'from tools.build.artifacts import SAM; print(SAM)')
given=$(.venv/bin/python -m tools.build.release "$stage" "$build" "$(realpath "$config")")
parameters=()
while IFS= read -r each; do parameters+=("$each"); done <<<"$given"
.venv/bin/uv tool run --quiet --from "$sam" sam deploy \
  --config-env "$stage" \
  --config-file "$(realpath "$config")" \
  --template-file "$build/template.yaml" \
  --parameter-overrides "${parameters[@]}" \
  --no-confirm-changeset \
  --no-fail-on-empty-changeset
