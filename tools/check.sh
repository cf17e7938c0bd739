#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make check` runs. Each check prints one line,
#     ok   name
#     FAIL name        followed by what it found
#     skip name (why)  a tool is missing
# and the last line counts them. `tools/check.sh TEXT ...` runs the checks whose name
# holds one of the texts. From the environment: BUILD, VERSION, MAKE.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 2

BUILD=${BUILD:-build}
MAKE="${MAKE:-make} --no-print-directory"
VERSION=${VERSION:-$(sed -n 's/^VERSION *:= *//p' Makefile)}
MAKEFLAGS=  # a jobserver of the make above us, and its variables, are not ours
export MAKEFLAGS
cores=$(nproc 2>/dev/null || echo 2)
work=$BUILD/check
mkdir -p "$work"

passed=0 failed=0 skipped=0
filters=$*

# ---- running a check ------------------------------------------------------------------

is_wanted() {
    [ -n "$filters" ] || return 0
    for text in $filters; do
        case $1 in *"$text"*) return 0 ;; esac
    done
    return 1
}

# check NAME TOOLS COMMAND...: the command succeeds if all is well, and else prints what
# it found. The check is skipped if one of the tools is missing, or if it ends with status 77.
check() {
    name=$1 tools=$2
    shift 2
    is_wanted "$name" || return 0
    for tool in $tools; do
        if ! command -v "$tool" >/dev/null 2>&1; then
            skip "$tool is not installed"
            return
        fi
    done
    "$@" >"$work/output" 2>&1
    case $? in
    0) echo "ok   $name"; passed=$((passed + 1)) ;;
    77) skip "$(tail -n 1 "$work/output")" ;;
    *)
        echo "FAIL $name"
        head -n 60 "$work/output" | sed 's/^/     /'
        failed=$((failed + 1))
        ;;
    esac
}

skip() {
    echo "skip $name ($1)"
    skipped=$((skipped + 1))
}

tracked() {
    BUILD=$BUILD tools/tracked.sh "$@"
}

# none_of TEXT: succeed if the text is empty, else print it and fail.
none_of() {
    [ -z "$1" ] || { echo "$1"; return 1; }
}

# ---- the checks --------------------------------------------------------------------------

all_c_is_current() {
    tools/make-all-c.sh >"$work/all.c" &&
        diff -u src/all.c "$work/all.c" || { echo "run: make amalgam"; return 1; }
}

versions_agree() {
    header=$(sed -n 's/^#define OURO_VERSION  *"\(.*\)".*/\1/p' \
        include/ouroboros/py/version.h)
    echo "Makefile: $VERSION, version.h: $header"
    [ "$header" = "$VERSION" ] || return 1
    grep -q "^version = \"$VERSION\"" cpython/pyproject.toml ||
        { echo "cpython/pyproject.toml: another version"; return 1; }
    for file in CHANGELOG.md docs/ouro.1 docs/ouroboros.7; do
        grep -q "$VERSION" $file || { echo "$file: not mentioned"; return 1; }
    done
    head -n 1 packaging/debian/changelog | grep -qF "($VERSION-" ||
        { echo "packaging/debian/changelog: another version"; return 1; }
}

no_machine_paths() {
    none_of "$(tracked '*' | xargs grep -nIE '(^|[^A-Za-z0-9_./-])/(root|work|home)/')"
}

# Files that the documents name in backquotes, or link to, must exist.
documents_name_existing_files() {
    bad=0
    for document in $(tracked '*.md'); do
        folder=$(dirname "$document")
        for file in $(grep -oE '(src|tests)/[a-z_]+/[a-z_]+\.[ch]\b' "$document"); do
            [ "$document" != docs/architecture.md ] || [ -e "$file" ] ||
                { echo "$document: there is no $file"; bad=1; }
        done
        for file in $(grep -oE '`(src|docs|tests|tools|include|bench|examples)/[A-Za-z0-9_./-]+`' \
            "$document" | tr -d '`') \
            $(grep -oE '\]\([^)#]+' "$document" | grep -v '://' | sed "s|^](|$folder/|"); do
            [ -e "$file" ] || { echo "$document: there is no $file"; bad=1; }
        done
    done
    return $bad
}

# Every OURO_ variable that is read stands in the table. The library reads these variables in
# one place, with secure_getenv.
environment_is_listed() {
    none_of "$(grep -nE '\bgetenv *\(' -r src)" || return 1
    none_of "$(grep -n 'secure_getenv *(' -r src | grep -v '^src/platform/')" || return 1
    bad=0
    for variable in $(grep -rhoE 'getenv[a-z_]* *\("OURO_[A-Z_]*"|\{OURO_[A-Z_]*:-' src tests tools bench |
        grep -oE 'OURO_[A-Z_]*' | grep -v OURO_TEST_SIZE | sort -u); do
        grep -q "\`$variable\`" docs/environment.md ||
            { echo "docs/environment.md: $variable is missing"; bad=1; }
    done
    return $bad
}

# The heap knows sets of blocks by number. Only the collector knows what the numbers mean.
# Listeners are an exception: they are told events of the collector, too.
heap_knows_no_generations() {
    none_of "$(grep -nEi 'OURO_(YOUNG|MIDDLE|OLD|PERMANENT|CANDIDATES)\b|generation' src/heap/*.[ch] |
        grep -v '^src/heap/listeners')"
}

# What a detector remembers is private to its file; other files call its functions.
detectors_keep_their_state() {
    none_of "$(grep -nE 'gc(\.|->)certificate\b|\bc->number\b' src/*/*.[ch] |
        grep -v '^src/collector/certificate.c')"
}

# Tests that mirror no source, and why.
tests_without_source="
tests/collector/test_shrink.c   tests the model of tests/collector/model/ itself
"

# has_source FOLDER NAME: test_count.c, or test_count_more.c where one file would be long, tests
# count.c or count.h.
has_source() {
    for each in "src/$1"/*.[ch]; do
        each=$(basename "${each%.*}")
        case $2 in "$each" | "${each}_"*) return 0 ;; esac
    done
    return 1
}

# Every source of these folders has a test of its name, and every test a source.
tests_mirror_sources() {
    bad=0
    for folder in collector heap; do
        for file in "src/$folder"/*.c; do
            mirrored=tests/$folder/test_$(basename "$file")
            [ -e "$mirrored" ] || { echo "$file: there is no $mirrored"; bad=1; }
        done
        for file in "tests/$folder"/test_*.c; do
            claim=$(basename "$file" .c)
            has_source "$folder" "${claim#test_}" ||
                echo "$tests_without_source" | grep -q "^$file " ||
                { echo "$file: there is no source of its name"; bad=1; }
        done
    done
    return $bad
}

# labels FILE FUNCTION: the characters that a switch of the function has a case for.
labels() {
    sed -n "/^$2(/,/^}/p" "$1" | sed -n "s/^ *case '\(.*\)':.*/\1/p" | sort -u
}

# listed SECTION: the characters that tell the codes of its table apart.
listed() {
    sed -n "/^## $1/,/^## /s/^| \([^|]*\) |.*/\1/p" docs/formats.md |
        grep -oE '`[^`]+`' | sed 's/^`%\{0,1\}#\{0,1\}\(.\).*/\1/' | sort -u
}

# Every format code that the source reads has a row in the document, and the other way round.
formats_are_listed() {
    bad=0
    for pair in "Parsing argconvert.c" "Building buildvalue.c" "Text str_format.c" \
        "Bytes bytes_text.c"; do
        section=${pair% *} file=${pair#* }
        case $section in
        Parsing) { labels src/api/$file convert_unit; echo '('; } ;;
        Building) labels src/api/$file build_unit ;;
        Text) { labels src/builtins/$file write_directive
                printf '%s\n' d i u o x X; } ;;
        Bytes) labels src/builtins/$file append_directive ;;
        esac | sort -u >"$work/labels"
        listed "$section" >"$work/listed"
        [ -s "$work/listed" ] && diff "$work/labels" "$work/listed" >"$work/diff" ||
            { echo "docs/formats.md, $section: < only in $file, > only in the table";
              cat "$work/diff"; bad=1; }
    done
    return $bad
}

# The first line, or the second line after #!, is the SPDX line. Prose, the licence itself and files
# that Debian's tools read have none.
spdx_lines() {
    tracked '*' | grep -vE '(^LICENSE|\.(md|txt|png|svg|json|csv))$|^packaging/debian/' | {
        bad=0
        while read -r file; do
            if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then
                echo "$file: no SPDX line"
                bad=1
            fi
        done
        return $bad
    }
}

formatting() {
    tracked '*.c' '*.h' '*.cc' '*.hpp' >"$work/files"
    [ -s "$work/files" ] || { echo "no tracked sources"; return 77; }
    xargs clang-format --dry-run -Werror <"$work/files" 2>&1 |
        sed -n 's/:[0-9]*:[0-9]*: .*//p' | sort | uniq -c |
        awk '{ print $2 ": not formatted in " $1 " places (make format)"; bad = 1 }
             END { exit bad }'
}

static_analysis() {
    # -D picks one configuration; all of them would take cppcheck very long.
    cppcheck --quiet -j "$cores" --std=c11 --error-exitcode=1 --inline-suppr \
        --enable=warning,performance,portability \
        --suppressions-list=tools/cppcheck-suppressions \
        -Iinclude/ouroboros -D__linux__ -D__x86_64__ -D__GNUC__=12 -DOURO_DEBUG=1 -D__cppcheck__ \
        $(find src -name '*.c' ! -path src/all.c)
}

# tidy_with FLAG: the files named on standard input, compiled as this build does.
tidy_with() {
    echo 0 >"$work/heap_page.inc" # made from cli/heap.html by the build
    xargs -P "$cores" -n 4 sh -c \
        'flag=$1 made=$2; shift 2
         clang-tidy --quiet "$@" -- -std=c11 -D_GNU_SOURCE "$flag" -Iinclude/ouroboros "-I$made" \
             2>/dev/null' \
        sh "$1" "$work"
}

tidy() {
    find src cli examples -name '*.c' ! -path src/all.c ! -path 'src/check/*' |
        tidy_with -DOURO_DEBUG=1 &&
        find src/check -name '*.c' | tidy_with -DOURO_CHECK=1
}

# separate_build COMPILER: the libraries, the tests and the examples, file by file.
separate_build() {
    folder=$work/$1 compiler=$1
    if [ "$(cc -dumpfullversion 2>/dev/null) $(cc --version | head -c 2)" = \
        "$("$1" -dumpfullversion 2>/dev/null) cc" ]; then
        folder=$BUILD compiler=cc # the tests can use this build
    fi
    for goals in "all" "VARIANT=debug all tests examples" "VARIANT=check all tests"; do
        # shellcheck disable=SC2086
        $MAKE -j "$cores" BUILD="$folder" CC="$compiler" WERROR=-Werror $goals || return 1
    done
    for example in examples/*.c; do
        [ ! -f "$example" ] || "$1" -std=c11 -Wall -Wextra -Werror -Iinclude/ouroboros \
            -fsyntax-only "$example" || return 1
    done
}

# Build once with the options of the documentation alone, and once with warnings as errors.
one_file_build() {
    "$1" -Iinclude/ouroboros -c src/all.c -o "$work/all-$1.o" &&
        "$1" -std=c11 -O2 -Wall -Wextra -Werror -Iinclude/ouroboros -c src/all.c \
            -o "$work/all-$1.o"
}

list_exported() {
    $MAKE -j "$cores" BUILD="$BUILD" all >"$work/build" 2>&1 || { cat "$work/build"; return 1; }
    # The ABI version is a name of its own, of kind A. It is also the suffix of all other names.
    nm -D --defined-only "$BUILD/libouroboros.so.$VERSION" | sed -e '/ A /d' -e 's/@.*//' \
        >"$work/names"
}

exported_names() {
    list_exported || return 1
    none_of "$(awk '{ print $NF }' "$work/names" | grep -vE '^(Py|_Py|Ouro_)')"
}

# Every exported function is named in a test.
functions_are_tested() {
    list_exported || return 1
    awk '$2 == "T" { print $3 }' "$work/names" | grep -E '^(Py|Ouro_)' | sort -u >"$work/functions"
    [ -s "$work/functions" ] || { echo "no exported functions found"; return 1; }
    grep -rohE '\b(Py|Ouro_)[A-Za-z0-9_]+' tests | sort -u >"$work/named"
    none_of "$(comm -23 "$work/functions" "$work/named" | sed 's/$/: no test names it/')"
}

# Every function has a comment above it, or above the group of lines that it is in.
functions_have_contracts() {
    none_of "$(find include -name '*.h' | sort | xargs awk '
        /^$/ { commented = 0 }
        /\/\*/ { commented = 1 }
        /^PyAPI_FUNC\(/ && !commented { print FILENAME ": no comment above " $0 }')"
}

# A program with one container type links little else. tools/static-size.txt has the figure. If a
# program has grown, the cause is often a reference to a method or a type from code that every
# program links (src/api/methods.h, src/types/builtin_types.c).
small_programs_are_small() {
    recorded=$(sed -n 's/^text *//p' tools/static-size.txt)
    cc -O2 -Iinclude/ouroboros examples/link.c "$BUILD/libouroboros.a" -Wl,--gc-sections \
        -pthread -lm -ldl -o "$work/link" && "$work/link" || return 1
    text=$(size "$work/link" | awk 'NR == 2 { print $1 }')
    echo "examples/link.c has $text bytes of code and constants; $recorded are recorded"
    [ "$text" -le $((recorded + recorded / 50)) ] || return 1
    none_of "$(nm "$work/link" | grep -E ' (ouro_methods_add|ouro_types_finish_all)$')"
}

# A program that links the static library sees the internal names as well.
static_library_names() {
    nm -g --defined-only "$BUILD/libouroboros.a" >"$work/names" || return 1
    none_of "$(awk 'NF == 3 { print $3 }' "$work/names" |
        grep -vE '^(Py|_Py|Ouro_|ouro_|_\.stapsdt\.base$)')"
}

api_md_is_current() {
    tools/make-api-md.sh >"$work/api.md" &&
        cmp docs/api.md "$work/api.md" ||
        { echo "run: tools/make-api-md.sh >docs/api.md"; return 1; }
}

# Each name that real modules use is a macro, or compiles and links.
names_of_real_modules() {
    {
        echo '#include <Python.h>'
        grep -v '^#' tools/symbols.txt | while read -r name; do
            printf '#ifndef %s\nextern const void *use_%s;\n' "$name" "$name"
            printf 'const void *use_%s = (const void *)&%s;\n#endif\n' "$name" "$name"
        done
        echo 'int main(void) { return 0; }'
    } >"$work/symbols.c"
    cc -Iinclude/ouroboros "$work/symbols.c" -o "$work/symbols" \
        "$BUILD/libouroboros.so.$VERSION"
}

# headers_alone COMPILER FLAGS...: each public header compiles as the only include, also if it is
# included twice. Headers that only include Python.h have a check of their own.
headers_alone() {
    compiler=$1
    shift
    case $compiler in *++) suffix=cc kinds='*.h*' ;; *) suffix=c kinds='*.h' ;; esac
    tools/make-headers.sh --list | sort >"$work/forwarders"
    bad=0
    for header in $(cd include/ouroboros && find . -name "$kinds" | sed 's|^\./||' | sort |
        comm -23 - "$work/forwarders"); do
        printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' \
            "$header" "$header" >"$work/header.$suffix"
        "$compiler" "$@" -Werror -Iinclude/ouroboros -fsyntax-only "$work/header.$suffix" ||
            { echo "$header does not compile on its own"; bad=1; }
    done
    return $bad
}

# user_code COMPILER STANDARD: a module that uses the macros compiles without a warning.
user_code() {
    for checking in 0 1; do
        "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror -Iinclude/ouroboros \
            -DOURO_CHECK=$checking -fsyntax-only tests/scripts/strict.c || return 1
    done
}

# cpp_header COMPILER STANDARD: ouroboros.hpp alone compiles without a warning, with each set of
# options.
cpp_header() {
    printf '#include <ouroboros.hpp>\nint main() { return 0; }\n' >"$work/header.cc"
    for way in "" "-fno-exceptions -fno-rtti" "-DOURO_CHECK=1"; do
        # shellcheck disable=SC2086
        "$1" "-std=$2" -Wall -Wextra -Wpedantic -Wshadow -Werror $way -Iinclude/ouroboros \
            -fsyntax-only "$work/header.cc" || return 1
    done
}

# ---- in order of their cost ------------------------------------------------------------------

check "includes point down" "awk" tools/check-includes.sh
check "src/all.c is current" "" all_c_is_current
check "versions agree" "" versions_agree
check "phases of a cycle" "awk" tools/make-phases.sh --check
check "contract names existing tests" "awk" tools/check-contract.sh
check "the heap knows blocks" "" heap_knows_no_generations
check "a detector keeps its state" "" detectors_keep_their_state
check "tests mirror sources" "" tests_mirror_sources
check "no machine paths" "" no_machine_paths
check "SPDX lines" "" spdx_lines
check "documents name existing files" "" documents_name_existing_files
check "environment switches are listed" "" environment_is_listed
check "format codes are listed" "" formats_are_listed
check "docs/api.md is current" "awk" api_md_is_current
check "headers of CPython are current" "" tools/make-headers.sh --check
check "functions have contracts" "awk" functions_have_contracts
check "seeded bugs apply" "python3" tools/mutants.py --check
check "formatting" "clang-format" formatting
for compiler in gcc clang; do
    for standard in c99 c11 c17 c2x; do
        check "headers alone, $standard, $compiler" "$compiler" \
            headers_alone $compiler -std=$standard -Wall -Wextra -Wpedantic
        check "user code, $standard, $compiler" "$compiler" user_code $compiler $standard
    done
done
for compiler in g++ clang++; do
    check "headers alone, C++17, $compiler" "$compiler" \
        headers_alone $compiler -std=c++17 -Wall -Wextra -Wpedantic
    for standard in c++17 c++20; do
        check "C++ header, $standard, $compiler" "$compiler" cpp_header $compiler $standard
    done
done
check "exported names" "nm" exported_names
check "exported functions are named in tests" "nm" functions_are_tested
check "calls of the core point down" "nm awk" tools/check-symbols.sh "$BUILD/release/obj/src"
check "small programs are small" "cc size nm" small_programs_are_small
check "names in the static library" "nm" static_library_names
check "names of real modules" "cc" names_of_real_modules
for compiler in gcc clang; do
    check "one-file build, $compiler" "$compiler" one_file_build $compiler
    check "separate build, $compiler" "$compiler" separate_build $compiler
done
check "cppcheck" "cppcheck" static_analysis
check "clang-tidy" "clang-tidy" tidy

echo "check: $passed ok, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
