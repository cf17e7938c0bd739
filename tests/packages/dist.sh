#!/bin/sh
# SPDX-License-Identifier: MIT
# The release archive has the same bytes in every run and in every folder, and everything builds
# from it without git.
. "$(dirname "$0")/claims"
claims dist
archive=ouroboros-$version.tar.gz

# hash_of FOLDER: the hash of the archive that is made there.
hash_of() {
    (cd "$1" && make -s BUILD=build dist 2>/dev/null | cut -d ' ' -f 1)
}

same_hash() {
    echo "$1, then $2"
    [ ${#1} -eq 64 ] && [ "$1" = "$2" ]
}

make -s BUILD="$root" dist >"$root/hash" 2>"$root/changes" || exit 2
hash=$(cut -d ' ' -f 1 "$root/hash")
second=$(umask 077; TZ=Asia/Kathmandu make -s BUILD="$root/second" dist 2>/dev/null | cut -d ' ' -f 1)
claim "two runs make the same bytes" same_hash "$hash" "$second"

nothing_strange() {
    tar -tvf "$root/$archive" >"$root/list" &&
        ! awk '{ print $6 }' "$root/list" | grep -v "^ouroboros-$version/" &&
        ! grep -v '^-rw.r-.r-. 0/0 ' "$root/list"
}
claim "all files are below ouroboros-$version/, and have no owner" nothing_strange

# ---- without git ----------------------------------------------------------------------------

tar -xf "$root/$archive" -C "$root"
tree=$root/ouroboros-$version
mkdir "$root/bin"
printf '#!/bin/sh\nexit 127\n' >"$root/bin/git"
chmod +x "$root/bin/git"
PATH=$root/bin:$PATH

in_tree() {
    (cd "$tree" && BUILD=build "$@")
}

claim "the unpacked archive makes the same archive again" same_hash "$hash" "$(hash_of "$tree")"
claim "the libraries and the demonstration build" prints "All garbage was freed" in_tree make run
claim "the program ouro builds" in_tree make ouro
claim "make install works" in_tree make install PREFIX="$root/installed"
claim "the unit tests build, and those of the heap pass" in_tree make test FILTER=heap/
claim "the checks that look at files pass" in_tree tools/check.sh current agree \
    'SPDX' 'machine' 'existing' 'listed' 'includes'
if needs python3-config "what runs inside CPython builds"; then
    claim "what runs inside CPython builds" in_tree make cpython
fi
