#!/usr/bin/env bash
# Tests and measures on a GPU, building included in under eight minutes: ./dev gpu, or ./dev gpu pack elsewhere before.
#
#   gpu.sh pack      packs what was built here, stripped, with the libraries that it needs, into build/gpu/pack.tar.xz:
#                    for a machine that has a GPU's driver and neither our packages nor a network
#   gpu.sh run       unpacks that, or where there is none takes what is built in build/, and runs
#   gpu.sh targets   names what must be built for either
#
# Results go to $OUT (default: build/gpu/results): summary.txt, one log a test, bench.txt. Exit status 0: all tests
# had their turn and passed; 1: not so; 3: no GPU, with what is missing. PRM_GPU_DEVICE: what prmd calls --device
# (default gpu). PRM_GPU_SECONDS: for everything (default 470), of which PRM_GPU_SPENT are gone already; tests have two
# thirds of what is left, but two minutes at least, and benchmarks one.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${PRM_BUILD:-$top/build}
pack=$top/build/gpu
began=$((SECONDS - ${PRM_GPU_SPENT:-0}))
total=${PRM_GPU_SECONDS:-470}

# a test that takes longer hangs; test_answers has the scenes of all kinds
test_seconds=100
answers_seconds=200

# Targets that need a device: tests labelled so, of which each is named as its program, prmd, and benchmarks.
targets() {
    ctest --test-dir "$build" -N -L '^device$' --show-only=json-v1 | python3 -c '
import json, sys
names = {test["name"].split(".")[0] for test in json.load(sys.stdin)["tests"]}
print("\n".join(sorted(names - {"test_instructions"})))'
    printf '%s\n' bench_plan bench_scenes prmd
}

# Their programs; those that were not built are missing.
programs() {
    local name
    targets | while read -r name; do
        if [ -x "$build/tests/$name" ]; then
            echo "$build/tests/$name"
        elif [ -x "$build/bin/$name" ]; then
            echo "$build/bin/$name"
        else
            echo "$name is not built in $build: ./dev gpu builds it" >&2
            return 1
        fi
    done
}

# Libraries of a program but those of the C library, which every machine has its own of.
libraries() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
        grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so'
}

make_pack() {
    local stage list program
    stage=$(mktemp -d)
    mkdir -p "$stage/bin" "$stage/lib" "$pack"
    list=$(programs)
    for program in $list; do
        strip -o "$stage/bin/$(basename "$program")" "$program"
    done
    # shellcheck disable=SC2086
    libraries $list | xargs -I{} cp -L {} "$stage/lib"
    cp "$top/tests/bench/answers.txt" "$stage"
    "$stage/bin/bench_scenes" "$stage/scenes" >/dev/null
    XZ_OPT="--lzma2=preset=1,dict=64MiB" tar -C "$stage" -cJf "$pack/pack.tar.xz" .
    rm -rf "$stage"
    ls -l "$pack/pack.tar.xz"
}

say() { echo "$*" | tee -a "$results/summary.txt"; }

# Seconds until everything should be done.
left() { echo $((total - (SECONDS - began))); }

# Ends: 3, with what is missing.
give_up() {
    say "$*"
    exit 3
}

# Programs and scenes in $work, from the pack or from build/.
lay_out() {
    local list
    bin=$work/bin
    if [ -f "$pack/pack.tar.xz" ]; then
        command -v xz >/dev/null || give_up "xz is missing, which unpacks $pack/pack.tar.xz: install xz-utils"
        tar -C "$work" -xf "$pack/pack.tar.xz"
        export LD_LIBRARY_PATH=$work/lib:${LD_LIBRARY_PATH:-} PRM_ANSWERS=$work/answers.txt
    else
        list=$(programs) || give_up "nothing to run: neither $pack/pack.tar.xz nor what ./dev gpu builds"
        mkdir -p "$bin"
        xargs ln -st "$bin" <<<"$list"
        "$bin/bench_scenes" "$work/scenes" >/dev/null
    fi
}

# Whether prmd opens the device; says which it is, and compiles what is common by the way, as far as that goes.
open_device() {
    local status=0
    timeout 30 "$bin/prmd" --check --data-dir "$work/data" >"$work/check.txt" 2>&1 || status=$?
    # what is not compiled by then the tests compile
    [ $status -eq 0 ] || [ $status -eq 124 ]
}

# NVIDIA's OpenCL is there with its driver, but the loader may not have been told.
find_nvidia() {
    local library
    library=$({ ldconfig -p | sed -n 's,.*=> \(.*/libnvidia-opencl\.so\.1\)$,\1,p'
        find /usr/local/nvidia /usr/lib /usr/lib64 /opt -name 'libnvidia-opencl.so.*' 2>/dev/null; } | head -n 1)
    [ -n "$library" ] || return 1
    mkdir -p "$work/vendors"
    echo "$library" >"$work/vendors/gpu.icd"
    export OCL_ICD_VENDORS=$work/vendors
    # what the driver loads in its turn stands beside it
    LD_LIBRARY_PATH=$(dirname "$library"):${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
}

# Without a device all tests would fail: says what there is instead.
need_device() {
    open_device && return
    if find_nvidia && open_device; then
        return
    fi
    cat "$work/check.txt"
    ls /etc/OpenCL/vendors/*.icd 2>/dev/null || true
    find /dev -maxdepth 1 '(' -name 'nvidia*' -o -name kfd -o -name dri ')' || true
    give_up "no device is '$PRMD_DEVICE': what the loader finds and the devices of the system are above. NVIDIA's" \
        "driver brings libnvidia-opencl.so.1, in a container where NVIDIA_DRIVER_CAPABILITIES has compute; AMD's and" \
        "Intel's OpenCL are packages, which put an .icd into /etc/OpenCL/vendors"
}

# One test by itself: its log, and a line of how it went and how long it took.
test_one() {
    local name=$1 status=0 start seconds=$test_seconds rest=$((deadline - $(date +%s)))
    if [ "$name" = test_answers ]; then
        seconds=$answers_seconds
    fi
    if [ "$rest" -le 0 ]; then
        echo "NOT RUN $name"
        return
    fi
    start=$(date +%s%N)
    timeout $((seconds < rest ? seconds : rest)) "$bin/$name" >"$results/$name.log" 2>&1 || status=$?
    printf '%s %s %d.%d s\n' "$(case $status in 0) echo passed ;; 77) echo skipped ;; 124) echo 'TIMED OUT' ;; *) echo FAILED ;; esac)" \
        "$name" $((($(date +%s%N) - start) / 1000000000)) $((($(date +%s%N) - start) / 100000000 % 10))
}

# The answers and what takes longest first, all others beside them; each in a process and context of its own.
run_tests() {
    local seconds jobs
    seconds=$(($(left) * 2 / 3))
    deadline=$(($(date +%s) + (seconds > 120 ? seconds : 120)))
    jobs=$(nproc)
    export deadline
    {
        printf 'test_%s\n' answers expand snapshot search
        find "$bin/" -name 'test_*' -printf '%f\n' | sort | grep -vxE 'test_(answers|expand|snapshot|search)'
    } | xargs -P $((jobs < 16 ? jobs : 16)) -I{} bash -c 'test_one {}' | tee -a "$results/summary.txt"
    grep -h -B3 'LINE' "$results"/test_*.log | head -n 60 || true
    say "tests: $(grep -c '^passed' "$results/summary.txt") passed," \
        "$(grep -cE '^(FAILED|TIMED)' "$results/summary.txt") failed," \
        "$(grep -c '^NOT RUN' "$results/summary.txt") had no turn, after $((SECONDS - began)) s"
}

# All scenes, then one of them large.
run_benchmarks() {
    local seconds
    seconds=$(left)
    seconds=$((seconds > 60 ? seconds : 60))
    timeout $((seconds * 3 / 4)) "$bin/bench_plan" --runs 3 --kernels --rows "$results/rows.csv" "$work/scenes/" \
        ball arm grid >"$results/bench.txt" 2>&1 || say "benchmarks: not finished"
    timeout $((seconds / 4)) "$bin/bench_plan" --runs 3 --only "length alone" --milestones 200000 \
        --rows "$results/rows.csv" "$work/scenes/" ball >>"$results/bench.txt" 2>&1 ||
        say "benchmark of 200 000 milestones: not finished"
    grep -E '^(==|whole|landmarks|one query|JSON|shortest|fewest|prm)' "$results/bench.txt" || true
}

run() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    results=${OUT:-$pack/results}
    rm -rf "$pack/results"
    mkdir -p "$results"
    : >"$results/summary.txt"
    lay_out
    # kernels are compiled once; what other runs have left there does not count
    export PRMD_DEVICE=${PRM_GPU_DEVICE:-gpu} CUDA_CACHE_PATH=$work/cache CUDA_CACHE_MAXSIZE=1073741824
    export bin results test_seconds answers_seconds
    export -f test_one

    need_device
    tee -a "$results/summary.txt" <"$work/check.txt"
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null |
        tee -a "$results/summary.txt" || true
    say "the device is open after $((SECONDS - began)) s"

    run_tests
    run_benchmarks
    say "done after $((SECONDS - began)) s"
    ! grep -qE '^(FAILED|TIMED|NOT RUN)' "$results/summary.txt"
}

case ${1:-run} in
pack) make_pack ;;
run) run ;;
targets) targets ;;
*)
    echo "usage: gpu.sh [pack|run|targets]" >&2
    exit 2
    ;;
esac
