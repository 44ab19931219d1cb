#!/usr/bin/env bash
# What a scan of a tree costs, beside ripgrep (the least that reading it can cost) and ast-grep (what parsing all of it costs).
# Usage: scripts/bench-scan.sh TREE [RUNS]     MCP_MIGRATE=PROGRAM takes that one; without it a release build is made.
# Needs ripgrep (`rg`), ast-grep (`ast-grep`), GNU time and Python 3, and says which is missing.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
[[ $# -ge 1 && -d "$1" ]] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
tree="$(realpath "$1")"
runs="${2:-5}"
timer="$(command -v gtime || echo /usr/bin/time)"

missing=()
command -v rg > /dev/null || missing+=("ripgrep: apt install ripgrep, brew install ripgrep, or cargo install ripgrep")
command -v ast-grep > /dev/null || missing+=("ast-grep: npm install -g @ast-grep/cli, pip install ast-grep-cli, or cargo install ast-grep")
command -v python3 > /dev/null || missing+=("Python 3")
"$timer" -f '%U' true > /dev/null 2>&1 || missing+=("GNU time: apt install time, or brew install gnu-time")
if ((${#missing[@]})); then
    printf 'missing: %s\n' "${missing[@]}" >&2
    exit 2
fi

program="${MCP_MIGRATE:-}"
if [[ -z "$program" ]]; then
    cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml"
    program="${CARGO_TARGET_DIR:-$here/target}/release/mcp-migrate"
fi
program="$(realpath "$program")"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# For a tool that parses everything: one pattern for each of its grammars.
rules="$work/rules.yml"
for language in TypeScript Tsx JavaScript Python; do
    [[ -s "$rules" ]] && echo '---' >> "$rules"
    pattern='new StreamableHTTPServerTransport($$$)'
    [[ "$language" == Python ]] && pattern='FastMCP($$$)'
    printf 'id: %s\nlanguage: %s\nrule:\n  pattern: %s\n' "${language,,}" "$language" "$pattern" >> "$rules"
done

best() { # best COMMAND…: CPU seconds and peak MiB of the run that took the least CPU time
    local run code
    : > "$work/times"
    for ((run = 0; run < runs; run++)); do
        code=0
        "$timer" -q -f '%U %S %M' -o "$work/time" "$@" > "$work/out" 2> "$work/err" || code=$?
        # 1 is "found something" or "found nothing", by program; more is a failure.
        if ((code > 1)); then
            echo "failed with status $code: $*" >&2
            tail -n 5 "$work/err" >&2
            exit 1
        fi
        cat "$work/time" >> "$work/times"
    done
    awk '{ cpu = $1 + $2; if (NR == 1 || cpu < least) { least = cpu; peak = $3 } } END { printf "%.2f %.1f", least, peak / 1024 }' "$work/times"
}

row() { # row NAME FILES MB COMMAND…
    local name="$1" files="$2" megabytes="$3" cpu peak measured
    shift 3
    measured="$(best "$@")"
    read -r cpu peak <<< "$measured"
    printf '%-34s %8s %10s %10s %10s\n' "$name" "$cpu" "$peak" "$files" "$megabytes"
}

listed() { # files and MB of the globs that follow, as ripgrep walks them
    rg --files --null "$@" "$tree" | xargs -0 -r stat -c %s 2> /dev/null | awk '{ sum += $1 } END { printf "%d %.1f", NR, sum / 1e6 }'
}
globs=(-g '*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py}')
read -r files megabytes <<< "$(listed "${globs[@]}")"

parsed() { # files walked / parsed and MB parsed of a scan
    "$program" scan --fail-on never --allow-empty --format json "$@" "$tree" | python3 -c '
import json, sys
summary = json.load(sys.stdin)["summary"]
files = summary["files"]
print("%d/%d" % (files["walked"], files["parsed"]), "%.1f" % (summary["bytes"] / 1e6))'
}
plain="$(parsed)"
tests="$(parsed --include-tests)"

echo "$tree: the best of $runs runs; files and MB are those read (ripgrep), parsed (ast-grep), or walked/parsed and parsed (mcp-migrate)"
printf '%-34s %8s %10s %10s %10s\n' '' 'CPU s' 'peak MiB' 'files' 'MB'
row 'rg -c' "$files" "$megabytes" rg -c 'mcp-session-id|sessionIdGenerator|stateless_http' "${globs[@]}" "$tree"
# shellcheck disable=SC2086 # two fields
row 'mcp-migrate scan' $plain "$program" scan --fail-on never --allow-empty "$tree"
# shellcheck disable=SC2086
row 'mcp-migrate scan --include-tests' $tests "$program" scan --fail-on never --allow-empty --include-tests "$tree"
row 'ast-grep scan, 4 rules' "$files" "$megabytes" ast-grep scan --rule "$rules" "$tree"
