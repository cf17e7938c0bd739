#!/bin/sh
# SPDX-License-Identifier: MIT
# The Debian packages build, and lintian finds no error. In a system of their own they install,
# work, and leave nothing behind when they are removed. OURO_DEBS=folder uses the packages of an
# earlier `make deb`.
. "$(dirname "$0")/claims"
claims deb
tools/install-packages.sh deb
needs dpkg-buildpackage "the packages" && needs dh_python3 "the packages" || exit 0

debs=${OURO_DEBS:-$root/deb}
if [ -z "${OURO_DEBS:-}" ]; then
    claim "the packages build, and lintian finds no error" \
        env DEB_BUILD_OPTIONS=nocheck make deb BUILD="$root"
fi

no_path_of_this_machine() {
    for deb in "$debs"/*.deb; do
        dpkg-deb -x "$deb" "$root/files" || return 1
    done
    ! grep -rlF -e "$(realpath "$debs")" "$root/files"
}
claim "no file of the packages knows where they were built" no_path_of_this_machine

system=$root/system
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
why=$(tools/scratch-root.sh "$suite" "$system" \
    gcc,libc6-dev,pkg-config,python3-pytest,ouroboros-tools,python3-ouroboros "$debs")
case $? in
0) echo "ok deb: the packages install in a system of their own, with what they depend on" ;;
77) echo "skip deb: installing: $why"; exit $failed ;;
*) echo "$why"; echo "FAIL deb: the packages do not install"; exit 1 ;;
esac

# inside COMMAND: run a line of shell in the system. /proc is mounted while the command runs.
inside() {
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/tmp sh -euc "cd /tmp; $1"' \
        "$system" "$1"
}

# ---- the library ------------------------------------------------------------------------------

cp examples/link.c tests/scripts/box.c "$system/tmp"
cp tests/scripts/ouro/subject.c "$system/tmp/subject.c"
line=$(grep '^cc link.c $(pkg-config --cflags --libs ouroboros)' README.md)
claim "the README's example compiles with the README's line, and runs" \
    prints "1 collected" inside "$line"
claim "the static library does, too" prints "1 collected" inside \
    'cc link.c $(pkg-config --cflags ouroboros) -l:libouroboros.a -lm -o static && ./static'
claim "programs remember no path" inside '! readelf -d link | grep -i "runpath\|rpath"'

# ---- the tools ----------------------------------------------------------------------------------

claim "the checking library names a mistake" prints "gc-check[GC-T01]: mine.Box object" inside \
    'cc box.c $(pkg-config --cflags --libs ouroboros-check) -o box; ./box || true'
claim "ouro runs its demonstration" prints "All garbage was freed" inside "ouro demo"
claim "ouro check finds the mistakes of a module" inside '
    cc -shared -fPIC -g $(pkg-config --cflags ouroboros-check) -DFORGETS subject.c -o subject.so
    status=0; ouro check subject.so || status=$?; [ $status -eq 1 ]'
claim "the manual pages are there" inside 'dpkg -S man1/ouro.1.gz man7/ouroboros.7.gz man3/Ouro_GCCollect.3.gz'

# ---- inside CPython -----------------------------------------------------------------------------

claim "python3-ouroboros enables nothing by itself" inside 'python3 -c "
import gc, sys
assert not gc.callbacks, gc.callbacks
assert not [name for name in sys.modules if name.startswith(\"ouro\")]"
    ! dpkg -L python3-ouroboros | grep "\.pth"'
claim "ouro_gc can be enabled" inside 'python3 -c "
import gc, ouro_gc
ouro_gc.enable()
gc.collect()
assert sum(ouro_gc.stats()[\"collections\"]) > 0, ouro_gc.stats()"'
claim "ouro_audit runs" prints usage inside "python3 -m ouro_audit --help"
printf 'def test_nothing():\n    pass\n' >"$system/tmp/test_nothing.py"
claim "pytest has the option, and audits nothing without it" inside '
    python3 -m pytest -q test_nothing.py | tee plain; ! grep -i ouro plain
    python3 -m pytest -q --ouro-audit test_nothing.py | grep -i "audit"'

# ---- the end ------------------------------------------------------------------------------------

claim "a program needs nothing but libouroboros$minor" prints "1 collected" inside '
    dpkg --purge ouroboros-tools libouroboros-dev python3-ouroboros >/dev/null; ./link'
claim "nothing is left when the packages are gone" inside '
    dpkg --purge libouroboros'"$minor"' >/dev/null; rm -rf /tmp/*
    left=$(find /usr /etc /var/lib/dpkg/info -iname "*ouro*"); echo "$left"; [ -z "$left" ]'
