"""Random compositions by Google's dp-accounting: src/accounting/testdata/dp_accounting.csv.

Columns: uses (mechanism:parameters:count, with + between them), delta, epsilon (its pessimistic answer, by
privacy-loss distributions with connected dots; inf where there is none). The seed is fixed, so the table is the
same each time.
"""

import pathlib
import random

from dp_accounting.pld.common import DifferentialPrivacyParameters
from dp_accounting.pld import privacy_loss_distribution as pld

FILE = pathlib.Path(__file__).resolve().parent.parent / "src/accounting/testdata/dp_accounting.csv"
CASES = 200
INTERVAL = 1e-4


def spread(source, low, high):
    """Between low and high on a logarithmic scale, to three digits: what is written is what is meant."""
    return float(f"{low * (high / low) ** source.random():.3g}")


def gaussian(source):
    return (spread(source, 0.7, 100),)


def laplace(source):
    return (spread(source, 0.01, 2),)


def discrete_laplace(source):
    return (spread(source, 0.02, 2), source.choice([1, 2, 5]))


def generic(source):
    return (spread(source, 0.01, 1), source.choice([0, 1e-9, 1e-8, 1e-7]))


def subsampled_gaussian(source):
    return (spread(source, 0.7, 5), spread(source, 0.001, 0.5))


def subsampled_laplace(source):
    return (spread(source, 0.1, 2), spread(source, 0.001, 0.5))


MECHANISMS = {
    "gaussian": (gaussian, lambda sigma: pld.from_gaussian_mechanism(
        sigma, value_discretization_interval=INTERVAL)),
    "laplace": (laplace, lambda epsilon: pld.from_laplace_mechanism(
        1 / epsilon, value_discretization_interval=INTERVAL)),
    "discrete-laplace": (discrete_laplace, lambda epsilon, steps: pld.from_discrete_laplace_mechanism(
        epsilon / steps, sensitivity=steps, value_discretization_interval=INTERVAL, use_connect_dots=True)),
    "generic": (generic, lambda epsilon, delta: pld.from_privacy_parameters(
        DifferentialPrivacyParameters(epsilon, delta), value_discretization_interval=INTERVAL)),
    "subsampled-gaussian": (subsampled_gaussian, lambda sigma, q: pld.from_gaussian_mechanism(
        sigma, sampling_prob=q, value_discretization_interval=INTERVAL)),
    "subsampled-laplace": (subsampled_laplace, lambda epsilon, q: pld.from_laplace_mechanism(
        1 / epsilon, sampling_prob=q, value_discretization_interval=INTERVAL)),
}


def case(source):
    """A random list of uses, as text and as dp-accounting's distribution."""
    texts = []
    total = None
    for name in source.sample(sorted(MECHANISMS), source.choice([1, 1, 2, 2, 3])):
        draw, build = MECHANISMS[name]
        parameters = draw(source)
        count = round(spread(source, 1, 300))
        texts.append(f"{name}:{','.join(map(repr, parameters))}:{count}")
        more = build(*parameters).self_compose(count)
        total = total.compose(more) if total else more
    return "+".join(texts), total


def main():
    source = random.Random(4)
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("w") as out:
        out.write("uses,delta,epsilon\n")
        for _ in range(CASES):
            uses, total = case(source)
            delta = source.choice([1e-4, 1e-5, 1e-6, 1e-8])
            out.write(f'"{uses}",{delta!r},{total.get_epsilon_for_delta(delta)!r}\n')


main()
