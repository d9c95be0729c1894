#!/usr/bin/env bash
# Compares baseline/program with the program of the checkout in candidate/, and leaves results/: comment.md for the pull request,
# number.txt, and the rows. The exit code is that of the comparison: 1 if a value is worse; 2 if the base could not be built.
# Environment: PACKAGE PROGRAM SCENARIOS STRATEGIES METRICS BUDGET FAIL_ON REPETITIONS FIRST_RUN as in action.yml, NUMBER of the
# pull request; GITHUB_STEP_SUMMARY is the file of the job's summary, if there is one.
set -euo pipefail
mkdir -p results
echo "${NUMBER:-}" > results/number.txt

baseline=baseline/program
if [ ! -x "$baseline" ]; then
  # Only the pull request that brings this in has a base that can't be built. Else it is a hiccup, such as of the network.
  reason='The base could not be built, so the caches were not compared.'
  if [ "${FIRST_RUN:-false}" = true ]; then
    echo "$reason" | tee results/comment.md >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
    echo "::warning::$reason"
    exit 0
  fi
  hint='Run the job again. If this pull request brings the comparison in, add `first-run: true` to its step, and remove it after.'
  echo "$reason $hint" | tee results/comment.md >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  echo "::error::$reason $hint"
  exit 2
fi

# The scenarios of the pull request are used for both sides.
package=candidate/${PACKAGE:-.} candidate=candidate/${PACKAGE:-.}/$PROGRAM
read -ra scenarios <<< "$SCENARIOS"
scenarios=("${scenarios[@]/#/$package/}")
chosen=(${STRATEGIES:+--strategies "$STRATEGIES"})

summarize() {
  # A summary over 1 MiB is dropped; a comment has at most 65,536 characters.
  {
    cat results/comment.md
    echo
    echo '<details><summary>Log</summary>'
    echo
    echo '```text'
    tail -c 100000 results/comparison.log
    echo '```'
    echo '</details>'
  } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# Where the comparison itself was not possible, the reason is the comment.
explain() {
  [ -s results/comment.md ] || {
    echo 'The caches were not compared:'
    echo
    echo '```text'
    tail -n 20 results/comparison.log | cut -c 1-500
    echo '```'
  } > results/comment.md
}

# The comment, and a log that is whole before it is read: `wait` alone does not wait for `tee`.
compare() {
  local log tee status=0
  exec {log}> >(tee results/comparison.log >&2)
  tee=$!
  "$candidate" compare "$@" --fail-on "$FAIL_ON" --format github > results/comment.md 2>&"$log" || status=$?
  exec {log}>&-
  wait "$tee"
  return "$status"
}

status=0
compare --live "$baseline" "$candidate" "${scenarios[@]}" "${chosen[@]}" \
  --output results/live --metrics "$METRICS" --budget "$BUDGET" || status=$?
if [ "$status" -ne 2 ] || ! grep -qE 'does not alternate|does not take turns|takes no turns' results/comparison.log; then
  explain
  summarize
  exit "$status"
fi

# A base from before slices: whole trials, one side after the other. Who is first changes.
run_side() {
  local program=$candidate resume=() status=0
  [ "$1" = candidate ] || program=$baseline
  [ "$2" -eq 1 ] || resume=(--resume)
  "$program" run "${scenarios[@]}" "${chosen[@]}" \
    --repetitions "$2" --output "results/$1" --quiet "${resume[@]}" > /dev/null || status=$?
  # A missed expectation (1) or a cache that failed (3) is no reason to stop: the base may have what the pull request
  # mends. The candidate's is judged below.
  case $status in 0 | 1 | 3) ;; *) return "$status" ;; esac
  echo "$status" > "results/$1.status"
}
for round in $(seq 1 "$REPETITIONS"); do
  if [ $((round % 2)) -eq 1 ]; then order='baseline candidate'; else order='candidate baseline'; fi
  for side in $order; do run_side "$side" "$round"; done
done
status=0
compare results/baseline results/candidate --paired --allow-different version \
  --output results/comparison --metrics "$METRICS" || status=$?
explain
summarize
[ "$status" -ne 0 ] || status=$(cat results/candidate.status)
# An expectation that is missed counts as a value.
[ "$FAIL_ON $status" != 'never 1' ] || status=0
exit "$status"
