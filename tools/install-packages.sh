#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the Debian packages that a group of work needs and that are missing.
#   tools/install-packages.sh abi|bench|check|coverage|cython|deb|debug-python|differential|fuzz|greenlet|icount|
#       install|man|manual|musl|ports|probes|pytest|views ...
# The script needs apt-get and root. Without them, or if a package is not available, it says so and
# goes on: tests that need the package are then skipped, and say so, too. With OURO_NO_INSTALL=1
# it installs nothing.
set -u

packages=
for group in "$@"; do
    case $group in
    abi) packages="$packages abigail-tools" ;;
    check) packages="$packages clang clang-format clang-tidy cppcheck g++ libdw-dev pkg-config
        systemtap-sdt-dev" ;;
    bench) packages="$packages libmimalloc-dev libgc-dev python3-dev" ;;
    icount) packages="$packages valgrind" ;;
    coverage) packages="$packages gcovr" ;;
    fuzz) packages="$packages clang libclang-rt-14-dev" ;;
    install) packages="$packages pkg-config cmake meson" ;;
    man) packages="$packages groff man-db mandoc" ;;
    manual) packages="$packages furo linkchecker mandoc python3-myst-parser python3-sphinx" ;;
    musl) packages="$packages musl-tools" ;;
    deb) packages="$packages debhelper dh-python dpkg-dev fakeroot libdw-dev lintian mmdebstrap pkg-config
        python3-dev python3-pytest systemtap-sdt-dev" ;;
    differential) packages="$packages python3-dev" ;;
    debug-python) packages="$packages python3-dbg" ;;
    greenlet) packages="$packages python3-greenlet" ;;
    ports) packages="$packages clang clang-19 gcc-12 gcc-aarch64-linux-gnu libc6-dev-arm64-cross mmdebstrap
        qemu-user" ;;
    probes) packages="$packages binutils systemtap-sdt-dev" ;;
    pytest) packages="$packages python3-pytest python3-pytest-xdist" ;;
    views) packages="$packages chromium graphviz nodejs npm" ;;
    cython) packages="$packages cython3" ;;
    *) echo "install-packages: no group $group" >&2; exit 2 ;;
    esac
done

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "install-packages: no apt-get here; not looking for:$packages"
    exit 0
fi

missing=
for package in $packages; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || [ -n "${OURO_NO_INSTALL:-}" ]; then
    set -- $missing
    echo "install-packages: skipped $# (not root, or told not to):$missing"
    exit 0
fi

DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
echo "install-packages: installing$missing"
apt-get -qq update >/dev/null 2>&1
skipped=
for package in $missing; do
    # another apt-get may hold the lock: wait for it instead of skipping the package
    apt-get -qq -y -o DPkg::Lock::Timeout=600 --no-install-recommends install "$package" >/dev/null 2>&1 &&
        is_installed "$package" || skipped="$skipped $package"
done
if [ -n "$skipped" ]; then
    set -- $skipped
    echo "install-packages: skipped $# (could not be installed):$skipped"
fi
exit 0
