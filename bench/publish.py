"""Publications beside the optimum's closed form, independent noise, the best known factorisation and the binary tree."""

import json

from harness import BIN, FOLDER, main, row, run

TASKS = ["plan", "tables", "geography", "running", "keys"]
NOTES = """Tables: all pairs of 20 (100) attributes of 10 values; variance at price 1, that is in units of reach^2/(2 rho),
summed over all cells, beside the optimum of residual planning in closed form, and independent noise for each table with the best
split. 10^6 rows go through `discreet publish`, and the squared error of what it wrote is set beside the foreseen (its deviation
over 19,000 correlated cells is a few percent). Geography: 1 + 1000 + 10^6 areas, 2 million rows, noise at all levels, least squares
and whole numbers, files written. Running counts: the largest error over all days of a stream when the price is that of variance 1
for a single count; the best known factorisation (Henzinger and Upadhyay's bound, which is not causal); the lower bound for the mean
over days; asking anew splits the price over all days. A step is the last day's: it reads all earlier noise. Keys: 10^7 different
words that one person each wrote, and 1000 common ones among a million people."""


def ours():
    return json.loads(run([BIN / "bench", "publish", FOLDER / "publish", *TASKS]))


def rows(measured):
    m = measured["ours"]
    for d in ("20 attributes", "100 attributes"):
        yield row(f"{d}: total variance", "reach^2/2rho", m[f"{d}: total variance"], {"optimum": m[f"{d}: closed form"]},
                  "ours/optimum", at_most=1.01)
        yield row(f"{d}: total variance", "reach^2/2rho", m[f"{d}: total variance"],
                  {"independent": m[f"{d}: independent"]}, "ours/independent")
        yield row(f"{d}: planning", "s", m[f"{d}: planning"], {}, at_most=60)
    name = "20 attributes, 10^6 rows: "
    yield row(name + "total squared error", "rows^2", m[name + "total squared error"], {"foreseen": m[name + "foreseen"]},
              "ours/foreseen")
    yield row(name + "publishing", "s", m[name + "publishing"], {"CPU": m[name + "publishing, CPU"]})
    name = "geography of 1 + 1000 + 10^6 areas: publishing"
    yield row(name, "s", m[name], {"CPU": m[name + ", CPU"]}, at_most=60)
    for bits in (10, 12, 14, 16, 18, 20):
        name = f"2^{bits} days: "
        worst = m[name + "worst error"]
        yield row(name + "worst error", "rows", worst, {"best known": m[name + "best known"]}, "ours/best known", at_most=1.05)
        yield row(name + "worst error", "rows", worst,
                  {"binary tree": m[name + "binary tree, worst"], "asking anew": m[name + "asking anew"]}, "binary tree/ours")
        yield row(name + "mean error", "rows", m[name + "mean error"], {"lower bound": m[name + "lower bound of the mean"]},
                  "ours/lower bound")
        yield row(name + "last step", "s", m[name + "last step"], {})
        yield row(name + "state", "bytes", m[name + "state"], {})
    name = "10^7 keys that nobody listed: "
    yield row(name + "histogram", "s", m[name + "histogram"], {"CPU": m[name + "histogram, CPU"]})
    yield row(name + "the 20 most frequent", "s", m[name + "the 20 most frequent"], {})
    yield row(name + "keys shown", "keys", m[name + "keys shown"], {})
    yield row(name + "of the 1000 common ones", "keys", m[name + "of the 1000 common ones"], {})


main("publish", {"ours": ours}, rows, rounds=1, notes=NOTES)
