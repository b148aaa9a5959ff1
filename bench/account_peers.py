"""One peer's accounting of the anchors: prints {work: {"upper", "gap", "ms"}} as JSON. Runs in that peer's
environment (bench/peers). What a peer cannot do is left out."""

import json
import resource
import sys
import time
import warnings

warnings.simplefilter("ignore")
DELTA = 1e-6
# Each anchor as (kind, parameter, count) parts.
ANCHORS = {
    "1000 gaussians, sigma 100": [("gaussian", 100, 1000)],
    "1000 gaussians, sigma 1": [("gaussian", 1, 1000)],
    "10000 gaussians, sigma 100": [("gaussian", 100, 10000)],
    "10000 sampled gaussians, q 0.01, sigma 1": [("sampled", (0.01, 1), 10000)],
    "500 laplace, epsilon 0.01 + 500 gaussians, sigma 100": [("laplace", 0.01, 500), ("gaussian", 100, 500)],
}


def timed(work):
    start = time.process_time()
    value = work()
    return value, (time.process_time() - start) * 1e3


def dp_accounting(parts):
    """Privacy-loss distributions with losses rounded to 1e-4, its default."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    def one(kind, parameter, **options):
        if kind == "laplace":
            return pld.from_laplace_mechanism(1 / parameter, **options)
        q, sigma = parameter if kind == "sampled" else (1, parameter)
        return pld.from_gaussian_mechanism(sigma, sampling_prob=q, **options)

    def epsilon(**options):
        options["value_discretization_interval"] = 1e-4
        total = None
        for kind, parameter, count in parts:
            more = one(kind, parameter, **options).self_compose(count)
            total = total.compose(more) if total else more
        return total.get_epsilon_for_delta(DELTA)

    upper, ms = timed(lambda: epsilon(pessimistic_estimate=True, use_connect_dots=True))
    lower = epsilon(pessimistic_estimate=False, use_connect_dots=False)
    return {"upper": upper, "gap": (upper - lower) / upper, "ms": ms}


def prv_accountant(parts):
    import prv_accountant as prv

    make = {"gaussian": prv.GaussianMechanism, "laplace": prv.LaplaceMechanism,
            "sampled": lambda p: prv.PoissonSubsampledGaussianMechanism(sampling_probability=p[0],
                                                                        noise_multiplier=p[1])}
    counts = [count for _, _, count in parts]

    def bounds():
        accountant = prv.PRVAccountant(
            prvs=[make[kind](parameter) for kind, parameter, _ in parts], max_self_compositions=counts,
            eps_error=0.1 if ("gaussian", 1, 1000) in parts else 0.01, delta_error=DELTA / 1000)
        return accountant.compute_epsilon(DELTA, counts)

    (lower, _, upper), ms = timed(bounds)
    return {"upper": upper, "gap": (upper - lower) / upper, "ms": ms}


def autodp(parts):
    """Renyi accounting, autodp's default."""
    from autodp.mechanism_zoo import GaussianMechanism, LaplaceMechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition

    def one(kind, parameter):
        if kind == "gaussian":
            return GaussianMechanism(sigma=parameter)
        if kind == "laplace":
            return LaplaceMechanism(b=1 / parameter)
        q, sigma = parameter
        return AmplificationBySampling(PoissonSampling=True)(GaussianMechanism(sigma=sigma), q,
                                                             improved_bound_flag=True)

    def epsilon():
        mechanisms = [one(kind, parameter) for kind, parameter, _ in parts]
        return Composition()(mechanisms, [count for _, _, count in parts]).get_approxDP(DELTA)

    upper, ms = timed(epsilon)
    return {"upper": float(upper), "ms": ms}


def main():
    bytes_max = 6 << 30
    resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))
    measure = {"dp-accounting": dp_accounting, "prv-accountant": prv_accountant, "autodp": autodp}[sys.argv[1]]
    measured = {}
    for work, parts in ANCHORS.items():
        try:
            measured[work] = measure(parts)
        except Exception as error:
            print(f"{sys.argv[1]}: {work}: {error!r}", file=sys.stderr)
    print(json.dumps(measured))


main()
