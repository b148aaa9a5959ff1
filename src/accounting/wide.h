// SPDX-License-Identifier: Apache-2.0
// Loops over long arrays are compiled twice, for processors with 256-bit vectors and for all, and
// chosen when the program starts. Both do the same roundings, so both give the same numbers.
#pragma once

#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DISCREET_WIDE __attribute__((target_clones("avx2", "default"), optimize("O3")))
#define DISCREET_INSIDE inline __attribute__((always_inline))
#else
#define DISCREET_WIDE
#define DISCREET_INSIDE inline
#endif
