#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the Debian packages in $BUILD/deb, from the release archive and packaging/debian. The
# archive is the upstream one and has no debian/ of its own. At the end lintian runs, if it is
# installed.
# From the environment: BUILD, VERSION; DEB_BUILD_OPTIONS, as dpkg-buildpackage reads it.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
for tool in dpkg-buildpackage dh dh_python3; do
    command -v $tool >/dev/null 2>&1 ||
        { echo "deb: no $tool; install debhelper, dh-python and dpkg-dev" >&2; exit 1; }
done

BUILD=$BUILD VERSION=$VERSION tools/dist.sh
rm -rf "$BUILD/deb"
mkdir -p "$BUILD/deb"
cp "$BUILD/ouroboros-$VERSION.tar.gz" "$BUILD/deb/ouroboros_$VERSION.orig.tar.gz"
tar -xf "$BUILD/ouroboros-$VERSION.tar.gz" -C "$BUILD/deb"
cp -r packaging/debian "$BUILD/deb/ouroboros-$VERSION/debian"

cd "$BUILD/deb"
# The packages must not see the options of the make that called this script.
(cd "ouroboros-$VERSION" &&
    env -u MAKEFLAGS -u BUILD -u CC -u VERSION dpkg-buildpackage --unsigned-source --unsigned-changes) >log 2>&1 ||
    { tail -n 40 log; echo "deb: the build failed; all of it: $BUILD/deb/log" >&2; exit 1; }
ls ./*.deb
if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --fail-on error ./*.changes
else
    echo "skip lintian: not installed"
fi
