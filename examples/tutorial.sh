#!/usr/bin/env bash
# Runs the commands of docs/tutorial.md as they are printed there, box by box, in a folder of their own.
#   examples/tutorial.sh PROGRAM [all]      quick boxes only, unless all are asked for
set -euo pipefail
program=$(realpath "${1:?name the program: examples/tutorial.sh build/bin/discreet}")
which=${2-quick}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/boxes" "$work/folder" "$work/bin"
ln -s "$program" "$work/bin/discreet"
ln -s "$root/examples" "$work/folder/examples"
# Nothing of the user's is touched: keys and witnesses go to the folder too.
export PATH="$work/bin:$PATH" XDG_STATE_HOME="$work/state" DISCREET="$program"
awk -v dir="$work/boxes" '
  /^```/ { inside = !inside; if (inside) file = sprintf("%s/%02d%s", dir, ++n, /slow/ ? ".slow" : ".quick"); next }
  inside && /^! / { print "if " substr($0, 3) "; then echo \"this should have failed\" >&2; exit 1; fi" > file; next }
  inside { print > file }' "$root/docs/tutorial.md"
ran=0
cd "$work/folder"
for box in "$work"/boxes/*; do
  [[ $box == *.quick || $which == all ]] || continue
  start=$SECONDS
  if ! bash -euo pipefail "$box" >"$work/out" 2>"$work/err"; then
    echo "this box failed:" && cat "$box" "$work/err" "$work/out"
    exit 1
  fi
  ran=$((ran + 1))
  echo "box $(basename "$box"): $(grep -c . "$box") lines, $((SECONDS - start)) s"
done
echo "$ran boxes, all of them work"
