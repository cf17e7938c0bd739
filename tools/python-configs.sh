#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the CPythons that can be embedded: lines of "VERSION CONFIG", such as
# "3.13 /usr/bin/python3-config", newest first, each version once.
# PY_CONFIGS names python3-config programs to use instead of those found.
set -u

configs() {
    if [ -n "${PY_CONFIGS:-}" ]; then
        printf '%s\n' $PY_CONFIGS
        return
    fi
    # pyenv's shims stand for the version that is selected at the moment; its versions come below
    printf '%s\n' "$PATH" | tr ':' '\n' | grep -v '/shims$' | while read -r folder; do
        ls "$folder"/python3*-config 2>/dev/null
    done
    pyenv=${PYENV_ROOT:-$(pyenv root 2>/dev/null)}
    [ -z "$pyenv" ] || ls "$pyenv"/versions/*/bin/python3*-config 2>/dev/null
}

for config in $(configs); do
    "$config" --embed --ldflags >/dev/null 2>&1 || continue
    version=$("$config" --includes 2>/dev/null |
        sed -n 's/.*python\(3\.[0-9]*\).*/\1/p' | head -n 1)
    [ -z "$version" ] || echo "$version $config"
done | sort -s -t . -k 2,2nr | awk '!seen[$1]++'
