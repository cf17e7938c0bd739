#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the manual site, $BUILD/manual/html, from the pages of the repository and the manual
# pages. A link that leads nowhere is an error. From the environment: BUILD, VERSION.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
for tool in sphinx-build mandoc; do
    command -v $tool >/dev/null 2>&1 ||
        { echo "manual: no $tool; install python3-sphinx, python3-myst-parser, furo and mandoc" >&2; exit 1; }
done

source=$BUILD/manual/source
rm -rf "$BUILD/manual"
mkdir -p "$source/man"
BUILD=$BUILD tools/tracked.sh | tar --create --files-from=- | tar --extract -C "$source"

# The pages that contents.md does not name come last.
others() {
    printf '\n```{toctree}\n:caption: In the folders\n:hidden:\n\n'
    BUILD=$BUILD tools/tracked.sh '*.md' | sed 's/\.md$//' | grep -v '^packaging/\|^README$' |
        grep -vxF -f packaging/manual/contents.md
    printf '```\n'
}
{ cat packaging/manual/contents.md; others; } >>"$source/README.md"
cp packaging/manual/pages.md "$source/man/index.md"

# as_page FILE NAME: the manual page as a page of the site. Our other pages become links.
as_page() {
    printf '# %s\n\n```{raw} html\n' "$2"
    mandoc -T html -O fragment "$1" |
        sed -E 's#<b>(Ouro_[A-Za-z]*|ouro|ouroboros)</b>\(([137])\)#<a href="\1.\2.html">&</a>#g'
    printf '```\n'
}

for file in "$BUILD"/man/man?/*; do
    name=$(basename "$file")
    case $(head -n 1 "$file") in
    ".so "*) ;;
    *) as_page "$file" "${name%.*}(${name##*.})" >"$source/man/$name.md" ;;
    esac
done

VERSION=$VERSION sphinx-build -q -W --keep-going -b html -c packaging/manual "$source" \
    "$BUILD/manual/html"
cp "$BUILD/manual/html/README.html" "$BUILD/manual/html/index.html"
echo "$BUILD/manual/html/index.html"
