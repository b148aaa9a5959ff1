"""The learning peers' environment: `diffprivlib data FOLDER` writes the sets, `diffprivlib fit FOLDER DRAWS`
prints {task: {"value": mean over the draws, "seconds": mean}} as JSON. Runs in that peer's environment."""

import json
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")


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
    digits = datasets.load_digits()
    split = StratifiedShuffleSplit(10, test_size=1797 - 1797 * 4 // 5, random_state=0)
    for i, (a, b) in enumerate(split.split(digits.data, digits.target)):
        rows = np.c_[digits.data, digits.target][np.r_[a, b]]
        np.savetxt(f"{out}/digits_{i}.csv", rows, delimiter=",", fmt="%g")


def write_regression(out, name, X, y):
    """Lows, highs (rounded outwards, as a policy would declare them), then the rows in a fixed order."""
    table = np.c_[X, y][np.random.default_rng(1).permutation(len(y))]
    step = 10 ** np.floor(np.log10(table.max(0) - table.min(0)))
    bounds = [np.floor(table.min(0) / step) * step, np.ceil(table.max(0) / step) * step]
    np.savetxt(f"{out}/regression_{name}.csv", np.r_[bounds, table], delimiter=",", fmt="%.9g")


def measure(fit, draws):
    values, start = [], time.time()
    for i in range(draws):
        values.append(fit(i))
    return {"value": float(np.mean(values)), "seconds": (time.time() - start) / draws}


def fit_all(folder, draws):
    from diffprivlib import models
    out = {}
    table = np.loadtxt(f"{folder}/classification.csv", delimiter=",")
    X, y, Xv, yv = table[:50000, :-1], table[:50000, -1], table[50000:, :-1], table[50000:, -1]
    for epsilon in (.1, 1, 3):
        out[f"classification epsilon {epsilon:g}"] = measure(
            lambda i: models.LogisticRegression(epsilon=epsilon, data_norm=8, random_state=i).fit(X, y).score(Xv, yv), draws)
    low, high = np.r_[np.full(20, -6.), np.zeros(80)], np.r_[np.full(20, 6.), np.ones(80)]
    out["naive bayes epsilon 1"] = measure(
        lambda i: models.GaussianNB(epsilon=1, bounds=(low, high), random_state=i).fit(X, y).score(Xv, yv), draws)
    for dim in (2, 10):
        Z = np.loadtxt(f"{folder}/blobs{dim}.csv", delimiter=",")

        def cost(i):
            c = models.KMeans(8, epsilon=1, bounds=(np.zeros(dim), np.ones(dim)), random_state=i).fit(Z).cluster_centers_
            return np.min([((Z - q) ** 2).sum(1) for q in c], 0).mean()
        out[f"clusters {dim} dimensions epsilon 1"] = measure(cost, draws)
    for name in ("diabetes", "iris", "wine", "synthetic"):
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
    print(json.dumps(fit_all(sys.argv[3], int(sys.argv[4]))))
