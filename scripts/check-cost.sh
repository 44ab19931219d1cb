#!/usr/bin/env bash
# What a check costs: CPU time of a plain scan and of a check, on a repository of 1,000 files of which a branch changes one.
# Usage: scripts/check-cost.sh [PROGRAM]     (without PROGRAM a release build is made)
# Ends with 1 where a check costs more than 1.3 times a plain scan.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
files=1000
runs=15
limit=1.3

program="${1:-}"
if [[ -z "$program" ]]; then
    cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml"
    program="${CARGO_TARGET_DIR:-$here/target}/release/mcp-migrate"
fi
program="$(realpath "$program")"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/repository"
cd "$work/repository"
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

# What the shell counts for a program includes the programs that it ran and waited for: git counts.
TIMEFORMAT='%U %S %R'
once() { # once ARGUMENT…: CPU and wall time of one run
    { time "$program" scan --fail-on never "$@" > /dev/null 2>&1; } 2>&1 | awk '{ printf "%.3f %.3f\n", $1 + $2, $3 }'
}
least() { # least FILE: the run that took least CPU
    sort -g "$1" | head -n 1
}

# In turns, so that whatever else the machine does meets all of them.
for ((run = 0; run < runs; run++)); do
    once >> "$work/plain"
    once --diff-base main >> "$work/base"
    once --staged >> "$work/staged"
done

echo "$files files, one changed; best of $runs runs:"
worst=0
report() { # report NAME FILE
    awk -v name="$1" -v plain="$(least "$work/plain")" '
        { split(plain, first, " "); printf "%-28s %6.3f s CPU  %6.3f s  %.2f times a scan\n", name, $1, $2, $1 / first[1] }' <<< "$(least "$2")"
    worst="$(awk -v plain="$(least "$work/plain")" -v worst="$worst" \
        '{ split(plain, first, " "); ratio = $1 / first[1]; print (ratio > worst ? ratio : worst) }' <<< "$(least "$2")")"
}
report "scan" "$work/plain"
report "scan --diff-base main" "$work/base"
report "scan --staged" "$work/staged"
awk -v worst="$worst" -v limit="$limit" 'BEGIN { exit worst > limit }'
