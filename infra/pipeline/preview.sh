#!/usr/bin/env bash
# Say what a change of a book would do: preview.sh REPOSITORY FOLDER BASE, where BASE is the commit
# that the change is held against. Nothing outside this machine is asked or changed.
set -euo pipefail
repository=$(realpath "${1:?the folder of the repository}")
folder=${2:?the folder of the book in it}
base=${3:?the commit before the change}
cd "$(dirname "$0")/../.."
make --silent .venv/local >&2
work=$(mktemp -d)
chmod 755 "$work"
trap 'git -C "$repository" worktree remove --force "$work/before" || true; rm -rf "$work"' EXIT
git -C "$repository" worktree add --quiet --detach "$work/before" "$base"
.venv/bin/quoth ingest "$work/before/$folder" --data "$work/data" >"$work/before.log"
.venv/bin/quoth preview "$repository/$folder" --book "$work/before/$folder" --data "$work/data" \
  | tee "$work/preview.txt"
{ echo '```'; cat "$work/preview.txt"; echo '```'; } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
