"""How cost grows: ./dev bench scale [duckdb] [trino] [ledger] [peers], all of them if none is named.

DuckDB with the number of rows and under a limit of memory; Trino beside its own plain answers; charges in PostgreSQL beside
bare commits; SmartNoise on PostgreSQL and Tumult on Spark beside ours. Each part takes minutes and wants a quiet machine, so
what a part measured is kept (build/bench/scale-*.json), and the table is made of all parts that were measured."""

import json
import math
import os
import statistics
import subprocess
import sys
import time

from harness import (BIN, FOLDER, SMALLEST, LeftOut, NotMeasured, google_benchmark, left_out, peak_memory, peer, progress, report, row,
                     rows_wanted, smallest)
from postgres_server import PROGRAMS, server

# 10^9 rows need 40 GB of disk and an hour: DISCREET_BENCH_MOST=1000000000.
SIZES = [n for n in (10**6, 10**7, 10**8, 10**9) if n <= int(os.environ.get("DISCREET_BENCH_MOST", 10**8))]
WORKS = ["count", "by_city", "quantiles_of_users"]
LIMITS = {"4GB": 4096, "1GB": 1024}  # the second has less than the rows of 10^8, so that they go to disk
TRINO = ["orders, counted by priority", "orders, prices by priority", "lines with their orders, counted by flag",
         "lines with their orders, prices by flag", "Q3"]
WARM_UP, ROUNDS = (0, 1) if SMALLEST else (8, 8)
DATA = FOLDER / "sql"

NOTES = """DuckDB: questions of `./dev bench sql` over 10^6 to 10^8 rows of a tenth as many users, milliseconds from a checked
question to its bounded integers; the exponent is that of time from the smallest size to the largest, and beside it that of the last ten times as many rows alone. Memory is the peak of a process that asks `by_city`
of the largest size under a limit (`duckdb?memory=4GB`), everything included. Trino: TPC-H sf1 of the tpch connector, a
coordinator and two workers on the same machine, customers as units; each beside the same question without privacy, eight times to warm up, then the median of eight (the best of a few is as often a lucky plain one as a lucky private one: collector and compiler of Java come and go); processor time
is that of all nodes, their compiler and collector included. Ledger: durable charges in a PostgreSQL on the same disk, beside a row of 300 bytes inserted and committed there; one after each of ours; 64 clients follow one at once; of many turns the one with the middle ratio; a charge takes 0.05 to 0.1 ms longer (docs/growth.md).
Peers: COUNT and SUM(income) by city over 10^6 rows of 10^5 users, at most 3 cities a user and 4 rows in each, the best of two; SmartNoise from a PostgreSQL that is asked
for ours too, once its rows are there; Tumult on Spark with both cores, from Parquet, the cities given to it."""


def name_of(entry):
    return entry.removesuffix("/iterations:1/real_time").removesuffix("/real_time")


def duckdb():
    values = {}
    for size in SIZES:
        progress(f"DuckDB, {size:.0e} rows")
        google_benchmark("sql", 0.01, rows=size, only="ours/count")  # makes the data
        for name, entry in google_benchmark("sql", 0.5, rows=size, only=f"ours/({'|'.join(WORKS)})").items():
            values[f"{name_of(name)}/{size}"] = entry["real_time"]
    only = "--benchmark_filter=ours/by_city"
    for limit in LIMITS:
        limited = {"DISCREET_BENCH_ENGINE": f"duckdb?memory={limit}"}
        entry = next(iter(google_benchmark("sql", 0.01, rows=SIZES[-1], only="ours/by_city", **limited).values()))
        values[f"limited/{limit}"] = entry["real_time"]
        environment = {**os.environ, **limited, **rows_wanted(SIZES[-1])}
        values[f"memory/{limit}"] = peak_memory([BIN / "bench", "sql", only, "--benchmark_min_time=0.01"], environment)
    return values


def trino():
    folder = os.environ.get("DISCREET_TRINO")
    if not folder:
        raise LeftOut("DISCREET_TRINO does not name the folder of a cluster")
    while not os.path.exists(f"{folder}/ready"):
        if os.path.exists(f"{folder}/failed"):
            sys.exit("the Trino cluster did not start; see build/log/trino.log")
        time.sleep(1)
    found = {}
    for round in range(WARM_UP + ROUNDS):  # Java compiles what is used often, and on a slow machine late
        progress(f"Trino, round {round + 1} of {WARM_UP + ROUNDS}")
        for name, entry in google_benchmark("scale", 0).items():
            if round >= WARM_UP:
                found.setdefault(name_of(name), []).append(entry["real_time"])
                found.setdefault(f"{name_of(name)} cpu", []).append(entry["cpu"] * 1000)
    return {name: statistics.median(times) for name, times in found.items()}


def ledger():
    found = google_benchmark("ledger", 0.5, only="postgres")
    one = next(v for k, v in found.items() if "one client" in k)
    many = next(v for k, v in found.items() if "64 clients" in k)
    return {"one": one["ours"], "bare": one["bare"], "alone": many["one"], "many": many["many"]}


def put_few_rows(url):
    """What SmartNoise's script puts there in a full run."""
    rows = "SELECT i % 100 AS user_id, 'city' || i % 10 AS city, 30 AS age, i AS income FROM generate_series(1, 1000) r(i)"
    for statement in (f"CREATE TABLE visits AS {rows}", "GRANT SELECT ON visits TO reader"):
        subprocess.run([PROGRAMS + "psql", url, "-qc", statement], check=True)


def peers():
    google_benchmark("sql", 0.01, rows=10**6, only="ours/count")  # makes the data
    parquet = DATA / "visits-1000000.parquet"
    values = NotMeasured() if SMALLEST else {"tumult": peer("tumult", "scale_peers.py", parquet)["by_city"]}
    values["duckdb"] = google_benchmark("sql", 1, rows=10**6, only="ours/by_city")["ours/by_city/real_time"]["real_time"]
    with server() as url:
        if SMALLEST:
            put_few_rows(url("dp"))
        else:
            values["smartnoise"] = peer("smartnoise", "scale_peers.py", parquet, url("dp"))["by_city"]
        found = google_benchmark("scale", 1, DISCREET_BENCH_POSTGRES=url("reader"))
        values["postgres"] = found["postgres/by_city/real_time"]["real_time"]
    return values


# Trino last: a cluster, even one that waits, takes from what is measured beside it.
PARTS = {"duckdb": duckdb, "ledger": ledger, "peers": peers, "trino": trino}


def rows(measured):
    if values := measured.get("duckdb"):
        for work in WORKS:
            for size in SIZES:
                yield row(f"DuckDB, {work}, {size:.0e} rows", "ms", values[f"ours/{work}/{size}"], {})
            def exponent(first, last):
                return math.log(values[f"ours/{work}/{last}"] / values[f"ours/{work}/{first}"]) / math.log(last / first)

            yield row(f"DuckDB, {work}, exponent", "", exponent(SIZES[0], SIZES[-1]), {}, at_most=1.05)
            yield row(f"DuckDB, {work}, exponent of the last ten times", "", exponent(SIZES[-2], SIZES[-1]), {})
        for limit, most in LIMITS.items():
            yield row(f"DuckDB, by_city, {SIZES[-1]:.0e} rows in {limit}", "ms", values[f"limited/{limit}"],
                      {"without a limit": values[f"ours/by_city/{SIZES[-1]}"]}, "ours/without a limit")
            yield row(f"DuckDB, by_city, {SIZES[-1]:.0e} rows in {limit}, memory", "MB", values[f"memory/{limit}"], {}, at_most=most)
    if values := measured.get("trino"):
        for name in TRINO:
            yield row(f"Trino, {name}", "ms", values[f"ours/{name}"], {"plain": values[f"plain/{name}"]}, "ours/plain", at_most=2)
            yield row(f"Trino, {name}, processor time", "ms", values[f"ours/{name} cpu"], {"plain": values[f"plain/{name} cpu"]},
                      "ours/plain")
    if values := measured.get("ledger"):
        yield row("ledger on PostgreSQL, one client", "a second", values["one"], {"bare": values["bare"]}, "ours/bare", at_least=0.8)
        yield row("ledger on PostgreSQL, 64 clients", "a second", values["many"], {"one": values["alone"]}, "ours/one", at_least=10)
    if values := measured.get("peers"):
        yield row("by city, 10^6 rows, PostgreSQL", "ms", values["postgres"], {"smartnoise": values["smartnoise"]}, "smartnoise/ours")
        yield row("by city, 10^6 rows, DuckDB", "ms", values["duckdb"], {"tumult": values["tumult"]}, "tumult/ours")


def main():
    asked = [word for word in sys.argv[1:] if not word.startswith("--")] or list(PARTS)
    unknown = set(asked) - set(PARTS)
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if sys.argv[1:2] == ["--peers"]:
        print(*(["smartnoise", "tumult"] if "peers" in asked else []))
        return
    if SMALLEST:
        others = [part for part in PARTS if part not in asked]
        for part in others:
            left_out(part, "it was not asked for")
        sys.exit(smallest("scale", {part: PARTS[part] for part in asked}, others + ["smartnoise", "tumult"], rows))
    if sys.argv[1:2] == ["--before-trino"]:
        asked = [part for part in asked if part != "trino"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for part in asked:
        (FOLDER / f"scale-{part}.json").write_text(json.dumps(PARTS[part](), indent=1) + "\n")
    if sys.argv[1:2] == ["--before-trino"]:
        return
    files = {part: FOLDER / f"scale-{part}.json" for part in PARTS}
    measured = {part: json.loads(file.read_text()) for part, file in files.items() if file.exists()}
    sys.exit(report("scale", list(rows(measured)), NOTES))


main()
