#!/usr/bin/env bash
# Many clients at once, against a server of our own: ./dev bench load FOLDER [SECONDS]
#
# FOLDER holds a problem (world.json, robot.json, request.json). Measures the latency of one connection, throughput at
# 64 connections of one query each, connections of one request each, and what a build does to the latency of plans at a
# steady rate, each for SECONDS (default 5). PRM_BUILD names the build folder (default: build), PRM_BENCH_FLAGS what the
# server is told besides.
set -euo pipefail
folder=${1:?usage: ./dev bench load FOLDER [SECONDS]}
seconds=${2:-5}
build=${PRM_BUILD:-build}
prm=$build/bin/prm
load=$build/tests/bench_load

work=$(mktemp -d)
server=
stop() {
    status=$?
    trap - EXIT
    if [ -n "$server" ] && kill "$server"; then
        wait "$server" || status=1
    fi
    rm -rf "$work"
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT TERM

read -ra flags <<<"${PRM_BENCH_FLAGS:-}"
"$build/bin/prmd" --listen 127.0.0.1:0 --port-file "$work/port" --data-dir "$work/data" "${flags[@]}" 2>"$work/log" &
server=$!
until [ -s "$work/port" ]; do
    kill -0 "$server" || exit 1
    sleep 0.05
done
address=127.0.0.1:$(cat "$work/port")
export PRM_SERVER=http://$address
until "$prm" health >/dev/null 2>&1; do
    kill -0 "$server" || exit 1
    sleep 0.05
done
"$prm" world put w "$folder/world.json"
"$prm" robot put r "$folder/robot.json"
make_roadmap() { "$prm" roadmap build "$1" --world w --robot r --samples 10000 --neighbors 10 --seed "$2"; }
make_roadmap m 1
# the landmarks are made while nothing else is asked
sleep 1

plan() { "$load" --pid "$server" "$@" "$folder" "$address" /v1/roadmaps/m/plan; }
plan --title "one connection" --connections 1 --seconds "$seconds"
plan --title "64 connections" --seconds "$seconds"
plan --title "64 connections, simplified" --simplify --seconds "$seconds"
plan --title "a connection a request" --close --seconds "$seconds"
plan --title "10 000 queries as an array" --connections 1 --arrays --each 10000 --seconds "$seconds"
plan --title "200 a second, idle" --connections 8 --rate 200 --seconds "$seconds"
(
    for ((seed = 1; ; seed++)); do
        make_roadmap other "$seed" >/dev/null 2>&1
    done
) &
builder=$!
plan --title "200 a second, while roadmaps are built" --connections 8 --rate 200 --seconds "$seconds" || true
kill "$builder"
wait "$builder" || true
