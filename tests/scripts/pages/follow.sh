#!/bin/sh
# SPDX-License-Identifier: MIT
# Some pages say that they work when followed line by line. This is true. Each is turned into a script:
#   ```c FILE     its lines are added to that file, in the current folder; so for any language
#   ```sh         commands; each block must succeed
#   ```sh TOOL    the same, left out without cmake, meson, c++, or a python3-config with headers
#   ```text       what the block of commands before it prints
# install.sh calls this, because a page installs the library, too: two installations at a time would
# write the same files. From the environment: BUILD and CC.
set -u
MAKEFLAGS=
export MAKEFLAGS BUILD CC
unset VARIANT
if ! command -v pkg-config >/dev/null 2>&1; then
    echo "skip pages: pages work when followed line by line: no pkg-config"
    exit 0
fi
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

# `cc` in a page is the compiler under test, and python3 the newest CPython.
mkdir "$root/bin"
ln -s "$(command -v "${CC%% *}")" "$root/bin/cc"
missing=
for tool in cmake meson c++; do
    command -v $tool >/dev/null 2>&1 || missing="$missing $tool"
done
tools/python-configs.sh >"$root/pythons"
if read -r version config <"$root/pythons" && [ "${version#3.}" -ge 11 ]; then
    # not links: both look for their files beside the name they are called by
    printf '#!/bin/sh\nexec %s "$@"\n' "$config" >"$root/bin/python3-config"
    printf '#!/bin/sh\nexec %s "$@"\n' "$("$config" --prefix)/bin/python$version" \
        >"$root/bin/python3"
    chmod +x "$root/bin/python3-config" "$root/bin/python3"
else
    missing="$missing python"
fi
PATH=$root/bin:$PATH
export PATH

# script_of PAGE: print the script that follows the page. It numbers the blocks for the report.
script_of() {
    awk -v missing="$missing " -v out="$root/out" '
        function expect() { printf "diff - \"%s\" <<\"END_OF_BLOCK\"\n", out }
        /^```/ && inside == "" {
            inside = $0
            is_file = NF == 2 && $1 != "```sh"
            if (is_file) {
                printf "cat >>%s <<\"END_OF_BLOCK\"\n", $2
            } else if ($1 == "```sh") {
                skipped = NF == 2 && index(missing, " " $2 " ") > 0
                if (!skipped) { print "{" }
            } else if ($1 == "```text") {
                if (!skipped) { expect() }
            }
            next
        }
        /^```$/ {
            if (is_file || (inside == "```text" && !skipped)) {
                print "END_OF_BLOCK"
            } else if (inside ~ /^```sh/ && !skipped) {
                printf "} >\"%s\" 2>&1 </dev/null\n", out
            }
            inside = ""
            next
        }
        inside != "" && is_file { print }
        inside ~ /^```(sh|text)/ && !is_file && !skipped { print }' "$1"
}

for page in README.md docs/port-your-type.md docs/build-a-runtime.md docs/for-extension-authors.md docs/cpp.md; do
    HOME=$root/$(basename "$page" .md)
    export HOME
    mkdir -p "$HOME"
    script_of "$page" >"$HOME/script"
    sh -eu "$HOME/script"
    status=$?
    if [ $status -eq 0 ]; then
        echo "ok pages: $page works when followed line by line"
    else
        echo "the last commands printed:"
        tail -n 20 "$root/out"
        echo "FAIL pages: $page works when followed line by line"
    fi
    for tool in $missing; do
        ! grep -q "^\`\`\`sh $tool" "$page" ||
            echo "skip pages: the part of $page for $tool: it is missing, or too old"
    done
done
