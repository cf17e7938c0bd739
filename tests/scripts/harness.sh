#!/bin/sh
# SPDX-License-Identifier: MIT
# The runner notices every kind of failure. This script runs the samples of base/test_harness.c,
# which are made to fail, and reads the report.
# From the environment: TESTS, the runner.
set -u

report=$("$TESTS" --samples --verbose sample_ 2>&1)
status=$?

# expect NAME TEXT: the report has a line with that text.
expect() {
    if printf '%s\n' "$report" | grep -qF -e "$2"; then
        echo "ok harness: $1"
    else
        echo "FAIL harness: $1 (no \"$2\" in the report)"
    fi
}

h=base/harness.sample
expect "a failed expectation is reported with its values" \
    "not true: 1 + 1 == 3, with 2 and 3"
expect "all failed expectations are counted" "FAIL ${h}_expects_in_vain: 2 expectation"
expect "the output of a failed test is shown" "words on stdout"
expect "REQUIRE ends the test" "FAIL ${h}_gives_up: 1 expectation"
expect "a crash is a failure" "FAIL ${h}_crashes: died of signal 6"
expect "the last words of a crash are shown" "last words"
expect "a test that hangs is killed" "FAIL ${h}_hangs: still running"
expect "exit() is a failure" "FAIL ${h}_exits: called exit()"
expect "an expected signal must come" "FAIL ${h}_does_not_abort: did not die"
expect "an expected signal hides no failure" "FAIL ${h}_fails_then_aborts: 1 exp"
expect "an expected text must come" "FAIL ${h}_keeps_silent: did not write"
expect "EXPECT_FATAL needs an abort" "FAIL ${h}_survives: 1 expectation"
expect "a failure in a child counts" "FAIL ${h}_fails_in_a_child: 1 expectation"
expect "a skipped test says why" "skip ${h}_is_skipped: no such device"
expect "a test that passes is named" "ok   ${h}_passes"
expect "a container that outlives the interpreter is a failure" \
    "FAIL ${h}_keeps_containers_alive: 1 expectation"
expect "containers that are left are counted by type" "alive at the end: 2 of type 'list'"
expect "and listed" "alive at the end: 1 of type 'set'"
expect "a plain object that outlives the interpreter is a failure" \
    "FAIL ${h}_keeps_a_plain_object_alive: 1 expectation"
expect "plain objects that are left are counted" "alive at the end: 1 plain objects"
expect "the last line counts" "1 passed, 12 failed, 2 skipped"

if printf '%s\n' "$report" | grep -q "not reached"; then
    echo "FAIL harness: REQUIRE went on"
fi
if [ "$status" -ne 1 ]; then
    echo "FAIL harness: the runner's status is $status, not 1"
fi
