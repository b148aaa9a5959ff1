"""Our certified accountant beside Google's dp-accounting, Microsoft's prv-accountant and autodp."""

from harness import google_benchmark, main, peer, row

SAMPLED = "10000 sampled gaussians, q 0.01, sigma 1"
ANCHORS = ["1000 gaussians, sigma 100", "1000 gaussians, sigma 1", "10000 gaussians, sigma 100", SAMPLED,
           "500 laplace, epsilon 0.01 + 500 gaussians, sigma 100"]
PEERS = ["dp-accounting", "prv-accountant", "autodp"]
NOTES = """Epsilon at delta = 1e-6. A gap is (upper - lower) / upper, of certified bounds for ours; of the
pessimistic (connected dots) and optimistic estimates for dp-accounting with losses rounded to 1e-4, its default,
which the goal of 20 refers to (finer takes longer in proportion); of the bounds of prv-accountant at eps_error 0.01 (0.1 for sigma 1: finer needs more than 6 GB). autodp
gives upper bounds only. Times are CPU time, one thread; dp-accounting's is for its upper bound alone. An
empty value: the peer failed or does not offer it."""


def ours():
    values = {}
    for work, entry in google_benchmark("account", min_time=0.5).items():
        if work in ANCHORS:
            values[work, "ms"] = entry["cpu_time"]
            values[work, "upper"] = entry["upper"]
            values[work, "gap"] = (entry["upper"] - entry["lower"]) / entry["upper"]
        else:
            values[work] = 1e9 / entry["items_per_second"]
    return values


def peer_of(name):
    """What a peer prints is {work: {what: value}}; what it cannot do is not there."""
    def measure():
        return {(work, what): value for work, entry in peer(name, "account_peers.py").items()
                for what, value in entry.items()}
    return measure


def rows(measured):
    def line(work, what, unit, names, ratio=None, **goal):
        peers = {name: measured[name].get((work, what)) for name in names}
        return row(f"{work}: {what}" if what != "ms" else f"{work}: time", unit,
                   measured["ours"][work, what], peers, ratio, **goal)

    for work in ANCHORS:
        yield line(work, "upper", "epsilon", PEERS)
        yield line(work, "gap", "of epsilon", PEERS[:2], at_most=1e-3)
    yield line(SAMPLED, "ms", "ms", ["dp-accounting"], "dp-accounting/ours", at_least=20)
    for work in ANCHORS:
        yield line(work, "ms", "ms", PEERS)
    yield row("filter charge", "ns", measured["ours"]["filter charge"], {}, at_most=1000)


main("account", {"ours": ours, **{name: peer_of(name) for name in PEERS}}, rows, rounds=3, notes=NOTES)
