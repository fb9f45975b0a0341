#!/usr/bin/env bash
# Fuzzes parsers: fuzz.sh BUILD SECONDS [NAME…]; of each target SECONDS of processor time, two at a time or as
# many as there are cores, with the least priority. BUILD/fuzz keeps what is learned (corpus), what is found
# (found) and the logs; a table of all ends the run. Fails where anything was found.
set -euo pipefail
build=$1 seconds=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/fuzz
mkdir -p "$work/logs" "$work/found"

# an input that keeps a process for so long, as a clock has it, hangs; the second that one may take of the
# processor the targets watch themselves
hang_s=300

names=("$@")
if [ $# -eq 0 ]; then
    mapfile -t names < <(sed -n 's/^ *X(\([a-z_]*\), ".*/\1/p' "$here/fuzz.h")
fi

# the words that the readers know, so that they need not be guessed
dictionary=$work/words.dict
grep -ohE '"[A-Za-z_][A-Za-z0-9_-]{1,24}"' "$here"/../../{api/schema,api/formats,server,client}/*.c |
    sort -u >"$dictionary"

# shellcheck disable=SC2317 # xargs calls it
fuzz_one() {
    local name=$1
    mkdir -p "$work/corpus/$name" "$work/found/$name"
    echo "$name"
    PRM_FUZZ=$name PRM_FUZZ_SECONDS=$seconds nice -n 19 "$build/tests/fuzzer" \
        -dict="$dictionary" -timeout="$hang_s" -max_len=16384 -malloc_limit_mb=512 -rss_limit_mb=2048 \
        -print_final_stats=1 -report_slow_units="$hang_s" -artifact_prefix="$work/found/$name/" \
        "$work/corpus/$name" "$here/corpus/$name" >"$work/logs/$name" 2>&1 || echo "$name: see $work/logs/$name"
}
export -f fuzz_one
export build seconds here work dictionary hang_s
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz_one {}'

figure() { sed -n "s/^stat::$2: *//p" "$work/logs/$1"; }
failed=0
printf '%-12s %12s %10s %8s %8s %6s\n' target executions slowest_s rss_MB inputs found
for name in "${names[@]}"; do
    found=$(find "$work/found/$name" -type f | wc -l)
    printf '%-12s %12s %10s %8s %8s %6s\n' "$name" "$(figure "$name" number_of_executed_units)" \
        "$(figure "$name" slowest_unit_time_sec)" "$(figure "$name" peak_rss_mb)" \
        "$(find "$work/corpus/$name" -type f | wc -l)" "$found"
    grep -q '^stat::number_of_executed_units' "$work/logs/$name" && [ "$found" -eq 0 ] || failed=1
done
exit "$failed"
