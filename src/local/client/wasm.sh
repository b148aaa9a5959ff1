#!/usr/bin/env bash
# Compiles the client to WebAssembly: wasm.sh OUT-FOLDER makes discreet_client.wasm and page.mjs there. Needs clang-19, lld-19
# and the libraries for wasm32. The page has no files and no system entropy, so those sources stay out.
set -euo pipefail
src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$1
mkdir -p "$out/objects" "$out/system/sys"
objects=() running=()
flags=(--target=wasm32-wasi -std=c++20 -Oz -fno-exceptions -I"$src" -isystem "$out/system")
# random/entropy.cc asks the system, which a page has not: it compiles, and what asks it fails. The client's bits come from the
# browser's crypto (bits.h).
cat >"$out/system/sys/random.h" <<'TEXT'
#pragma once
#include <sys/types.h>
#include <cerrno>
inline ssize_t getrandom(void*, decltype(sizeof(0)), unsigned) {
  errno = ENOSYS;
  return -1;
}
TEXT
mapfile -t files <"$src/local/client/sources.txt"
for file in local/client/page.cc "${files[@]}"; do
  case $file in
    base/files.cc | base/process_mark.cc | */discreet_client.cc | */memory.cc | random/system_bits.cc | random/aes_ctr.cc) continue ;;
  esac
  object=$out/objects/${file//\//_}.o
  objects+=("$object")
  clang++-19 "${flags[@]}" -c "$src/$file" -o "$object" &
  running+=($!)
  if ((${#running[@]} == 2)); then # two at once
    wait "${running[0]}"
    running=("${running[1]}")
  fi
done
for one in "${running[@]}"; do wait "$one"; done
clang++-19 --target=wasm32-wasi -mexec-model=reactor "${objects[@]}" -o "$out/discreet_client.wasm" \
  -Wl,--export=malloc,--export=free,--strip-all
cp "$src/local/client/page.mjs" "$out/"
