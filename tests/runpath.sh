#!/usr/bin/env bash
# runpath.sh BUILD: every program and library of a build folder looks for others in $ORIGIN/../lib or nowhere. An empty
# element of a RUNPATH is the current folder: a library that somebody put beside the data would be loaded from there.
set -euo pipefail
build=$1

# sound LIST: whether each element of a RUNPATH is the one that we mean.
sound() {
  local list=$1: element
  while [[ $list ]]; do
    element=${list%%:*} list=${list#*:}
    # shellcheck disable=SC2016 # the loader's word, not the shell's
    [[ $element == '$ORIGIN/../lib' ]] || return 1
  done
}

# Planted faults first.
# shellcheck disable=SC2016
for fault in '$ORIGIN/../lib:' ':$ORIGIN/../lib' '$ORIGIN/../lib::$ORIGIN/../lib' '' lib /usr/local/lib '$ORIGIN/..'; do
  ! sound "$fault" || { echo "not found: '$fault'" && exit 1; }
done
# shellcheck disable=SC2016
sound '$ORIGIN/../lib'

read_files=0 with_path=0 status=0
while IFS= read -r -d '' file; do
  dynamic=$(LC_ALL=C readelf -dW "$file" 2>/dev/null) || continue # a text, or an archive
  [[ $dynamic == *"Dynamic section"* ]] || continue
  read_files=$((read_files + 1))
  path=$(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' <<<"$dynamic")
  [[ $dynamic == *RPATH* || $dynamic == *RUNPATH* ]] || continue
  with_path=$((with_path + 1))
  sound "$path" || { echo "$file looks for libraries in '$path'" && status=1; }
done < <(find "$build/bin" "$build/python" -type f -print0 2>/dev/null)
((with_path)) || { echo "no built file with a RUNPATH in $build" && exit 1; }
echo "$read_files files, $with_path with a RUNPATH"
exit "$status"
