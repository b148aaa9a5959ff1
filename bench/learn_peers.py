"""The learning peers' environments: `diffprivlib data FOLDER` writes the sets; `diffprivlib fit FOLDER DRAWS`,
`opendp-mbi aim FOLDER DRAWS COLUMNS` and `opendp-mbi regress FOLDER DRAWS` print {task: {"value": mean over the draws,
"seconds": mean, of the processor}} as JSON. Runs in that peer's environment."""

import json
import os
import sys
import time
import warnings
from itertools import combinations

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a thread that waits counts as working
import numpy as np

warnings.simplefilter("ignore")
REGRESSIONS = ["diabetes", "iris", "wine", "synthetic", "synthetic-few", "synthetic-alike"]


def write_data(out):
    """Classification and blobs as numpy's seed 0 makes them; three public sets for regression; the digits in ten splits."""
    rng = np.random.default_rng(0)
    n, d = 60000, 100
    X = np.where(np.arange(d) < 20, rng.normal(size=(n, d)), (rng.random((n, d)) < rng.random(d) * .3).astype(float))
    w = rng.normal(size=d) * .5
    y = (X @ w - np.median(X @ w) + rng.logistic(size=n) > 0).astype(int)
    X = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True) / 8)
    np.savetxt(f"{out}/classification.csv", np.c_[X, y], delimiter=",", fmt="%.9g")
    for dim in (2, 10):
        c = rng.random((8, dim))
        Z = np.clip(c[rng.integers(0, 8, 50000)] + rng.normal(size=(50000, dim)) * .05, 0, 1)
        np.savetxt(f"{out}/blobs{dim}.csv", Z, delimiter=",", fmt="%.9g")
    from sklearn import datasets
    from sklearn.model_selection import StratifiedShuffleSplit
    sets = {"diabetes": datasets.load_diabetes(), "iris": datasets.load_iris(), "wine": datasets.load_wine()}
    for name, data in sets.items():
        # Iris and wine have no number to predict: their last measurement is predicted from the others.
        X, y = (data.data, data.target) if name == "diabetes" else (data.data[:, :-1], data.data[:, -1])
        write_regression(out, name, X, y)
    X = rng.normal(size=(20000, 10))
    write_regression(out, "synthetic", X, X @ rng.normal(size=10) + rng.normal(size=20000))
    for name, n, d, alike in (("synthetic-few", 400, 4, 0), ("synthetic-alike", 4000, 20, 1)):
        own = np.random.default_rng(11)
        X = own.normal(size=(n, d)) + alike * own.normal(size=(n, 1))
        write_regression(out, name, X, X @ own.normal(size=d) + own.normal(size=n))
    write_table(out)
    digits = datasets.load_digits()
    split = StratifiedShuffleSplit(10, test_size=1797 - 1797 * 4 // 5, random_state=0)
    for i, (a, b) in enumerate(split.split(digits.data, digits.target)):
        rows = np.c_[digits.data, digits.target][np.r_[a, b]]
        np.savetxt(f"{out}/digits_{i}.csv", rows, delimiter=",", fmt="%g")


def write_table(out):
    """A census of 20,000: eight columns, some of which follow from two others together. First line: how many values."""
    rng = np.random.default_rng(3)
    n, sizes = 20000, [2, 5, 8, 4, 6, 3, 7, 2]
    parents = [(), (0,), (1,), (0, 1), (2, 3), (3,), (2, 5), (0, 6)]
    columns = []
    for size, above in zip(sizes, parents):
        noise = rng.choice(size, n, p=(w := .5 ** np.arange(size)) / w.sum())
        mixed = sum((3 + i) * columns[p] * (1 + (columns[above[0]] if i else 0)) for i, p in enumerate(above))
        columns.append((mixed + noise) % size if above else noise)
    np.savetxt(f"{out}/table.csv", np.r_[[sizes], np.array(columns).T], delimiter=",", fmt="%d")


def aim(folder, draws, width):
    """AIM with the rho that gives (1, 1e-6) on the first `width` columns: the mean total variation of all triples."""
    import opendp.prelude as dp
    import polars as pl
    dp.enable_features("contrib")
    table = np.loadtxt(f"{folder}/table.csv", delimiter=",", dtype=int)[:, :width]
    sizes, truth = table[0], table[1:]
    names = [f"c{i}" for i in range(len(sizes))]
    scale = dp.binary_search(lambda s: dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(
        dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), s)).map(1.).epsilon(1e-6) <= 1, bounds=(1., 100.))
    rho = .5 / scale ** 2

    def distance(_):
        context = dp.Context.compositor(data=pl.LazyFrame({name: truth[:, i] for i, name in enumerate(names)}),
                                        privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=rho))
        released = context.query(rho=rho).contingency_table(
            keys={name: list(range(size)) for name, size in zip(names, sizes)}, algorithm=dp.mbi.AIM()).release()
        # Its model's own marginals, without the error that drawing rows would add.
        def difference(at):
            shares = np.asarray(released.project(tuple(names[a] for a in at)))[tuple(slice(sizes[a]) for a in at)]
            own = np.bincount(np.ravel_multi_index(truth[:, at].T, sizes[list(at)]), minlength=shares.size) / len(truth)
            return np.abs(shares.ravel() / shares.sum() - own).sum() / 2
        return np.mean([difference(at) for at in combinations(range(len(sizes)), 3)])
    return {f"synthetic table of {width} columns epsilon 1 delta 1e-6": measure(distance, draws)}


def opendp_regression(folder, draws):
    """OpenDP's takes one feature. Which one is not its business: the mean over all of them, and, to be read beside it,
    the one that fits the training rows best, chosen without privacy."""
    import opendp.prelude as dp
    dp.enable_features("contrib", "honest-but-curious", "idealized-numerics", "floating-point")

    def model(x, y, scale):
        return dp.sklearn.linear_model.LinearRegression(dp.max_divergence(), x_bounds=[x], y_bounds=y, scale=scale)
    # What a scale costs does not depend on the bounds.
    scale = dp.binary_search(lambda s: model((0., 1.), (0., 1.), s).measurement.map(1) <= 1, bounds=(.01, 1000.))
    out = {}
    for name in REGRESSIONS:
        table = np.loadtxt(f"{folder}/regression_{name}.csv", delimiter=",")
        low, high, rows = table[0], table[1], table[2:]
        n, d = len(rows) * 4 // 5, rows.shape[1] - 1
        best = int(np.argmax([abs(np.corrcoef(rows[:n, c], rows[:n, -1])[0, 1]) for c in range(d)]))

        def error(c):
            fitted = model((low[c], high[c]), (low[-1], high[-1]), scale).fit(rows[:n, [c]], rows[:n, -1])
            guessed = np.clip(fitted.predict(rows[n:, [c]]), low[-1], high[-1])
            return np.sqrt(np.mean((guessed - rows[n:, -1]) ** 2))
        out[f"regression {name} epsilon 1"] = measure(lambda _: np.mean([error(c) for c in range(d)]), draws)
        out[f"regression {name} epsilon 1, best feature"] = measure(lambda _: error(best), draws)
    return out


def write_regression(out, name, X, y):
    """Lows, highs (rounded outwards, as a policy would declare them), then the rows in a fixed order."""
    table = np.c_[X, y][np.random.default_rng(1).permutation(len(y))]
    step = 10 ** np.floor(np.log10(table.max(0) - table.min(0)))
    bounds = [np.floor(table.min(0) / step) * step, np.ceil(table.max(0) / step) * step]
    np.savetxt(f"{out}/regression_{name}.csv", np.r_[bounds, table], delimiter=",", fmt="%.9g")


def measure(fit, draws):
    values, start = [], time.process_time()
    for i in range(draws):
        values.append(fit(i))
    return {"value": float(np.mean(values)), "seconds": (time.process_time() - start) / draws}


def fit_all(folder, draws):
    from diffprivlib import models
    out = {}
    table = np.loadtxt(f"{folder}/classification.csv", delimiter=",")
    X, y, Xv, yv = table[:50000, :-1], table[:50000, -1], table[50000:, :-1], table[50000:, -1]
    for epsilon in (.1, 1, 3):
        groups = [[], []]

        def accuracy(i):
            right = models.LogisticRegression(epsilon=epsilon, data_norm=8, random_state=i).fit(X, y).predict(Xv) == yv
            for group in (0, 1):
                groups[group].append(right[Xv[:, -1].astype(bool) == group].mean())
            return right.mean()
        out[f"classification epsilon {epsilon:g}"] = measure(accuracy, draws)
        for group in (0, 1):
            out[f"classification where the last mark is {group} epsilon {epsilon:g}"] = {
                "value": float(np.mean(groups[group])), "seconds": 0}
    low, high = np.r_[np.full(20, -6.), np.zeros(80)], np.r_[np.full(20, 6.), np.ones(80)]
    out["naive bayes epsilon 1"] = measure(
        lambda i: models.GaussianNB(epsilon=1, bounds=(low, high), random_state=i).fit(X, y).score(Xv, yv), draws)
    out["random forest epsilon 1"] = measure(
        lambda i: models.RandomForestClassifier(epsilon=1, bounds=(low, high), classes=[0, 1], random_state=i).fit(X, y).score(Xv, yv), draws)
    for dim in (2, 10):
        Z = np.loadtxt(f"{folder}/blobs{dim}.csv", delimiter=",")

        def cost(i):
            c = models.KMeans(8, epsilon=1, bounds=(np.zeros(dim), np.ones(dim)), random_state=i).fit(Z).cluster_centers_
            return np.min([((Z - q) ** 2).sum(1) for q in c], 0).mean()
        out[f"clusters {dim} dimensions epsilon 1"] = measure(cost, draws)
    for name in REGRESSIONS:
        table = np.loadtxt(f"{folder}/regression_{name}.csv", delimiter=",")
        low, high, rows = table[0], table[1], table[2:]
        n = len(rows) * 4 // 5

        def error(i):
            m = models.LinearRegression(epsilon=1, bounds_X=(low[:-1], high[:-1]), bounds_y=(low[-1], high[-1]), random_state=i)
            m.fit(rows[:n, :-1], rows[:n, -1])
            return np.sqrt(np.mean((m.predict(rows[n:, :-1]) - rows[n:, -1]) ** 2))
        out[f"regression {name} epsilon 1"] = measure(error, draws)
    return out


if sys.argv[2] == "data":
    write_data(sys.argv[3])
    print("{}")
else:
    work = {"fit": fit_all, "aim": aim, "regress": opendp_regression}[sys.argv[2]]
    print(json.dumps(work(sys.argv[3], *map(int, sys.argv[4:]))))
