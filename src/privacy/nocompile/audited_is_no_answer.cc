// SPDX-License-Identifier: Apache-2.0
// What a tape yields is not an answer.
// expect: conversion from|could not convert
#include <bit>
#include <cstring>
#include <functional>
#include <iostream>
#include <vector>

#include "privacy/recorder.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

using namespace discreet;
int fine(const Audited<int>& x) { return x.outcome(); }
#ifdef MISUSE
Released<int> misuse(const Audited<int>& x) { return x; }
#endif
