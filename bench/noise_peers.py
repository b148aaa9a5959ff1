"""One peer's noise: prints {work: ns of CPU time a sample} as JSON. Runs in that peer's environment (bench/peers)."""

import json
import sys
import time


def ns_each(count, work):
    work()  # warm-up
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / count


def numpy():
    """Floating-point noise that fills an array: fast, and unsafe (Mironov 2012)."""
    import numpy

    generator = numpy.random.default_rng()
    count = 10**6
    yield "laplace", lambda scale: ns_each(count, lambda: generator.laplace(0, scale, count))
    yield "gaussian", lambda scale: ns_each(count, lambda: generator.normal(0, scale, count))


def opendp():
    """Exact integer noise on a vector, as shipped. Moving the list in and out of Rust is included."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    count = 10**4
    zeros = [0] * count
    domain = dp.vector_domain(dp.atom_domain(T=int))

    def laplace(scale):
        noise = dp.m.make_laplace(domain, dp.l1_distance(T=int), float(scale))
        return ns_each(count, lambda: noise(zeros))

    def gaussian(scale):
        noise = dp.m.make_gaussian(domain, dp.l2_distance(T=float), float(scale))
        return ns_each(count, lambda: noise(zeros))

    yield "laplace", laplace
    yield "gaussian", gaussian


def google():
    """Google's C++ library through python-dp, which adds noise to one value a call."""
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

    count = 10**4

    def laplace(scale):
        add_noise = LaplaceMechanism(epsilon=1 / scale, sensitivity=1).add_noise

        def work():
            for _ in range(count):
                add_noise(0)

        return ns_each(count, work)

    yield "laplace", laplace


def main():
    peer, works = sys.argv[1], sys.argv[2:]
    measure = dict({"numpy": numpy, "opendp": opendp, "google": google}[peer]())
    times = {}
    for work in works:
        family, scale = work.split("/")
        if family in measure:
            times[work] = measure[family](int(scale.split(":")[1]))
    print(json.dumps(times))


main()
