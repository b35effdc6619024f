# shellcheck shell=bash
# What the scripts share; sourced, with the root of the project as the current folder.

# heading TEXT: one line above each step.
heading() { printf '\n== %s\n' "$*"; }

# quietly NAME COMMAND...: runs it into build/logs/NAME.log and shows the end of that only if it fails.
quietly() {
  local log=build/logs/$1.log
  shift
  mkdir -p build/logs
  if ! "$@" >"$log" 2>&1 </dev/null; then
    { grep -E -m 20 '(error|Error)[: ]|^FAILED|\*\*\*' "$log" && echo ...; tail -n 40 "$log"; } >&2
    printf '\nfailed: %s\nthe whole log: %s\n' "$*" "$log" >&2
    return 1
  fi
}

# sources: every C++ file of ours, one per line.
sources() {
  local folders=()
  local folder
  for folder in gestik evaluation tools bindings bench examples fuzz; do
    if [ -d "$folder" ]; then folders+=("$folder"); fi
  done
  find "${folders[@]}" -name node_modules -prune -o -type f \( -name '*.h' -o -name '*.cpp' \) -print | LC_ALL=C sort
}

# packages FOLDER: what its package-lock.json names, into its node_modules, unless that is done already.
packages() {
  if [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ]; then return; fi
  quietly "packages-${1//\//-}" npm --prefix "$1" ci --no-audit --no-fund
}
