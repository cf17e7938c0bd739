#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual site can be made, all its links work, and a browser shows its pages.
. "$(dirname "$0")/claims"
claims manual
tools/install-packages.sh manual
needs sphinx-build "the manual" && needs mandoc "the manual" || exit 0

claim "the manual is made without a warning" make manual BUILD="$BUILD"
site=$(cd "$BUILD/manual/html" && pwd) || exit 1

every_page_is_there() {
    for page in $(tools/tracked.sh '*.md' | grep -v '^packaging/'); do
        [ -f "$site/${page%.md}.html" ] || { echo "no $page"; return 1; }
    done
}
claim "every page of the repository is in it" every_page_is_there

# A page with a dead link, in a copy of the manual's sources.
broken_link_stops() {
    cp -r "$BUILD/manual/source" "$root/source" &&
        echo '[nowhere](no-such-page.md)' >>"$root/source/docs/glossary.md" &&
        VERSION=$version prints no-such-page refuses sphinx-build -q -W -b html \
            -c packaging/manual "$root/source" "$root/html"
}
claim "a link that leads nowhere stops it" broken_link_stops

if needs linkchecker "linkchecker finds no broken link"; then
    claim "linkchecker finds no broken link" \
        linkchecker --no-status --no-warnings --ignore-url='^https?:' "file://$site/index.html"
fi

if needs chromium "a browser shows the pages"; then
    shows() {
        prints "$2" timeout 60 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 \
            --dump-dom "file://$site/$1"
    }
    claim "a browser shows the first page" shows index.html "Reference-counted objects in C"
    claim "a browser shows a manual page, with links" shows man/Ouro_GCCollect.3.html \
        'href="ouroboros.7.html"'
    claim "the search finds a word" shows 'search.html?q=resurrection' 'Search finished'
fi
