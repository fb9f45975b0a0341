#!/usr/bin/env bash
# The main job end to end: starts prmd on a free loopback port, loads the two example worlds, builds a roadmap of
# 10 000 milestones in each, plans 1 000 queries on each, and the arm's at its shelf, checks every path by independent
# judges, draws pictures, prints a table, stops. Exit status 0 only when all of that went well.
#
#   examples/demo.sh [FOLDER]     pictures and answers go to FOLDER (default: build/demo)
#
# PRM_BUILD names the build folder (default: build).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${PRM_BUILD:-build}
out=${1:-$build/demo}
examples=examples
prm=$build/bin/prm

work=$(mktemp -d)
server=
stop() {
    status=$?
    trap - EXIT
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" || { echo "demo: prmd did not stop cleanly"; status=1; }
    fi
    if [ "$status" -ne 0 ] && [ -s "$work/log" ]; then
        echo "demo: failed; the server's last lines:"
        tail -n 5 "$work/log"
    fi
    rm -rf "$work"
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n== %s\n' "$*"; }

say "prmd on a free port of this machine"
"$build/bin/prmd" --listen 127.0.0.1:0 --port-file "$work/port" --data-dir "$work/data" \
    >"$work/log" 2>&1 &
server=$!
for _ in $(seq 600); do
    [ -s "$work/port" ] && break
    kill -0 "$server" 2>/dev/null || { echo "demo: prmd ended at start"; exit 1; }
    sleep 0.1
done
[ -s "$work/port" ] || { echo "demo: prmd did not listen within a minute"; exit 1; }
PRM_SERVER="http://127.0.0.1:$(cat "$work/port")"
export PRM_SERVER
for _ in $(seq 600); do
    "$prm" health >/dev/null 2>&1 && break
    kill -0 "$server" 2>/dev/null || { echo "demo: prmd ended at start"; exit 1; }
    sleep 0.1
done
"$prm" status

# world robot name: load, build, plan, check, draw
run() {
    local world=$1 robot=$2 name
    name=$(basename "${world%.*}")
    say "$name: 10 000 milestones, 1 000 queries"
    "$prm" world put "$name" "$world"
    "$prm" robot put "$name-robot" "$robot"
    "$prm" roadmap build "$name" --world "$name" --robot "$name-robot" --samples 10000 \
        --neighbors 10 --seed 1 >"$work/build"
    "$prm" --json roadmap get "$name" >"$out/$name.roadmap.json"
    "$build/examples/make_queries" "$world" "$robot" 1000 1 >"$out/$name.request.json"

    # twice: the search's landmarks are made after the build, when the device has nothing else to do; the
    # first batch may come before them, the second meets the roadmap as it stays. The answers are the same.
    local pass status
    for pass in first settled; do
        # some query may have no path, which is an answer (1); anything above is a fault
        status=0
        "$prm" plan "$name" --queries "$out/$name.request.json" --save "$work/$pass.json" || status=$?
        [ "$status" -le 1 ] || exit "$status"
        "$build/examples/check_paths" "$world" "$robot" "$out/$name.request.json" "$work/$pass.json"
    done
    cp "$work/settled.json" "$out/$name.answer.json"
    "$build/examples/make_queries" "$world" "$robot" 12 2 >"$work/few.json"
    "$prm" picture "$name" "$out/$name.svg" --queries "$work/few.json"
}

# an arm of six joints reaches into a shelf
run_shelf() {
    local folder=$examples/shelf
    say "shelf: a URDF and a MoveIt scene, 4 000 milestones, 8 queries"
    "$prm" world put shelf "$folder/shelf.scene"
    "$prm" robot put arm "$folder/arm.urdf" "$folder/arm.srdf" "$folder/arm.options.json"
    "$prm" roadmap build shelf --params "$folder/roadmap.json" >"$work/build"
    "$prm" plan shelf --queries "$folder/queries.json" --save "$out/shelf.answer.json"
    python3 -B "$examples/tools/check_motions.py" "$folder/shelf.scene" "$folder/arm.urdf" "$folder/queries.json" \
        "$out/shelf.answer.json"
    python3 -c 'import json; print(json.dumps({"queries": json.load(open("'"$folder"'/queries.json"))["queries"][:1]}))' \
        >"$work/one.json"
    "$prm" picture shelf "$out/shelf.svg" --queries "$work/one.json"
}

mkdir -p "$out"
run $examples/keep.map $examples/guard.json
run $examples/warehouse.json $examples/drone.json
run_shelf

say "in short"
"$build/examples/report" keep "$out/keep.roadmap.json" "$out/keep.answer.json" \
    warehouse "$out/warehouse.roadmap.json" "$out/warehouse.answer.json"
printf '\npictures, requests and answers: %s\n' "$out"
