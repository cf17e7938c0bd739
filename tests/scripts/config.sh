#!/bin/sh
# SPDX-License-Identifier: MIT
# The macros of py/config.h are true on this platform: the headers can be included, the functions
# can be linked, and the sizes are those of sizeof. Every header that CPython has beside Python.h
# can be included, alone and before any other.
# From the environment: CC.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

report() {
    if [ "$1" -eq 0 ]; then echo "ok config: $2"; else echo "FAIL config: $2"; fi
}

# macros PATTERN: the macros that are defined to 1 here and match it.
macros() {
    echo '#include <Python.h>' | $CC -Iinclude/ouroboros -dM -E - |
        sed -n "s/^#define \($1\) 1\$/\1/p" | sort -u
}

lower() {
    tr '[:upper:]' '[:lower:]'
}

# HAVE_SYS_TIME_H may be sys/time.h or sys_time.h.
for name in $(macros 'HAVE_[A-Z0-9_]*_H' | sed 's/^HAVE_//;s/_H$//' | lower); do
    echo "#if !__has_include(<$name.h>) && !__has_include(<$(echo "$name" | tr _ /).h>) && \\"
    echo "    !__has_include(<$(echo "$name" | sed 's|_|/|').h>)"
    echo "#error there is no $name.h"
    echo "#endif"
done >"$root/headers.c"
echo '#include <Python.h>' >>"$root/headers.c"
[ "$(wc -l <"$root/headers.c")" -gt 100 ] && $CC -Iinclude/ouroboros -fsyntax-only "$root/headers.c"
report $? "each HAVE_..._H has its header"

# The lines between "Functions." and the next blank line.
for name in $(sed -n '/^\/\* Functions/,/^$/s/^#define HAVE_\([A-Z0-9_]*\) .*/\1/p' \
    include/ouroboros/py/config.h | lower); do
    echo "char $name(); const void *use_$name = (const void *)&$name;"
done >"$root/functions.c"
echo 'int main(void) { return 0; }' >>"$root/functions.c"
if macros HAVE_EPOLL | grep -q . ; then
    [ "$(wc -l <"$root/functions.c")" -gt 200 ] &&
        $CC -w -fno-builtin "$root/functions.c" -o "$root/functions" -pthread -lm -lutil -ldl -lrt
    report $? "each HAVE_ of a function links"
else
    echo "skip config: HAVE_ of functions: no glibc"
fi

cat >"$root/sizes.c" <<'END'
#include <Python.h>
#include <pthread.h>
#include <stdalign.h>
#define SAME(macro, size) _Static_assert((macro) == (size), #macro)
SAME(SIZEOF_SHORT, sizeof(short));
SAME(SIZEOF_INT, sizeof(int));
SAME(SIZEOF_LONG, sizeof(long));
SAME(SIZEOF_LONG_LONG, sizeof(long long));
SAME(SIZEOF_VOID_P, sizeof(void *));
SAME(SIZEOF_SIZE_T, sizeof(size_t));
SAME(SIZEOF_UINTPTR_T, sizeof(uintptr_t));
SAME(SIZEOF_FLOAT, sizeof(float));
SAME(SIZEOF_DOUBLE, sizeof(double));
SAME(SIZEOF_LONG_DOUBLE, sizeof(long double));
SAME(SIZEOF_WCHAR_T, sizeof(wchar_t));
SAME(SIZEOF__BOOL, sizeof(_Bool));
SAME(SIZEOF_OFF_T, sizeof(off_t));
SAME(SIZEOF_TIME_T, sizeof(time_t));
SAME(SIZEOF_PID_T, sizeof(pid_t));
SAME(SIZEOF_PY_HASH_T, sizeof(Py_hash_t));
SAME(SIZEOF_PY_UHASH_T, sizeof(Py_uhash_t));
SAME(Py_UNICODE_SIZE, sizeof(Py_UNICODE));
SAME(ALIGNOF_LONG, alignof(long));
SAME(ALIGNOF_SIZE_T, alignof(size_t));
SAME(ALIGNOF_MAX_ALIGN_T, alignof(max_align_t));
#ifdef SIZEOF_PTHREAD_T
SAME(SIZEOF_FPOS_T, sizeof(fpos_t));
SAME(SIZEOF_PTHREAD_T, sizeof(pthread_t));
SAME(SIZEOF_PTHREAD_KEY_T, sizeof(pthread_key_t));
#endif
END
$CC -Iinclude/ouroboros -fsyntax-only "$root/sizes.c"
report $? "each SIZEOF_ and ALIGNOF_ is what the compiler says"

# A source gets names of the system through Python.h, also in strict C11.
cat >"$root/system.c" <<'END'
#include <Python.h>
int main(void)
{
    struct timespec now;
    struct timeval tv;
    return clock_gettime(CLOCK_MONOTONIC, &now) + gettimeofday(&tv, NULL) + dup2(1, 1) * 0 +
        isalpha('1') + (INT_MAX < 0) + (errno * 0);
}
END
$CC -std=c11 -Wall -Werror -Iinclude/ouroboros -fsyntax-only "$root/system.c"
report $? "Python.h includes the system headers that CPython's does"

bad=0
for header in $(tools/make-headers.sh --list) datetime.h osdefs.h structmember.h; do
    [ -f "include/ouroboros/$header" ] || { echo "$header is missing"; bad=1; continue; }
done
tools/make-headers.sh --list | sed 's/.*/#include <&>/' >"$root/all.c"
echo 'PyObject *use = NULL;' >>"$root/all.c"
[ $bad -eq 0 ] && $CC -Wall -Wextra -Werror -Iinclude/ouroboros -fsyntax-only "$root/all.c"
report $? "every header that CPython has beside Python.h is there"
