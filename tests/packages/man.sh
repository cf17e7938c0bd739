#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages: every function that we add has one, and the formatters print no warning.
. "$(dirname "$0")/claims"
claims man
tools/install-packages.sh man
make -s BUILD="$BUILD" CC="$CC" man all >/dev/null && make -s BUILD="$BUILD" CC="$CC" CHECK=1 all >/dev/null ||
    exit 2
pages=$(cd "$BUILD/man" && pwd)

every_function_has_a_page() {
    nm -D --defined-only "$BUILD/libouroboros.so" "$BUILD/libouroboros-check.so" |
        awk '$2 == "T" { print $3 }' | sed 's/@.*//' | grep '^Ouro_' | sort -u >"$root/functions"
    [ -s "$root/functions" ] || return 1
    while read -r name; do
        [ -f "$pages/man3/$name.3" ] || { echo "no page for $name"; return 1; }
    done <"$root/functions"
}
claim "every exported Ouro_ function has a page" every_function_has_a_page

links_lead_to_pages() {
    for target in $(sed -n 's/^\.so //p' "$pages"/man3/*) \
        $(sed -n 's/^\.BR \(Ouro_[A-Za-z]*\) (3).*/man3\/\1.3/p' "$pages"/man?/*); do
        [ -f "$pages/$target" ] || { echo "no $target"; return 1; }
    done
}
claim "links between pages lead to pages" links_lead_to_pages

names_are_short() {
    ! awk '/^\.SH NAME/ { getline; if ($0 !~ / \\- [^ ]/ || length > 200) { print FILENAME ": " $0 } }' \
        "$pages"/man?/* | grep .
}
claim "every page says in one line what it is about" names_are_short

if needs groff "groff warns of nothing"; then
    groff_is_silent() {
        (cd "$pages" && for page in man?/*; do
            groff -man -ww -z -Tutf8 "$page" 2>&1 | sed "s|^|$page: |"
        done) >"$root/warnings"
        ! grep . "$root/warnings"
    }
    claim "groff warns of nothing" groff_is_silent
fi
if needs mandoc "mandoc finds no error"; then
    mandoc_finds_no_error() {
        (cd "$pages" && mandoc -T lint -W error man?/*)
    }
    claim "mandoc finds no error" mandoc_finds_no_error
fi
if needs man "man finds a page by its name"; then
    claim "man finds a page by its name, and by a name that shares it" \
        prints Ouro_GCFreeze env MANPATH="$pages" MANPAGER=cat man 3 Ouro_GCUnfreeze
fi

# The example of ouroboros(7) does what it says.
example() {
    sed -n '/^\.EX/,/^\.EE/p' docs/ouroboros.7 | sed -e '/^\.E[XE]/d' -e 's/\\e/\\/g' >"$root/example.c"
    $CC -Iinclude/ouroboros "$root/example.c" "$BUILD/libouroboros.a" -pthread -lm -ldl -o "$root/example" &&
        prints "1 collected" "$root/example"
}
claim "the example of ouroboros(7) works" example
