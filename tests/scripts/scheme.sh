#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/scheme: its scripts print the expected text of tests/scripts/scheme/. Errors say what
# went wrong and where. Cycles are collected, and nothing is left behind.
# From the environment: BUILD and CC.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
scheme=$BUILD/debug/scheme
scripts=examples/scheme/scripts
expected=tests/scripts/scheme

report() {
    if [ "$1" -eq 0 ]; then echo "ok scheme: $2"; else echo "FAIL scheme: $2"; fi
}

# run_scripts COMMAND OPTIONS...: every script prints the expected text.
run_scripts() {
    bad=0
    for script in "$scripts"/*.scm; do
        name=$(basename "$script" .scm)
        "$@" "$script" 2>"$root/errors" | diff "$expected/$name.txt" - || bad=1
        grep -v '; 0 objects left at the end$' "$root/errors" && bad=1
    done
    return $bad
}

run_scripts "$scheme" --stats
report $? "every script prints what it should and leaves no object behind"

OURO_STRESS=collect "$scheme" --stats $scripts/words.scm $scripts/errors.scm 2>&1 |
    grep -q '; 0 objects left'
report $? "scripts run when every allocation collects"

# ---- the collector ------------------------------------------------------------------------

"$scheme" --heap-limit=16M --stats $scripts/churn.scm >"$root/output" 2>&1
grep -q '^20013900000$' "$root/output" && grep -q 'freed 9[0-9]* objects' "$root/output"
report $? "churn.scm finishes within 16 MiB"

"$scheme" --heap-limit=16M --no-gc $scripts/churn.scm >"$root/output" 2>&1
[ $? -eq 1 ] && grep -q "churn.scm:[0-9]*: error: MemoryError: out of memory: \
the limit is 16384 KiB, and the collector is off" "$root/output"
report $? "churn.scm runs out of memory without the collector, and says so"

"$scheme" --heap-limit=4M --stats -e "(define (grow l) (grow (cons 1 l)))" \
    -e "(guard (e (#t (error-message e))) (grow '()))" -e "(+ 1 2)" >"$root/output" 2>&1
[ $? -eq 0 ] && grep -q '^"out of memory: the limit is 4096 KiB' "$root/output" &&
    grep -q '^3$' "$root/output" && grep -q '; 0 objects left' "$root/output"
report $? "a program that catches MemoryError goes on"

# ---- errors -------------------------------------------------------------------------------

# fails TEXT EXPRESSION...: the last line of the report, without its place, is the text.
fails() {
    text=$1
    shift
    "$scheme" -e "$@" >"$root/output" 2>&1
    status=$?
    if [ $status -ne 1 ] || ! grep -qxF -e "-e:$text" "$root/output"; then
        echo "status $status, expected \"-e:$text\" and got:"
        cat "$root/output"
        bad=1
    fi
}
bad=0
fails '3: error: car: not a pair: 5' '(define (f x)

  (car x))
(f 5)'
fails '1: error: nowhere: variable has no value' '(+ 1 nowhere)'
fails '1: error: nowhere: variable has no value' '(set! nowhere 1)'
fails '1: error: f: takes 1 argument, not 2' '(define (f x) x) (f 1 2)'
fails '1: error: f: takes at least 1 argument, not 0' '(define (f x . y) x) (f)'
fails '1: error: call: not a procedure: "text"' '("text")'
fails '1: error: +: not a number: #t' '(+ 1 #t)'
fails '1: error: no money: (1 . 2) "x"' "(error \"no money:\" '(1 . 2) \"x\")"
fails '1: error: uncaught: (1 2)' '(raise (list 1 2))'
fails '1: error: TypeError: cannot use '"'list' as a dict key (unhashable type: 'list')" \
    '(hash-table-ref (make-hash-table) (vector) 0)'
report $bad "errors of a running program say what and where"

bad=0
fails '2: error: a list is not closed' '
(car (list 1'
fails '1: error: a string is not closed' '"abc'
fails '2: error: a ) too many' '1
)'
fails '1: error: #q: unknown # syntax' '#q'
fails '1: error: a dot must be followed by one datum and )' "'(1 . 2 3)"
fails '1: error: a string has an unknown escape; \n \t \" \\ exist' '"\q"'
fails '1: error: bad syntax: expected (if test then [else])' '(if)'
fails '1: error: bad syntax: expected (let ((name expression) ...) body ...)' '(let (x) 1)'
fails '1: error: bad syntax: expected different names as parameters' '(lambda (x x) 1)'
fails '1: error: bad syntax: expected (set! name expression)' '(set! 5 5)'
fails '1: error: define: only at the top of a file or body' '(lambda () (if 1 (define x 1)))'
fails "1: error: () is no expression; write '()" '(list ())'
fails '1: error: an expression must be a proper list' '(car . 1)'
report $bad "errors in the text of a program say what and where"

bad=0
for depth in '(define (f n) (+ 1 (f n))) (f 1)' \
    "(define l '()) (do ((i 0 (+ i 1))) ((= i 1000000)) (set! l (list l))) (print l)"; do
    "$scheme" --stats -e "$depth" >"$root/output" 2>&1
    [ $? -eq 1 ] && grep -q 'RecursionError: maximum recursion depth' "$root/output" &&
        grep -q '; 0 objects left' "$root/output" || { tail -n 3 "$root/output"; bad=1; }
done
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "("; }' >"$root/deep.scm"
"$scheme" "$root/deep.scm" 2>&1 | grep -q 'RecursionError' || bad=1
report $bad "deep recursion of programs, values and text is an error"

# ---- the command --------------------------------------------------------------------------

printf '(define (twice x)\n  (* 2 x))\n(twice 4)\n(car 1)\n"a\\nb" (if #f #f)\n(exit 3)\n' |
    "$scheme" >"$root/output" 2>"$root/errors"
[ $? -eq 3 ] && printf '8\n"a\\nb"\n' | diff - "$root/output" &&
    echo 'prompt:4: error: car: not a pair: 1' | diff - "$root/errors"
report $? "the prompt gathers lines, prints values, and survives errors"

"$scheme" --help | grep -q '^usage: scheme' && "$scheme" --version | grep -q Ouroboros &&
    echo '(print "from stdin")' | "$scheme" - | grep -q '^from stdin$'
report $? "--help, --version, and - for standard input"

bad=0
"$scheme" --what 2>"$root/errors" && bad=1
grep -q '^scheme: --what: what is that?' "$root/errors" || bad=1
"$scheme" --heap-limit=soup 2>/dev/null && bad=1
"$scheme" "$root/missing.scm" 2>"$root/errors" && bad=1
grep -q 'missing.scm: No such file' "$root/errors" || bad=1
report $bad "a wrong option, a wrong size and a missing file are told"

# ---- with other tools ---------------------------------------------------------------------

echo 'int main(void) { return 0; }' >"$root/empty.c"
if $CC -fsanitize=address,undefined "$root/empty.c" -o "$root/empty" 2>/dev/null &&
    "$root/empty"; then
    $CC -std=c11 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
        -Iinclude/ouroboros examples/scheme/*.c "$BUILD/debug/libouroboros.a" \
        -pthread -lm -o "$root/asan" && run_scripts "$root/asan" --stats
    report $? "no bad access and no leak under AddressSanitizer"
else
    echo "skip scheme: no bad access and no leak under AddressSanitizer: not in $CC"
fi

if command -v valgrind >/dev/null 2>&1; then
    valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,possible \
        --error-exitcode=9 "$scheme" $scripts/words.scm $scripts/weak.scm
    report $? "no bad access and no leak under valgrind"
else
    echo "skip scheme: no bad access and no leak under valgrind: no valgrind"
fi

# The same files, except memory.c, are a Scheme on CPython.
if tools/python-configs.sh >"$root/pythons" && read -r version config <"$root/pythons" &&
    [ "${version#3.}" -ge 13 ]; then
    mkdir "$root/header" && cp include/ouroboros/ouro_fields.h "$root/header"
    # shellcheck disable=SC2046,SC2086
    $CC -std=gnu11 -O1 -Wall -Wextra ${WERROR-} $("$config" --includes) -Iexamples/scheme \
        -I"$root/header" \
        $(ls examples/scheme/*.c | grep -v memory.c) tests/scripts/scheme/memory_cpython.c \
        $("$config" --embed --ldflags) -Wl,-rpath,"$("$config" --prefix)/lib" \
        -o "$root/cpython" &&
        PYTHONHOME=$("$config" --prefix) run_scripts "$root/cpython"
    report $? "the same sources on CPython $version print the same"
else
    echo "skip scheme: the same sources on CPython: none of 3.13 or newer can be embedded"
fi
