"""Questions over 10^7 rows of 10^6 users in 1,000 cities, beside the same questions without privacy and beside the
peers: time and memory. `./dev bench sql --large` adds 10^8 rows of 10^7 users (3 GB of disk). The error of the answers is
sql-error.py's."""

import functools
import os
import sys

from harness import BIN, FOLDER, google_benchmark, main, peer, peak_memory, row, rows_wanted

ROWS = FOLDER / "sql" / "visits-10000000.parquet"  # made by `bench sql`
LARGE = "--large" in sys.argv[1:]
PEERS = ("qrlew", "opendp-polars", "pipeline-dp", "diffprivlib")
WORKS = ("count", "by_city", "quantiles_of_rows", "quantiles_of_users")
NOTES = """Time: milliseconds from a checked question to its bounded, exact integers, with all threads; DuckDB answers the same
question without privacy from the same file, in the same process. `by_city` is COUNT and SUM(income) by city with at
most 3 cities a user and 4 rows a user and city, keys not known; `quantiles` are the three quartiles of age, of
rows or of at most 4 rows a user. Peers are asked once, from the same rows in memory or Parquet.

Memory: the most that a process held, in megabytes, from its start to its last answer; ours for each question in a process of
its own, a peer's for all that it can do. `--large` asks the same of 10^8 rows of 10^7 users."""


def ours():
    measured = google_benchmark("sql", min_time=1)
    return {name.removesuffix("/real_time"): entry["real_time"] for name, entry in measured.items()}


@functools.cache
def memory(rows):
    """Of each question alone, after the rows were made."""
    environment = {**os.environ, **rows_wanted(rows)}

    def of(work):
        return peak_memory([BIN / "bench", "sql", f"--benchmark_filter=^ours/{work}/", "--benchmark_min_time=0.001"], environment)

    of("count")
    return {f"memory/{rows}/{work}": of(work) for work in WORKS}


@functools.cache
def large():
    rows = 10**8
    found = memory(rows)
    measured = google_benchmark("sql", min_time=0.001, rows=rows)
    return {**found, **{f"{name.removesuffix('/real_time')}/{rows}": entry["real_time"] for name, entry in measured.items()}}


def all_of_ours():
    return {**memory(10**7), **ours(), **(large() if LARGE else {})}


def once(name):
    """Slow peers are measured in the first round only."""
    return functools.cache(lambda: peer(name, "sql_peers.py", "time", ROWS))


def rows(measured):
    ms = measured["ours"]
    peers = {name: values for name, values in measured.items() if name != "ours"}

    def against(ours_name, plain_name, **goal):
        return row(ours_name, "ms", ms[f"ours/{ours_name}"], {"plain": ms[f"plain/{plain_name}"]}, "ours/plain", **goal)

    yield row("count, above plain", "ms", ms["ours/count"] - ms["plain/count"], {}, at_most=20)
    yield against("by_city", "by_city", at_most=10)
    yield against("quantiles_of_rows", "quantiles", at_most=1)
    yield against("quantiles_of_users", "quantiles", at_most=3)
    for work in WORKS:
        for name, values in peers.items():
            if work in values:
                asked = {"at_least": 30} if (work, name) == ("by_city", "qrlew") else {}
                yield row(work, "ms", ms[f"ours/{work}"], {name: values[work]}, f"{name}/ours", **asked)
    for work in WORKS:
        yield row(f"memory, {work}", "MB", ms[f"memory/{10**7}/{work}"], {}, at_most=1000)
    most = max(ms[f"memory/{10**7}/{work}"] for work in WORKS)
    for name, values in peers.items():
        yield row("memory, all", "MB", most, {name: values["memory"]}, f"{name}/ours")
    if LARGE:
        for work, plain in zip(WORKS, ("count", "by_city", "quantiles", "quantiles")):
            yield row(f"{work}, 10^8 rows", "ms", ms[f"ours/{work}/{10**8}"], {"plain": ms[f"plain/{plain}/{10**8}"]},
                      "ours/plain")
            yield row(f"memory, {work}, 10^8 rows", "MB", ms[f"memory/{10**8}/{work}"], {}, at_most=4000)


if __name__ == "__main__":
    main("sql", {"ours": all_of_ours, **{name: once(name) for name in PEERS}}, rows, rounds=3, notes=NOTES)
