"""Probabilities of our noise to 40 digits, by another program's mathematics: src/random/testdata/pmf.csv.

Columns: family, parameter (the exact rational: a scale or a variance), value, digits (the probability).
The sums are taken over theta-like series at 60 digits; terms below 10^-70 of the total are left out.
"""

import fractions
import pathlib

from mpmath import erfc, exp, mp, mpf, nstr, sqrt

mp.dps = 60
FILE = pathlib.Path(__file__).resolve().parent.parent / "src/random/testdata/pmf.csv"


def exact(text):
    ratio = fractions.Fraction(text)
    return mpf(ratio.numerator) / ratio.denominator


def discrete_laplace(scale):
    """Pr[z] = (1-q)/(1+q) q^|z|, q = exp(-1/scale)."""
    q = exp(-1 / scale)
    return lambda z: (1 - q) / (1 + q) * exp(-abs(z) / scale)


def discrete_gaussian(variance):
    """Pr[z] proportional to exp(-z^2 / (2 variance))."""
    reach = int(sqrt(2 * variance * 170)) + 2  # exp(-170) < 10^-73
    total = 1 + 2 * sum(exp(-mpf(z) ** 2 / (2 * variance)) for z in range(1, reach))
    return lambda z: exp(-mpf(z) ** 2 / (2 * variance)) / total


def rounded_gaussian(variance):
    """Pr[z - 1/2 <= N(0, variance) < z + 1/2], by upper tails, so that nothing cancels far out."""
    root = sqrt(2 * variance)
    half = mpf(1) / 2

    def pmf(z):
        if z == 0:
            return 1 - erfc(half / root)
        return (erfc((abs(z) - half) / root) - erfc((abs(z) + half) / root)) / 2

    return pmf


FAMILIES = [
    ("discrete_laplace", discrete_laplace, ["1/2", "1", "10", "1000/3"]),
    ("discrete_gaussian", discrete_gaussian, ["1/3", "1", "10", "2500"]),
    ("rounded_gaussian", rounded_gaussian, ["1/3", "1", "100"]),
]


def values(deviation):
    """Zero, both signs, neighbours, and from the middle far into the tail (40 deviations)."""
    spread = {round(deviation * factor) for factor in (0.5, 1, 2, 3, 5, 8, 12, 20, 40)}
    sizes = {0, 1, 2, 3, 4, 5, 7, 10} | spread
    return sorted(sizes | {-1, -2} | {-size for size in spread if size})


def main():
    lines = ["family,parameter,value,digits"]
    for family, pmf_of, parameters in FAMILIES:
        for parameter in parameters:
            scale = exact(parameter)
            pmf = pmf_of(scale)
            deviation = float(scale if family == "discrete_laplace" else sqrt(scale))
            for z in values(deviation):
                lines.append(f"{family},{parameter},{z},{nstr(pmf(z), 40, strip_zeros=False)}")
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} probabilities in {FILE.relative_to(FILE.parents[3])}")


main()
