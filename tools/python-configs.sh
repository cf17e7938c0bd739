#!/bin/sh
# SPDX-License-Identifier: MIT
# The CPythons that can be embedded: lines of "VERSION CONFIG", such as
# "3.13 /usr/bin/python3-config", newest first, each version once.
# PY_CONFIGS names python3-config programs to use instead of those found.
set -u

configs() {
    if [ -n "${PY_CONFIGS:-}" ]; then
        printf '%s\n' $PY_CONFIGS
        return
    fi
    # the system's before pyenv's shims, which answer for another version
    ls /usr/bin/python3*-config /usr/local/bin/python3*-config 2>/dev/null
    if command -v pyenv >/dev/null 2>&1; then
        ls "$(pyenv root)"/versions/*/bin/python3*-config 2>/dev/null
    else
        command -v python3-config
    fi
}

for config in $(configs); do
    "$config" --embed --ldflags >/dev/null 2>&1 || continue
    version=$("$config" --includes 2>/dev/null |
        sed -n 's/.*python\(3\.[0-9]*\).*/\1/p' | head -n 1)
    [ -z "$version" ] || echo "$version $config"
done | sort -s -t . -k 2,2nr | awk '!seen[$1]++'
