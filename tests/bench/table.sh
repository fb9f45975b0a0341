#!/usr/bin/env bash
# The whole benchmark as one table, with peers in the same run: ./dev bench [FOLDER]
#
# FOLDER (default: build/bench) gets the figures as rows.csv, growth.csv and http.txt, all output as log.txt, and the
# plots of growth as SVG. Problems: those of PRM_BENCH_DATA (folders p1 p2 p3 of world.json, robot.json, request.json),
# else our own scenes grid, ball and arm; PRM_BENCH_PROBLEMS names others of the folder; growth and HTTP are measured on
# the one in the middle. PRM_BENCH_PEERS: a folder with a peer program prm_bench, built, or its source prm_bench.cpp,
# which is then built here. PRM_BENCH_WORLDS: a folder of many worlds with few queries each (bench_worlds; default: our
# own arms). Everything is pinned to PRM_BENCH_CPUS (default: 0,1).
# PRM_BENCH_RUNS: runs whose medians are taken (default 5). PRM_BENCH_QUICK=1: one run, growth to 20 000 only.
set -euo pipefail
folder=${1:-build/bench}
build=${PRM_BUILD:-build}
cpus=${PRM_BENCH_CPUS:-0,1}
runs=${PRM_BENCH_RUNS:-5}
sizes=(1000 2000 5000 10000 20000 50000 100000 200000)
largest=1000000
seconds=5
if [ -n "${PRM_BENCH_QUICK:-}" ]; then
    runs=1
    sizes=(1000 2000 5000 10000)
    largest=20000
    seconds=1
fi
mkdir -p "$folder"
rows=$folder/rows.csv
growth=$folder/growth.csv
log=$folder/log.txt
rm -f "$rows" "$growth" "$log"

# one thread a processor, each stays where it is
export POCL_AFFINITY=1 OMP_PROC_BIND=true OMP_PLACES=cores
pinned() { taskset -c "$cpus" "$@"; }

data=$folder/scenes
problems=(grid ball arm)
worlds=${PRM_BENCH_WORLDS:-$data/worlds}
if [ -z "${PRM_BENCH_DATA:-}" ] || [ -z "${PRM_BENCH_WORLDS:-}" ]; then
    "$build/tests/bench_scenes" "$data" >>"$log"
fi
if [ -n "${PRM_BENCH_DATA:-}" ]; then
    data=$PRM_BENCH_DATA
    problems=(p1 p2 p3)
fi
if [ -n "${PRM_BENCH_PROBLEMS:-}" ]; then
    read -ra problems <<<"$PRM_BENCH_PROBLEMS"
fi
middle=${problems[${#problems[@]} / 2]}

# peers in source are built for this very machine, as their users would
peers=${PRM_BENCH_PEERS:-}
if [ -n "$peers" ] && [ ! -x "$peers/prm_bench" ]; then
    mkdir -p "$folder/peers"
    cp -r "$peers"/prm_bench.cpp "$peers"/common.hpp "$peers"/problems "$folder/peers"
    if g++ -O3 -march=native -std=c++17 -fopenmp -mprefer-vector-width=512 -fno-math-errno -fno-trapping-math \
        -I/usr/include/eigen3 -I/usr/include/ompl-1.5 -o "$folder/peers/prm_bench" "$folder/peers/prm_bench.cpp" \
        -lompl -lmvec -lm -lpthread 2>>"$log"; then
        peers=$folder/peers
    else
        echo "the peers of $peers cannot be built on this machine: see $log"
        peers=
    fi
fi

printf 'problems, 10 000 milestones\n'
for problem in "${problems[@]}"; do
    PRM_BENCH_PEERS=$peers pinned "$build/tests/bench_plan" --runs "$runs" --rows "$rows" "$data/" "$problem" >>"$log"
done
printf 'growth\n'
for size in "${sizes[@]}"; do
    pinned "$build/tests/bench_plan" --runs "$runs" --rows "$growth" --milestones "$size" --only "length alone" \
        "$data/" "$middle" >>"$log"
done
pinned "$build/tests/bench_plan" --runs 1 --rows "$growth" --milestones "$largest" --only none "$data/" "$middle" \
    >>"$log"
printf 'over HTTP\n\n'
pinned env PRM_BUILD="$build" bash tests/bench/load.sh "$data/$middle" "$seconds" >"$folder/http.txt"
for title in "one connection" "64 connections"; do
    sed -nE "s/^$title: .*, ([0-9]+) a second, p50 ([0-9.]+) ms.*/\1 \2/p" "$folder/http.txt" | {
        read -r rate latency || { echo "no figures of $title: see $folder/http.txt" >&2 && exit 1; }
        printf '%s;10000;HTTP, %s: %s;%s\n' "$middle" "$title" requests/s "$rate" "$middle" "$title" "p50 ms" "$latency"
    }
done >>"$rows"

# figures down, problems across; what is compared with a peer has the ratio below it
awk -F';' -v names="${problems[*]}" '
    BEGIN { count = split(names, name, " ") }
    { if (!($3 in seen)) { seen[$3] = 1; order[++rows] = $3 }; value[$3, $1] = $4 }
    function ratios(title, ours, theirs, larger,   i, any, line, a, b) {
        line = sprintf("%-52s", title)
        for (i = 1; i <= count; i++) {
            a = value[ours, name[i]]; b = value[theirs, name[i]]
            if (a > 0 && b > 0) { any = 1; line = line sprintf("%12.1f", larger ? a / b : b / a) }
            else line = line sprintf("%12s", "-")
        }
        if (any) print line
    }
    END {
        printf "%-52s", "10 000 milestones, 10 neighbours"
        for (i = 1; i <= count; i++) printf "%12s", name[i]
        print ""
        for (r = 1; r <= rows; r++) {
            line = sprintf("%-52s", order[r])
            for (i = 1; i <= count; i++)
                line = line sprintf("%12s", value[order[r], name[i]] == "" ? "-" : value[order[r], name[i]])
            print line
        }
        print "how many times faster than the peer:"
        ratios("  build, OMPL", "build: ms", "peer OMPL: build ms", 0)
        for (r = 1; r <= rows; r++)
            if (order[r] ~ /^peer .*queries\/s/) {
                ours = order[r] ~ /BFS/ ? "fewest edges, length alone: queries/s" : "shortest, length alone: queries/s"
                peer = order[r]; sub(/^peer /, "  ", peer); sub(/: queries.*/, "", peer)
                ratios(peer, ours, order[r], 1)
            }
    }' "$rows"

printf '\n'
pinned "$build/tests/bench_primitives" neighbors 2>>"$log" | tee "$folder/neighbors.txt"

printf '\nmany worlds: each query a hundred times, then with ends apart\n\n'
{
    pinned "$build/tests/bench_worlds" "$worlds"
    printf '\n'
    pinned "$build/tests/bench_worlds" --shift 0.001 "$worlds"
} | tee "$folder/worlds.txt"

printf '\n%s by milestones\n' "$middle"
awk -F';' '
    { at[$2, $3] = $4; if (!($2 in seen)) { seen[$2] = 1; n[++count] = $2 } }
    function cell(size, what) { return at[size, what] == "" ? "-" : at[size, what] }
    END {
        printf "%10s%12s%12s%14s%16s%16s%14s\n", "milestones", "build ms", "us each", "landmarks ms",
            "length a second", "hops a second", "one query ms"
        for (i = 1; i <= count; i++)
            printf "%10s%12s%12.3f%14s%16s%16s%14s\n", n[i], cell(n[i], "build: ms"),
                1000 * at[n[i], "build: ms"] / n[i], cell(n[i], "landmarks: ms"),
                cell(n[i], "shortest, length alone: queries/s"),
                cell(n[i], "fewest edges, length alone: queries/s"), cell(n[i], "one query: ms")
    }' "$growth" | tee "$folder/growth.txt"
gnuplot -e "folder='$folder'" tests/bench/table.gp
printf '\n%s\n' "$folder"/*.csv "$folder"/*.svg
