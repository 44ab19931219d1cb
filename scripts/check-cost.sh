#!/usr/bin/env bash
# What a check costs: CPU time of a plain scan and of a check, on a repository of 1,000 files of which a branch changes one.
# Usage: scripts/check-cost.sh [PROGRAM]     (without PROGRAM a release build is made)
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
files=1000
runs=5

program="${1:-}"
if [[ -z "$program" ]]; then
    cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml"
    program="${CARGO_TARGET_DIR:-$here/target}/release/mcp-migrate"
fi
program="$(realpath "$program")"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_GLOBAL=/dev/null
git_as() { git -c user.name=a -c user.email=a@example.invalid -c commit.gpgsign=false "$@"; }

# One server in ten files of state and tools, the rest ordinary code beside it, as in a repository of some age.
cp -r "$here/fixtures/gold/typescript/c-session-map/before/." .
for ((i = 1; i < files; i++)); do
    dir="src/part$((i % 20))"
    mkdir -p "$dir"
    if ((i % 100 == 0)); then
        sed "s/baskets/baskets$i/g" src/server.ts > "$dir/server$i.ts"
    else
        for ((f = 0; f < 40; f++)); do
            printf 'export function handle%d(value: number): string {\n  return `${value + %d}`;\n}\n' "$f" "$i"
        done > "$dir/file$i.ts"
    fi
done
git init -q -b main .
git_as add -A
git_as commit -q -m base
git_as checkout -q -b change
sed -i 's/const baskets = /\/\/ Changed.\nconst baskets = /' src/server.ts
git_as commit -q -a -m change

TIMEFORMAT='%U %S %R'
measure() { # measure NAME ARGUMENT…: the best of some runs
    local name="$1" best='' line cpu
    shift
    for ((run = 0; run < runs; run++)); do
        line="$({ time "$program" scan --fail-on never "$@" > /dev/null 2>&1; } 2>&1)"
        cpu="$(awk '{ printf "%.3f %.3f", $1 + $2, $3 }' <<< "$line")"
        if [[ -z "$best" || "$(printf '%s\n%s\n' "$cpu" "$best" | sort -g | head -n 1)" == "$cpu" ]]; then best="$cpu"; fi
    done
    awk -v name="$name" '{ printf "%-28s %6.3f s CPU  %6.3f s\n", name, $1, $2 }' <<< "$best"
}

echo "$files files, one changed; best of $runs runs:"
measure "scan"
measure "scan --diff-base main" --diff-base main
measure "scan --staged" --staged
