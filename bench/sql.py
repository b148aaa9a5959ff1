"""Questions over 10^7 rows of 10^6 users in 1,000 cities, beside the same questions without privacy and beside the
peers; and the error of the answers, at equal epsilon, on 10^6 rows."""

import bisect
import csv
import functools
import io
import math
import pathlib
import statistics
import tempfile

from harness import ROOT, google_benchmark, main, peer, row, run

DATA = ROOT / "build/bench/sql"
ROWS = DATA / "visits-10000000.parquet"  # made by bench_sql
ERRORS = DATA / "errors.parquet"  # made by sql_peers.py
DRAWS = {"ours": 20, "opendp-polars": 10, "pipeline-dp": 3, "smartnoise": 3, "qrlew": 1}  # by how long they take
QUESTIONS = {"count": "COUNT(*)", "sum": "SUM(income)", "mean": "AVG(income)"}
QUARTILES = (0.25, 0.5, 0.75)
CITY = "city0050"
NOTES = """Time: milliseconds from a checked question to its bounded, exact integers, with all threads; DuckDB answers the same
question without privacy from the same file, in the same process. `by_city` is COUNT and SUM(income) by city with at
most 3 cities a user and 4 rows a user and city, keys not known; `quantiles` are the three quartiles of age, of
rows or of at most 4 rows a user. Peers are asked once, from the same rows in memory or Parquet.

Error: root mean squared error over the cities with at least 600 rows, epsilon 1 and delta 1e-6 for each question, by the program and by
each peer, over several draws (20 of ours, 10 of OpenDP, 3 of the others, which take long); 10^6 rows of 250,000 users
with 2 cities and 4 rows each, so that nobody's bounds cut anything. SmartNoise's epsilon is
for a column; it gets the one whose whole price is 1. `keys` is how many of the 1,000 cities were found. Quantiles: the three quartiles of
age in one city of about 2,700 rows, at most 4 of a user; the error is by how many rows the rank is off. Half of our epsilon buys their
intervals, which no peer has."""

POLICY = """version: 1
engine: duckdb
snapshot: bench
units:
  people: {budget: {epsilon: 100, delta: 1e-3}, analysts: {bench: {epsilon: 100, delta: 1e-3}}}
tables:
  visits:
    source: DATA
    unit: {namespace: people, column: user_id}
    bounds: {groups_per_unit: 3, rows_per_unit_and_group: 4}
    columns:
      city: {type: text}
      age: {type: integer, range: [0, 120]}
      income: {type: integer, range: [0, 500000]}
"""


def ours():
    measured = google_benchmark("bench_sql", min_time=1)
    return {name.removesuffix("/real_time"): entry["real_time"] for name, entry in measured.items()}


def answers():
    """Our released tables, each draw from a ledger of its own."""
    found = {}
    quartiles = ", ".join(f"PERCENTILE_DISC({q}) WITHIN GROUP (ORDER BY age) AS q{i}" for i, q in enumerate(QUARTILES))
    with tempfile.TemporaryDirectory() as folder:
        policy, ledger = pathlib.Path(folder) / "policy.yaml", pathlib.Path(folder) / "ledger.db"
        policy.write_text(POLICY.replace("DATA", str(ERRORS)))
        program = ROOT / "build/bin/discreet"
        where = ["--policy", policy, "--ledger", ledger]
        state = ["--key", f"{folder}/key", "--witness", f"{folder}/witness"]
        run([program, "ledger", "init", *where, *state])
        for work, value in QUESTIONS.items():
            text = run([program, "query", f"SELECT city, {value} AS v FROM visits GROUP BY city", *where, *state,
                        "--epsilon", "1", "--delta", "1e-6", "--analyst", "bench", "--format", "csv"])
            found[work] = {line["city"]: float(line["v"]) for line in csv.DictReader(io.StringIO(text))}
        text = run([program, "query", f"SELECT {quartiles} FROM visits WHERE city = '{CITY}'", *where, *state,
                    "--epsilon", "1", "--analyst", "bench", "--format", "csv"])
        line, = csv.DictReader(io.StringIO(text))
        found["quantiles"] = [float(line[f"q{i}"]) for i in range(len(QUARTILES))]
    return found


@functools.cache
def truth():
    exact = peer("qrlew", "sql_peers.py", "truth", ERRORS)
    return {city: dict(zip(QUESTIONS, values)) for city, values in exact["cities"].items()}, exact["ages"]


def ranks_off(value, quantile, ages):
    """How many rows lie between the quantile's rank and the nearest rank of the value."""
    below, up_to = bisect.bisect_left(ages, value), bisect.bisect_right(ages, value)
    wanted = quantile * len(ages)
    return max(below - wanted, wanted - up_to, 0)


def errors(draws):
    """{work/rmse, work/keys} of {work: [answer of each draw]}."""
    cities, ages = truth()
    out = {}
    for work in QUESTIONS:
        tables = draws.get(work)
        if not tables:
            continue
        squares = [(table[city] - values[work]) ** 2 for table in tables for city, values in cities.items()
                   if values["count"] >= 600 and city in table]
        out[f"{work}/rmse"] = math.sqrt(statistics.mean(squares))
        out[f"{work}/keys"] = statistics.mean(len(table) for table in tables)
    if "quantiles" in draws:
        out["quantiles/rmse"] = math.sqrt(statistics.mean(
            ranks_off(value, q, ages) ** 2 for answer in draws["quantiles"] for q, value in zip(QUARTILES, answer)))
    return out


def once(name):
    """Slow peers are measured in the first round only."""
    @functools.cache
    def measure():
        times = peer(name, "sql_peers.py", "time", ROWS)
        return {**times, **errors(peer(name, "sql_peers.py", "error", ERRORS, DRAWS[name]))}
    return measure


def all_of_ours():
    truth()  # makes the data
    draws = [answers() for _ in range(DRAWS["ours"])]
    return {**ours(), **errors({work: [draw[work] for draw in draws] for work in draws[0]})}


def rows(measured):
    ms = measured["ours"]
    peers = {name: values for name, values in measured.items() if name != "ours"}

    def against(ours_name, plain_name, **goal):
        return row(ours_name, "ms", ms[f"ours/{ours_name}"], {"plain": ms[f"plain/{plain_name}"]}, "ours/plain", **goal)

    yield row("count, above plain", "ms", ms["ours/count"] - ms["plain/count"], {}, at_most=20)
    yield against("by_city", "by_city", at_most=10)
    yield against("quantiles_of_rows", "quantiles", at_most=1)
    yield against("quantiles_of_users", "quantiles", at_most=3)
    for work in ("count", "by_city", "quantiles_of_rows", "quantiles_of_users"):
        for name, values in peers.items():
            if work in values:
                asked = {"at_least": 30} if (work, name) == ("by_city", "qrlew") else {}
                yield row(work, "ms", ms[f"ours/{work}"], {name: values[work]}, f"{name}/ours", **asked)
    for work in QUESTIONS:
        for what, goal in (("rmse", {"at_most": 1.05}), ("keys", {})):
            key = f"{work}/{what}"
            others = {name: values[key] for name, values in peers.items() if key in values}
            best = (min if what == "rmse" else max)(others, key=others.get)
            yield row(f"error of {work} by city: {what}", "", ms[key], {best: others[best]}, f"ours/{best}", **goal)
            for name in others:
                if name != best:
                    yield row(f"error of {work} by city: {what}", "", ms[key], {name: others[name]}, f"ours/{name}")
    for name, values in peers.items():
        if "quantiles/rmse" in values:
            yield row("error of quartiles: ranks", "", ms["quantiles/rmse"], {name: values["quantiles/rmse"]},
                      f"ours/{name}")


main("sql", {"ours": all_of_ours, **{name: once(name) for name in ("qrlew", "opendp-polars", "pipeline-dp", "smartnoise")}},
     rows, rounds=3, notes=NOTES)
