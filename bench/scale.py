"""How cost grows: DuckDB with the number of rows, and Trino beside its own plain answers."""

import math
import os
import subprocess
import sys
import time

from harness import ROOT, google_benchmark, main, row

# 10^9 rows need 40 GB of disk and an hour: DISCREET_BENCH_MOST=1000000000.
SIZES = [n for n in (10**6, 10**7, 10**8, 10**9) if n <= int(os.environ.get("DISCREET_BENCH_MOST", 10**8))]
WORKS = ["count", "by_city", "quantiles"]
TRINO = ["orders, counted by priority", "orders, prices by priority", "lines with their orders, counted by flag",
         "lines with their orders, prices by flag", "Q3"]

NOTES = """DuckDB: the questions of `./dev bench sql` over 10^6 to 10^8 rows (users grow with the rows up to 10^6), time from a
checked question to its bounded integers; the exponent is that of time between the two largest sizes; memory is the peak of
the process that asks `by_city` at the largest size, DuckDB's own buffers included. Trino: TPC-H sf1 of the tpch connector, a
coordinator and two workers on the same machine, customers as units; each beside the same question without privacy, the best of three; processor time
is that of all nodes, their compiler and collector included."""


def duckdb(size):
    """Milliseconds of each work, and the peak memory of a process that only asks by_city."""
    env = dict(os.environ, DISCREET_BENCH_ROWS=str(size))
    program = str(ROOT / "build/bin/bench_sql")
    quick = ["--benchmark_format=json", "--benchmark_min_time=0.2"]
    subprocess.run([program, "--benchmark_filter=plain/count", *quick], env=env, stdout=subprocess.DEVNULL, check=True)  # makes the data
    before = os.environ.get("DISCREET_BENCH_ROWS")
    os.environ["DISCREET_BENCH_ROWS"] = str(size)
    measured = google_benchmark("bench_sql", min_time=0.5)
    if before is None:
        del os.environ["DISCREET_BENCH_ROWS"]
    child = subprocess.Popen([program, "--benchmark_filter=ours/by_city", *quick], env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit("bench_sql failed")
    times = {work: measured[f"ours/{work}/real_time"]["real_time"] for work in WORKS}
    return times, usage.ru_maxrss / 1024


def ours():
    values = {}
    for size in SIZES:
        times, memory = duckdb(size)
        values |= {f"{work}/{size}": times[work] for work in WORKS}
        values["memory"] = memory
    folder = os.environ["DISCREET_TRINO"]
    while not os.path.exists(f"{folder}/ready"):
        if os.path.exists(f"{folder}/failed"):
            sys.exit("the Trino cluster did not start; see build/log/trino.log")
        time.sleep(1)
    google_benchmark("bench_scale", min_time=0)  # once to warm up, then the best of three
    for _ in range(3):
        for name, entry in google_benchmark("bench_scale", min_time=0).items():
            name = name.removesuffix("/iterations:1/real_time")
            values[name] = min(values.get(name, math.inf), entry["real_time"])
            values[f"{name} cpu"] = min(values.get(f"{name} cpu", math.inf), entry["cpu"] * 1000)
    return values


def rows(measured):
    values = measured["ours"]
    for work in WORKS:
        for size in SIZES:
            yield row(f"DuckDB, {work}, {size:.0e} rows", "ms", values[f"{work}/{size}"], {})
        first, last = SIZES[-2], SIZES[-1]
        growth = math.log(values[f"{work}/{last}"] / values[f"{work}/{first}"]) / math.log(last / first)
        yield row(f"DuckDB, {work}, exponent", "", growth, {}, at_most=1.05)
    yield row(f"DuckDB, by_city, {SIZES[-1]:.0e} rows, memory", "MB", values["memory"], {}, at_most=4096)
    for name in TRINO:
        yield row(f"Trino, {name}", "ms", values[f"ours/{name}"], {"plain": values[f"plain/{name}"]}, "ours/plain", at_most=2)
        yield row(f"Trino, {name}, processor time", "ms", values[f"ours/{name} cpu"], {"plain": values[f"plain/{name} cpu"]},
                  "ours/plain", at_most=2)


main("scale", {"ours": ours}, rows, rounds=1, notes=NOTES)
