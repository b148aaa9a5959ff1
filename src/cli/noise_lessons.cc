// SPDX-License-Identifier: Apache-2.0
#include "cli/noise_lessons.h"

namespace discreet::cli {

Lesson noise_lesson() {
  return {
      .summary = "add exact noise to a number that you hold",
      .explanation =
          "A noisy answer hides any one person if the noise is as large as what one person can\n"
          "change (the sensitivity) divided by how much may be learnt (epsilon). The noise here\n"
          "is a whole number, drawn exactly from the distribution of the theorem, with the\n"
          "operating system's entropy: there is no floating point and no seed.\n",
      .closing = std::string("Example:\n  ") + kLaplaceExample};
}

Lesson laplace_lesson() {
  return {
      .summary = "discrete Laplace noise: pure epsilon",
      .explanation =
          "Adds Z with Pr[Z = z] proportional to exp(-|z| epsilon/sensitivity). Whoever sees the\n"
          "answer can tell two values at most `sensitivity` apart with odds of at most e^epsilon.\n"
          "For a count of people the sensitivity is 1. Numbers with decimals live on a grid\n"
          "(--step), so that their last digits tell nothing.\n",
      .closing =
          "Costs epsilon a draw. --count N prints N independent draws, one a line, and costs N\n"
          "times as much: the average of many draws tells the value.\n\n"
          "Example:\n"
          "  discreet noise laplace --value 42 --sensitivity 1 --epsilon 1/2\n"
          "    answer          43\n"
          "    interval        37 to 49, with 95 % confidence\n"
          "    expected error  1.92\n"
          "    price           epsilon 0.5, charged to no budget\n"
          "    protects        which of two values at most 1 apart it was\n"
          "    noise           discrete-laplace(scale=2,sensitivity=1)\n"
          "  discreet noise laplace --value 12.34 --step 0.01 --sensitivity 5 --epsilon 1\n"
          "  discreet noise laplace --value 0 --sensitivity 1 --epsilon 1 --count 1e6 > draws"};
}

Lesson gaussian_lesson() {
  return {
      .summary = "Gaussian noise: rho (zCDP), or epsilon and delta",
      .explanation =
          "Large errors are rarer than with Laplace noise, and many answers add up better; the\n"
          "price has another form. With --rho the noise is the discrete Gaussian of variance\n"
          "sensitivity^2/(2 rho), charged in zero-concentrated privacy. With --epsilon and\n"
          "--delta it is the Gaussian rounded to whole numbers, with the least variance that\n"
          "is certified for that pair.\n",
      .closing =
          "Costs rho, or epsilon and delta, a draw. --count N prints N independent draws, one a\n"
          "line, and costs N times as much: the average of many draws tells the value.\n\n"
          "Example:\n"
          "  discreet noise gaussian --value 42 --sensitivity 1 --rho 0.1\n"
          "    answer          40\n"
          "    interval        36 to 44, with 95 % confidence\n"
          "    expected error  1.79\n"
          "    price           rho 0.1, charged to no budget\n"
          "    protects        which of two values at most 1 apart it was\n"
          "    noise           discrete-gaussian(sigma_squared=5,sensitivity_squared=1)\n"
          "  discreet noise gaussian --value 42 --sensitivity 1 --epsilon 1 --delta 1e-6"};
}

Lesson geometric_lesson() {
  return {
      .summary = "Laplace noise on a count, truncated into a public range",
      .explanation =
          "A count cannot be negative, so a negative noisy count is shown as 0 (and one above\n"
          "--upper as that). Truncation is free and never adds error, but it adds bias: `raw` is\n"
          "the answer before it, for sums. The range must be public: give --upper only if\n"
          "everybody may know it.\n",
      .closing =
          "Costs epsilon a draw. --count N prints N independent draws, one a line, and costs N\n"
          "times as much: the average of many draws tells the value.\n\n"
          "Example:\n"
          "  discreet noise geometric --value 3 --sensitivity 1 --epsilon 1/2 --upper 100\n"
          "    answer          0\n"
          "    raw             -2 (unbiased: for sums)\n"
          "    interval        0 to 4, with 95 % confidence\n"
          "    expected error  1.92\n"
          "    price           epsilon 0.5, charged to no budget\n"
          "    protects        which of two values at most 1 apart it was\n"
          "    noise           truncated-geometric(scale=2,sensitivity=1)[0,100]"};
}

}  // namespace discreet::cli
