"""Our exact noise beside numpy's floating-point noise and the exact noise of OpenDP and Google."""

import math
import resource
import subprocess

from harness import BIN, google_benchmark, main, peer, row

LAPLACE = [f"laplace/scale:{scale}" for scale in (1, 10, 1000, 1000000)]
GAUSSIAN = [f"gaussian/sigma:{sigma}" for sigma in (1, 10, 1000)]
ROUNDED = [f"rounded_gaussian/sigma:{sigma}" for sigma in (1, 10, 1000)]
RESPONSE = "randomized_response/epsilon:1"
DRAWS = 1_000_000
PRICES = {
    "noise gaussian --rho": ["--rho", "0.1"],
    "noise gaussian --epsilon --delta": ["--epsilon", "1", "--delta", "1e-6"],
}
NOTES = """Nanoseconds of CPU time a sample, one thread, filling an array. numpy's noise is floating point, and
unsafe; the others are exact. Google's library is called through Python, once a sample, and OpenDP gets a list
from Python: their times include that."""


def ours():
    values = {}
    for work, entry in google_benchmark("noise", min_time=0.2).items():
        if "items_per_second" not in entry:
            continue  # the making of a table, which has no peer
        values[work] = 1e9 / entry["items_per_second"]
        values[work, "bits"] = entry["bits_per_sample"]
    for work, price in PRICES.items():
        values[work] = ns_a_line(price)
    return values


def ns_a_line(price):
    """CPU time of the program for each draw that it prints; its start is in it, and in both."""
    command = [str(BIN / "discreet"), "noise", "gaussian", "--value", "0", "--sensitivity", "1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *price, "--count", str(DRAWS)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e9 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / DRAWS


def entropy(work):
    """Shannon entropy in bits of the distribution itself: no sampler can use fewer on average."""
    family, parameter = work.split("/")
    scale = int(parameter.split(":")[1])
    log_weight = {"laplace": lambda z: -z / scale, "gaussian": lambda z: -z * z / (2 * scale * scale)}[family]
    logs = [log_weight(z) for z in range(50 * scale)]
    total = 2 * math.fsum(map(math.exp, logs)) - 1
    mean = 2 * math.fsum(log * math.exp(log) for log in logs) / total
    return (math.log(total) - mean) / math.log(2)


def rows(measured):
    ns = measured["ours"]

    def against(name, work, ratio, **goal):
        return row(work, "ns/sample", ns[work], {name: measured[name][work]}, ratio, **goal)

    for work in LAPLACE:
        asked = work != LAPLACE[-1]  # the largest scale is there to be seen
        yield against("numpy", work, "ours/numpy", **({"at_most": 0.45} if asked else {}))
        yield against("opendp", work, "opendp/ours", **({"at_least": 700} if asked else {}))
        yield against("google", work, "google/ours")
    for work in GAUSSIAN:
        yield against("numpy", work, "ours/numpy", at_most=2)
        yield against("opendp", work, "opendp/ours", at_least=400)
    # "RoundedGaussian fills arrays as fast as DiscreteGaussian", "as fast as with `--rho`"
    for work, same in zip(ROUNDED, GAUSSIAN):
        yield row(work, "ns/sample", ns[work], {"discrete": ns[same]}, "ours/discrete", at_most=1.1)
    rho, epsilon_delta = PRICES
    yield row(epsilon_delta, "ns/line", ns[epsilon_delta], {"--rho": ns[rho]}, "ours/--rho", at_most=1.1)
    yield row(RESPONSE, "bits/s", 1e9 / ns[RESPONSE], {}, at_least=1e8)
    for work in LAPLACE[:3] + GAUSSIAN:
        yield row(work, "random bits/sample", ns[work, "bits"], {"entropy": entropy(work)}, "ours/entropy")


def peer_of(name):
    return lambda: peer(name, "noise_peers.py", *LAPLACE, *GAUSSIAN)


main("noise", {"ours": ours, **{name: peer_of(name) for name in ("numpy", "opendp", "google")}}, rows,
     rounds=7, notes=NOTES)
