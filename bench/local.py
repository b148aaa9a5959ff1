"""The local model beside pure-ldp 1.2: clients and collectors, domain 1,024, epsilon 1; and variances beside
the published formulas."""

import math

from harness import google_benchmark, main, peer, row

MECHANISMS = ("response", "oue", "olh", "hadamard", "subset", "projective")
E = math.e
NOTES = """Items a second of CPU time, one thread, domain 1,024, epsilon 1. Ours: a client makes a whole
report (128-bit id and payload, exact coins, the system's bits); a collector goes from a batch's bytes, each report
checked, to the support of every choice. pure-ldp: `privatise`, and `aggregate` on a list made before, with the estimates' update at the end where it
is more than arithmetic (Hadamard); its randomness is floating point and predictable. Its RAPPOR is compared at 128 bits, 2 hash functions, 8 cohorts, without the second
step, which it does not have. Variance is n Var of a share near 0. Published: response (e+k-2)/(e-1)^2, OUE and OLH
4e/(e-1)^2, Hadamard ((e+1)/(e-1))^2; subset selection, which is optimal, from its p and q at the best subset size;
projective geometry is measured against that too."""


def ours():
    values = {}
    for work, entry in google_benchmark("local", min_time=0.2).items():
        if "items_per_second" in entry:
            values[work] = entry["items_per_second"]
        else:
            for counter in ("measured", "formula", "bytes"):
                values[work, counter] = entry[counter]
    return values


def subset_variance(k):
    """The least over subset sizes of q(1-q)/(p-q)^2, from the definition."""
    def at(d):
        p = d * E / (d * E + k - d)
        q = (p * (d - 1) + (1 - p) * d) / (k - 1)
        return q * (1 - q) / (p - q) ** 2
    return min(at(d) for d in range(1, k))


PUBLISHED = {
    "response": (E + 1024 - 2) / (E - 1) ** 2,
    "oue": 4 * E / (E - 1) ** 2,
    "olh": 4 * E / (E - 1) ** 2,
    "hadamard": ((E + 1) / (E - 1)) ** 2,
    "subset": subset_variance(1024),
    "projective": subset_variance(1024),
}


def rows(measured):
    ours_, theirs = measured["ours"], measured["pure-ldp"]

    def against(work, **goal):
        return row(work, "a second", ours_[work], {"pure-ldp": theirs[work]}, "ours/pure-ldp", **goal)

    for name in ("response", "hadamard", "oue", "rappor"):
        yield against(f"client/{name}", at_least=20)
    yield against("client/olh")
    for name in ("subset", "projective", "laplace", "piecewise"):
        yield row(f"client/{name}", "a second", ours_[f"client/{name}"], {})
    for name, goal in (("olh", 50), ("oue", 50), ("rappor", 20), ("hadamard", 2)):
        yield against(f"collector/{name}", at_least=goal)
    yield against("collector/response")
    for name in ("subset", "projective"):
        yield row(f"collector/{name}", "a second", ours_[f"collector/{name}"], {})
    yield row("ids remembered", "a second", ours_["seen_ids"], {})
    for name in MECHANISMS:
        yield row(f"variance/{name}", "n Var", ours_[f"variance/{name}", "formula"],
                  {"published": PUBLISHED[name]}, "ours/published", at_most=1.02)
        yield row(f"variance/{name}, from reports", "n Var", ours_[f"variance/{name}", "measured"],
                  {"published": PUBLISHED[name]}, "ours/published")
    best = min(ours_[f"variance/{name}", "formula"] for name in MECHANISMS)
    yield row("variance of the best", "n Var", best, {"optimum": PUBLISHED["subset"]}, "ours/optimum", at_most=1.01)
    for name in MECHANISMS:
        yield row(f"report/{name}", "bytes", ours_[f"variance/{name}", "bytes"], {})


main("local", {"ours": ours, "pure-ldp": lambda: peer("pure-ldp", "local_peers.py")}, rows, rounds=3, notes=NOTES)
