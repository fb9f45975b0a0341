#!/usr/bin/env bash
# The figures that the algorithms' sources report, as csv and SVG: ./dev bench thesis [FOLDER]
set -euo pipefail
folder=${1:-build/bench/thesis}
mkdir -p "$folder"
"${PRM_BENCH_THESIS:-build/tests/bench_thesis}" "$folder"
gnuplot -e "folder='$folder'" tests/bench/thesis.gp
printf '%s\n' "$folder"/*.svg
