#!/bin/sh
# SPDX-License-Identifier: MIT
# Run everything that takes long, in turns, for hours: `make soak HOURS=8`.
#
#     tools/soak.sh [--list] [--only NAME]
#
# Each step of a round is a command that can also be run by hand. Steps that search take another
# seed in each round. The log (BUILD/soak/log) has a line for the start and the end of each step:
# time, commit, round, seconds, and the command. The first failure ends the soak: the script prints
# the output, and the command that repeats the step. It looks at the time between steps, so the last
# step runs to its end. HOURS=0 is one round. From the environment: BUILD, MAKE, CC, HOURS (1),
# SEED (of the first round, 1).
set -u
cd "$(dirname "$0")/.." || exit 2
: "${BUILD:=build}" "${MAKE:=make}" "${CC:=cc}" "${HOURS:=1}" "${SEED:=1}"
out=$BUILD/soak
log=$out/log
mkdir -p "$out"
commit=$(git rev-parse --short HEAD 2>/dev/null || echo '?')
[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit=$commit+

# A line for each step: its name, then the command, which sees SEED.
steps() {
    cat <<END
asan $MAKE asan
tsan $MAKE tsan
stress $MAKE test-stress
slices $MAKE test-slices
faults $MAKE test-faults
valgrind $MAKE valgrind
fuzz $MAKE fuzz SECONDS=900 SEED=\$SEED
threads $MAKE VARIANT=tsan tests && for i in 1 2 3 4 5 6 7 8 9 10; do $BUILD/tsan/tests thread fork || exit 1; done
forks $MAKE VARIANT=asan tests && for i in 1 2 3 4 5 6 7 8 9 10; do $BUILD/asan/tests api/fork api/threads object/dealloc || exit 1; done
mutants $MAKE mutants-random SECONDS=900 SEED=\$SEED
differential $MAKE VARIANT=debug tests && BUILD=$BUILD CC=$CC WERROR= tests/scripts/differential.sh >$out/differential && ! grep -A 20 ^FAIL $out/differential
programs $MAKE VARIANT=paranoid $BUILD/paranoid/scheme && for script in bench/application.scm examples/scheme/scripts/*.scm; do OURO_PAUSE_BUDGET=\$((SEED % 3 * 200)) $BUILD/paranoid/scheme \$script >/dev/null || exit 1; done
checked $MAKE test-check
long $MAKE test-long
END
}

note() {
    echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $commit round $round seed $SEED $*" | tee -a "$log"
}

# run_step NAME COMMAND
run_step() {
    started=$(date +%s)
    note "begin $1: $2"
    # 3 is the list of steps: a test that reads it would skip some.
    if ! SEED=$SEED sh -c "$2" >"$out/$1.output" 2>&1 </dev/null 3<&-; then
        tail -n 60 "$out/$1.output"
        note "FAILED $1 after $(($(date +%s) - started)) s"
        echo "soak: the output is in $out/$1.output; this repeats it:"
        echo "    SEED=$SEED sh -c '$2'"
        exit 1
    fi
    note "passed $1 in $(($(date +%s) - started)) s: $(grep -E '[0-9]+ passed|Verdicts|nothing found|ended badly|^summary' "$out/$1.output" | tail -n 1)"
}

only=
case ${1-} in
'') ;;
--list) steps; exit 0 ;;
--only) only=${2-} ;;
*) sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

# The shell has whole numbers alone; HOURS=0.25 is fine.
seconds=$(awk -v hours="$HOURS" 'BEGIN { if (hours !~ /^[0-9]*\.?[0-9]+$/) exit 1; printf "%d", hours * 3600 }') ||
    { echo "soak: HOURS is a number, not \"$HOURS\"" >&2; exit 2; }
end=$(($(date +%s) + seconds)) round=1
steps >"$out/steps"
if [ -n "$only" ] && ! grep -q "^$only " "$out/steps"; then
    echo "soak: there is no step $only; --list shows them" >&2
    exit 2
fi
while :; do
    while read -r name command <&3; do
        if [ -z "$only" ] || [ "$only" = "$name" ]; then
            run_step "$name" "$command"
            [ "$seconds" -eq 0 ] || [ "$(date +%s)" -lt "$end" ] || break
        fi
    done 3<"$out/steps"
    [ "$(date +%s)" -lt "$end" ] || break
    round=$((round + 1)) SEED=$((SEED + 1))
done
note "soak ends: nothing failed"
