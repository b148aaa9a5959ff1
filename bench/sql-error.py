"""The error of answers at equal epsilon, beside the peers, on 10^6 rows. Times play no part."""

import bisect
import csv
import functools
import io
import json
import math
import pathlib
import statistics
import tempfile

from harness import BIN, FOLDER, SMALLEST, main, peer, row, run

ERRORS = FOLDER / "sql/errors.parquet"  # made by `bench sql-error`
# Tables of 1,000 cities and single quantiles, by how long they take.
DRAWS = {"ours": (1, 2) if SMALLEST else (20, 300), "opendp-polars": (10, 120), "pipeline-dp": (3, 20), "smartnoise": (3, 0)}
QUESTIONS = {"count": "COUNT(*)", "sum": "SUM(income)", "mean": "AVG(income)"}
FRACTIONS = {"quartiles": (0.25, 0.5, 0.75), "median": (0.5,)}
CITY = "city0050"
NOTES = """At epsilon 1 and delta 1e-6 for each question, by the program and by each peer; 10^6 rows of 250,000 users with 2
cities and 4 rows each, where everybody bounds a user to 3 cities and 4 rows in each: nobody's bounds cut anything (OpenDP's
truncate_num_groups keeps one group fewer than asked, so 2). SmartNoise's epsilon is for a column; it gets the one whose whole price is 1.

`rmse`: root mean squared error over the cities with at least 600 rows that were found; `rmse, all`: over all 1,000, of which one that
was not found counts as 0. `keys`: how many of the 1,000 were found. Over 20 draws of ours, 10 of OpenDP, 3 of the others, which take
long. Quartiles and the median alone: of age in one city of about 2,700 rows, at most 4 of a user; the error is by how many rows the
rank is off, over 300 draws of ours, 120 of OpenDP and 20 of PipelineDP. Ours come with intervals, which are paid for out of the same epsilon; no peer has any."""

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


def answers(tables):
    """One draw of ours, from a ledger of its own: the released tables, or quantiles."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        policy, ledger = pathlib.Path(folder) / "policy.yaml", pathlib.Path(folder) / "ledger.db"
        policy.write_text(POLICY.replace("DATA", str(ERRORS)))
        program = BIN / "discreet"
        where = ["--policy", policy, "--ledger", ledger]
        state = ["--key", f"{folder}/key", "--witness", f"{folder}/witness"]
        run([program, "ledger", "init", *where, *state])

        def ask(question):
            text = run([program, "query", question, *where, *state, "--epsilon", "1", "--delta", "1e-6", "--analyst",
                        "bench", "--format", "csv"])
            return list(csv.DictReader(io.StringIO(text)))

        for work, value in QUESTIONS.items() if tables else ():
            lines = ask(f"SELECT city, {value} AS v FROM visits GROUP BY city")
            found[work] = {line["city"]: float(line["v"]) for line in lines}
        for work, fractions in () if tables else FRACTIONS.items():
            values = ", ".join(f"PERCENTILE_DISC({q}) WITHIN GROUP (ORDER BY age) AS q{i}" for i, q in enumerate(fractions))
            line, = ask(f"SELECT {values} FROM visits WHERE city = '{CITY}'")
            found[work] = [float(line[f"q{i}"]) for i in range(len(fractions))]
    return found


@functools.cache
def truth():
    exact = json.loads(run([BIN / "bench", "sql-error", ERRORS, CITY]))
    return {city: dict(zip(QUESTIONS, values)) for city, values in exact["cities"].items()}, exact["ages"]


def ranks_off(value, quantile, ages):
    """How many rows lie between the quantile's rank and the nearest rank of the value."""
    below, up_to = bisect.bisect_left(ages, value), bisect.bisect_right(ages, value)
    wanted = quantile * len(ages)
    return max(below - wanted, wanted - up_to, 0)


def errors(draws):
    """{work/rmse, ...} of {work: [answer of each draw]}."""
    cities, ages = truth()
    out = {}
    for work in QUESTIONS:
        tables = draws.get(work)
        if not tables:
            continue

        def rmse(least, missing):
            return math.sqrt(statistics.mean(
                (table.get(city, 0) - values[work]) ** 2 for table in tables for city, values in cities.items()
                if values["count"] >= least and (missing or city in table)))

        out[f"{work}/rmse"], out[f"{work}/rmse, all"] = rmse(600, False), rmse(0, True)
        out[f"{work}/keys"] = statistics.mean(len(table) for table in tables)
    for work, fractions in FRACTIONS.items():
        if draws.get(work):
            out[f"{work}/ranks"] = math.sqrt(statistics.mean(
                ranks_off(value, q, ages) ** 2 for answer in draws[work] for q, value in zip(fractions, answer)))
    return out


def ours():
    truth()  # makes the data
    tables, single = DRAWS["ours"]
    draws = [answers(True) for _ in range(tables)], [answers(False) for _ in range(single)]
    return errors({work: [draw[work] for draw in some] for some in draws for work in some[0]})


def of_peer(name):
    return lambda: errors(peer(name, "sql_peers.py", "error", ERRORS, *DRAWS[name]))


def rows(measured):
    peers = {name: values for name, values in measured.items() if name != "ours"}
    works = [(work, f"{work} by city", what) for work in QUESTIONS for what in ("rmse", "rmse, all", "keys")]
    works += [(work, work, "ranks") for work in FRACTIONS]
    for work, title, what in works:
        key = f"{work}/{what}"
        others = {name: values[key] for name, values in peers.items() if key in values}
        if not others:
            yield row(f"error of {title}: {what}", "", measured["ours"][key], {})
            continue
        best = (max if what == "keys" else min)(others, key=others.get)
        for name in sorted(others, key=lambda other: other != best):
            goal = {}
            if name == best and what in ("rmse", "ranks"):
                goal = {"at_most": 1.05}
            if name == best and what == "keys":
                goal = {"at_least": 0.95}
            yield row(f"error of {title}: {what}", "", measured["ours"][key], {name: others[name]}, f"ours/{name}", **goal)


if __name__ == "__main__":
    main("sql-error", {"ours": ours, **{name: of_peer(name) for name in DRAWS if name != "ours"}}, rows, rounds=1,
         notes=NOTES)
