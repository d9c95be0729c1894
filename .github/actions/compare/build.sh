#!/usr/bin/env bash
# Builds the program of the checkout in candidate/. With `baseline` it installs what builds need, builds the first parent of the
# commit, and keeps its program in baseline/ for the comparison; a base that can't be built leaves no program there.
# Environment: PACKAGE BUILD PROGRAM VERSION as in action.yml.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# SwiftPM 6.3 writes traits into the compiler's arguments in the order of a hash table; another order compiles everything again.
export SWIFT_DETERMINISTIC_HASHING=1

build() {
  cd "candidate/$PACKAGE" || return
  [ -z "${VERSION:-}" ] || swift package resolve --version "$VERSION" cache-trials || return
  bash -euo pipefail -c "$BUILD"
}

if [ "${1:-}" != baseline ]; then
  build
  [ -x "$PROGRAM" ] || { echo "::error::The build made no $PROGRAM in $PACKAGE; see the inputs 'program' and 'build'."; exit 2; }
  exit
fi
echo "comment=$here/../comment/comment.js" >> "${GITHUB_OUTPUT:-/dev/null}"
"$here/../../../scripts/bootstrap" --build
workspace=$PWD
# In a container the checkout belongs to another user, where git refuses to work.
checkout() { git -c safe.directory='*' -C "$workspace/candidate" checkout --quiet --force --detach "$1"; }
head=$(git -c safe.directory='*' -C candidate rev-parse HEAD)
rm -rf baseline
mkdir baseline
if checkout HEAD^ && build && [ -x "$PROGRAM" ]; then
  cp "$PROGRAM" "$workspace/baseline/program"
  # Resources of the package are in its program's folder.
  find "$(dirname "$PROGRAM")/" -maxdepth 1 -name '*.resources' -exec cp -r -t "$workspace/baseline" {} +
else
  echo "::warning::The base could not be built."
fi
checkout "$head"
