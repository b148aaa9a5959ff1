#!/usr/bin/env bash
# Compiles the client to WebAssembly: wasm.sh OUT-FOLDER makes discreet_client.mjs, discreet_client.wasm and page.mjs there.
# Needs emscripten. The page has no files and no system entropy, so those sources stay out.
set -euo pipefail
src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$1
mkdir -p "$out/objects"
objects=()
mapfile -t files <"$src/local/client/sources.txt"
for file in local/client/page.cc "${files[@]}"; do
  case $file in
    base/files.cc | */discreet_client.cc | */memory.cc | random/system_bits.cc | random/aes_ctr.cc) continue ;;
  esac
  object=$out/objects/${file//\//_}.o
  objects+=("$object")
  em++ -std=c++20 -Oz -fno-exceptions -I"$src" -c "$src/$file" -o "$object"
done
# -O1: the passes above it rewrite the small JavaScript part and need packages that Debian leaves out.
em++ -O1 "${objects[@]}" -o "$out/discreet_client.mjs" -sMODULARIZE=1 -sEXPORT_ES6=1 -sENVIRONMENT=web,node \
  -sALLOW_MEMORY_GROWTH=1 -sFILESYSTEM=0 -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=UTF8ToString
cp "$src/local/client/page.mjs" "$out/"
