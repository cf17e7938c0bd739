#!/bin/sh
# SPDX-License-Identifier: MIT
# Install into an empty folder, and use the result as a user would: with the README's line,
# pkg-config, CMake and Meson, with the shared and the static library, from C and from C++. The
# tree is installed with DESTDIR and used there, as if it had been moved. Nothing sets
# LD_LIBRARY_PATH. From the environment: BUILD and CC.
set -u
MAKEFLAGS=
export MAKEFLAGS
unset VARIANT  # the tests run with that of the debug build; release is what is installed
unset LD_LIBRARY_PATH

root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
here=$(pwd)
prefix=$root/opt/ouro
version=$(sed -n 's/^VERSION *:= *//p' Makefile)
minor=${version%.*}

report() {
    if [ "$1" -eq 0 ]; then echo "ok install: $2"; else echo "FAIL install: $2"; fi
}

# has NAME TOOL: whether the tool is installed. If not, the test is skipped.
has() {
    command -v "$2" >/dev/null 2>&1 || { echo "skip install: $1: no $2"; return 1; }
}

# installs SETTINGS...: `make install` with these settings.
installs() {
    make -j "$(nproc)" BUILD="$BUILD" CC="$CC" "$@" install >"$root/log" 2>&1 ||
        { tail -n 20 "$root/log"; return 1; }
}

tools/install-packages.sh install
installs PREFIX=/opt/ouro DESTDIR="$root"
report $? "make install"

# ---- a user's build -------------------------------------------------------------------------

commands=$(env -u WERROR make -n -B V=1 BUILD="$root/nothing" all)
echo "$commands" | grep -q -e '-Wall' && ! echo "$commands" | grep -q -e '-Werror'
report $? "warnings do not stop a user's build"

# ---- pkg-config -------------------------------------------------------------------------------

# The README says cc; here this is the compiler under test.
mkdir "$root/bin" "$root/link"
ln -s "$(command -v "${CC%% *}")" "$root/bin/cc"
cp examples/link.c "$root/link"
line=$(grep '^cc link.c $(pkg-config --cflags --libs ouroboros)' README.md)

# readme_line FOLDER: run the README's line, with the files that pkg-config finds in the folder.
readme_line() {
    rm -f "$root/link/link"
    result=$(cd "$root/link" && PATH=$root/bin:$PATH PKG_CONFIG_PATH=$1 sh -c "$line") &&
        [ "$result" = "1 collected" ] || { echo "$result"; return 1; }
}

if has "the README's line" pkg-config; then
    readme_line "$prefix/lib/pkgconfig"
    report $? "the README's line works where the tree lies after it was moved"

    installs PREFIX="$root/direct"
    readme_line "$root/direct/lib/pkgconfig"
    report $? "the README's line works with a prefix of one's own"

    installs PREFIX="$root/other/" LIBDIR="$root/other/lib/some-machine" \
        PKGCONFIGDIR="$root/other/share/pkgconfig" && mv "$root/other" "$root/moved" &&
        readme_line "$root/moved/share/pkgconfig"
    report $? "the README's line works with other folders below the prefix, moved as well"

    installs PREFIX="$root/split" LIBDIR="$root/libraries" && rm -r "$root/split/lib"
    readme_line "$root/libraries/pkgconfig"
    report $? "the README's line works with libraries outside of the prefix"

    installs PREFIX=/usr DESTDIR="$root/system" &&
        [ -f "$root/system/usr/lib/pkgconfig/ouroboros.pc" ] &&
        ! grep -rn -e '-rpath' "$root/system/usr/lib/pkgconfig"
    report $? "no path is remembered of a folder that the loader knows"

    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    flags=$(pkg-config --cflags --libs ouroboros)
    [ "$flags" = "$(PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs ouroboros)" ]
    report $? "a system root does not count twice"

    # shellcheck disable=SC2046
    $CC tests/scripts/program.c -o "$root/static" $(pkg-config --cflags ouroboros) \
        $(pkg-config --static --libs ouroboros | sed 's/-louroboros/-l:libouroboros.a/') &&
        "$root/static"
    report $? "a program with the static library"
    nm "$root/static" >"$root/names" && grep -q ' PyType_Ready$' "$root/names" &&
        ! grep -E ' (PyType_ClearCache|PyUnicode_AsUCS4Copy|PyUnicode_DecodeUTF7)$' "$root/names"
    report $? "what the program does not use is not linked into it"

    if has "a container type in C++" c++; then
        # shellcheck disable=SC2086
        c++ -std=c++17 -Wall -Wextra -Wpedantic ${WERROR-} tests/scripts/container.cc $flags \
            -o "$root/cxx" && "$root/cxx"
        report $? "a container type in C++"
        # shellcheck disable=SC2086
        c++ -std=c++17 -Wall -Wextra -Wpedantic ${WERROR-} examples/cpp/document.cc $flags \
            -o "$root/document" && "$root/document" | cmp - tests/scripts/cpp/document.txt
        report $? "classes with ouroboros.hpp"
    fi
fi

# ---- CMake --------------------------------------------------------------------------------------

# cmake_project VERSION TARGET: a project that needs both, built in $root/cmake/build.
cmake_project() {
    rm -rf "$root/cmake"
    mkdir "$root/cmake"
    cat >"$root/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(ouroboros $1 CONFIG REQUIRED)
find_package(ouroboros $1 CONFIG REQUIRED)
add_executable(program "$here/tests/scripts/box.c")
target_link_libraries(program PRIVATE $2)
END
    PATH=$root/bin:$PATH CC='' cmake -S "$root/cmake" -B "$root/cmake/build" \
        -DCMAKE_PREFIX_PATH="$prefix" >"$root/log" 2>&1 &&
        cmake --build "$root/cmake/build" >>"$root/log" 2>&1
}

# cmake_runs TARGET TEXT: built with the target, the program runs and writes the text.
cmake_runs() {
    cmake_project '' "$1" && "$root/cmake/build/program" >"$root/output" 2>&1 &&
        grep -q "$2" "$root/output" || { cat "$root/log" "$root/output"; false; }
    report $? "a CMake project with $1"
}

if has "CMake projects" cmake; then
    cmake_runs Ouroboros::ouroboros '^done$'
    cmake_runs Ouroboros::static '^done$'
    cmake_runs Ouroboros::check 'gc-check\[GC-T01\]: mine.Box object'
    for asked in "$minor" "$version" "$version EXACT" "0.0...$minor.99"; do
        cmake_project "$asked" Ouroboros::ouroboros || { cat "$root/log"; false; }
        report $? "a CMake project that asks for version $asked"
    done
    for asked in 0.0 99 "$minor.99" "0.0...<$version"; do
        ! cmake_project "$asked" Ouroboros::ouroboros &&
            grep -q "ouroborosConfig.cmake, version: $version" "$root/log"
        report $? "a CMake project that asks for version $asked is told what is there"
    done
fi

# ---- Meson ----------------------------------------------------------------------------------------

if has "a Meson project" meson && has "a Meson project" pkg-config; then
    mkdir "$root/meson"
    cp tests/scripts/box.c "$root/meson"
    cat >"$root/meson/meson.build" <<'END'
project('user', 'c')
executable('program', 'box.c', dependencies: dependency('ouroboros', version: '>=0.1'))
executable('checked', 'box.c', dependencies: dependency('ouroboros-check'))
END
    PATH=$root/bin:$PATH CC=cc meson setup "$root/meson/build" "$root/meson" >"$root/log" 2>&1 &&
        meson compile -C "$root/meson/build" >>"$root/log" 2>&1 &&
        [ "$("$root/meson/build/program")" = done ] &&
        "$root/meson/build/checked" 2>&1 | grep -q 'gc-check\[GC-T01\]: mine.Box object'
    status=$?
    [ $status -eq 0 ] || cat "$root/log"
    report $status "a Meson project, with the library and with the checker"
fi

# ---- the rest -----------------------------------------------------------------------------------

"$prefix/bin/ouro" --version && [ -x "$prefix/libexec/ouroboros/demo" ] &&
    [ -f "$prefix/share/man/man1/ouro.1" ]
report $? "the program ouro, its demonstration and its manual"

make BUILD="$BUILD" PREFIX=/opt/ouro DESTDIR="$root" uninstall >/dev/null
left=$(find "$root/opt" ! -type d)
[ -z "$left" ]
report $? "make uninstall leaves nothing $left"

unset PKG_CONFIG_PATH
tests/scripts/pages/follow.sh
