#!/usr/bin/env bash
# Builds, tests and measures on a GPU in under eight minutes: ./dev gpu, or ./dev gpu pack elsewhere before.
#
#   gpu.sh pack   packs what was built here, stripped, with the libraries that it needs, into build/gpu/pack.tar.xz:
#                 for a machine that has a GPU's driver and neither our packages nor a network
#   gpu.sh run    unpacks that, or where there is none takes what is built in build/, and runs
#
# Results go to $OUT (default: build/gpu/results): summary.txt, one log a test, bench.txt. Exit status 0: all tests
# passed. PRM_GPU_DEVICE: what prmd calls --device (default gpu). PRM_GPU_SECONDS: for tests (default 240) and for
# benchmarks (default 150) in turn, as "240 150".
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${PRM_BUILD:-$top/build}
pack=$top/build/gpu
began=$SECONDS

# The programs that need a device: tests labelled so, and benchmarks.
programs() {
    ctest --test-dir "$build" -N -L '^device$' --show-only=json-v1 | python3 -c '
import json, os, sys
seen = set()
for test in json.load(sys.stdin)["tests"]:
    program = test.get("command", [""])[0]
    name = os.path.basename(program)
    if os.path.dirname(program).endswith("/tests") and name != "test_instructions" and os.access(program, os.X_OK):
        seen.add(program)
print("\n".join(sorted(seen)))'
    printf '%s\n' "$build"/tests/bench_{plan,scenes,load} "$build"/bin/{prmd,prm}
}

# Libraries of a program but those of the C library, which every machine has its own of.
libraries() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
        grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so'
}

make_pack() {
    local stage list
    stage=$(mktemp -d)
    mkdir -p "$stage/bin" "$stage/lib" "$pack"
    mapfile -t list < <(programs)
    for program in "${list[@]}"; do
        strip -o "$stage/bin/$(basename "$program")" "$program"
    done
    libraries "${list[@]}" | xargs -I{} cp -L {} "$stage/lib"
    cp "$top/tests/bench/answers.txt" "$stage"
    "$stage/bin/bench_scenes" "$stage/scenes" >/dev/null
    XZ_OPT="--lzma2=preset=1,dict=64MiB" tar -C "$stage" -cJf "$pack/pack.tar.xz" .
    rm -rf "$stage"
    ls -l "$pack/pack.tar.xz"
}

# NVIDIA's OpenCL is there with its driver, but the loader may not have been told.
find_driver() {
    local library
    if [ -n "${OCL_ICD_VENDORS:-}" ] || compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null; then
        return
    fi
    library=$({ ldconfig -p | sed -n 's,.*=> \(.*/libnvidia-opencl\.so\.1\)$,\1,p'
        find /usr/local/nvidia /usr/lib /usr/lib64 /opt -name 'libnvidia-opencl.so.*' 2>/dev/null; } | head -n 1)
    if [ -z "$library" ]; then
        echo "no OpenCL driver: neither /etc/OpenCL/vendors nor libnvidia-opencl.so.1"
        find /usr/local/nvidia -name '*.so*' 2>/dev/null | head -n 40
        return 1
    fi
    mkdir -p "$work/vendors"
    echo "$library" >"$work/vendors/gpu.icd"
    export OCL_ICD_VENDORS=$work/vendors
    # what the driver loads in its turn stands beside it
    LD_LIBRARY_PATH=$(dirname "$library"):${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
}

# One test by itself: its log, and a line of how it went and how long it took.
test_one() {
    local name=$1 status=0 start
    start=$(date +%s%N)
    timeout 100 "$bin/$name" >"$results/$name.log" 2>&1 || status=$?
    printf '%s %s %d.%d s\n' "$(case $status in 0) echo passed ;; 77) echo skipped ;; 124) echo 'TIMED OUT' ;; *) echo FAILED ;; esac)" \
        "$name" $((($(date +%s%N) - start) / 1000000000)) $((($(date +%s%N) - start) / 100000000 % 10))
}

run() {
    local seconds
    read -ra seconds <<<"${PRM_GPU_SECONDS:-240 150}"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    results=${OUT:-$pack/results}
    mkdir -p "$results"
    if [ -f "$pack/pack.tar.xz" ]; then
        tar -C "$work" -xf "$pack/pack.tar.xz"
        bin=$work/bin
        export LD_LIBRARY_PATH=$work/lib PRM_ANSWERS=$work/answers.txt
    else
        mkdir -p "$work/bin"
        programs | xargs ln -st "$work/bin"
        bin=$work/bin
        "$bin/bench_scenes" "$work/scenes" >/dev/null
    fi
    find_driver
    # kernels are compiled once; what other runs have left there does not count
    export PRMD_DEVICE=${PRM_GPU_DEVICE:-gpu} CUDA_CACHE_PATH=$work/cache CUDA_CACHE_MAXSIZE=1073741824
    export bin results
    export -f test_one

    # which device it is; compiles what is common by the way
    timeout 60 "$bin/prmd" --check --data-dir "$work/data" 2>&1 | tee "$results/summary.txt" || true
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null |
        tee -a "$results/summary.txt" || true

    # the answers first, and what they rest upon; then all others side by side
    test_one test_answers | tee -a "$results/summary.txt"
    find "$bin/" -name 'test_*' ! -name test_answers -printf '%f\n' | sort >"$work/list"
    timeout "${seconds[0]}" xargs -P "$(nproc)" -I{} bash -c 'test_one {}' <"$work/list" |
        tee -a "$results/summary.txt" || echo "not all tests had their turn" | tee -a "$results/summary.txt"
    grep -h -B3 'LINE' "$results"/test_*.log | head -n 60 || true
    printf 'tests: %d passed, %d failed, after %d s\n' "$(grep -c '^passed' "$results/summary.txt")" \
        "$(grep -cE '^(FAILED|TIMED)' "$results/summary.txt" || true)" $((SECONDS - began)) |
        tee -a "$results/summary.txt"

    timeout "${seconds[1]}" "$bin/bench_plan" --runs 3 --kernels --rows "$results/rows.csv" "$work/scenes/" ball arm grid \
        >"$results/bench.txt" 2>&1 || echo "benchmarks: not finished" | tee -a "$results/summary.txt"
    timeout 60 "$bin/bench_plan" --runs 3 --only "length alone" --milestones 200000 --rows "$results/rows.csv" \
        "$work/scenes/" ball >>"$results/bench.txt" 2>&1 || true
    grep -E '^(==|whole|landmarks|one query|JSON|shortest|fewest|prm)' "$results/bench.txt" || true
    echo "done after $((SECONDS - began)) s" | tee -a "$results/summary.txt"
    ! grep -qE '^(FAILED|TIMED)' "$results/summary.txt"
}

case ${1:-run} in
pack) make_pack ;;
run) run ;;
*)
    echo "usage: gpu.sh [pack|run]" >&2
    exit 2
    ;;
esac
