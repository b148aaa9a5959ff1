"""Nine of TPC-H's questions with customers as units, beside the same text without privacy."""

import functools

from harness import FOLDER, google_benchmark, main, peer, row

QUESTIONS = ["Q1", "Q3", "Q4", "Q5", "Q6", "Q10", "Q12", "Q13", "Q14"]

NOTES = """TPC-H-shaped data of our own generator (50,000 customers, 500,000 orders, 2,000,000 lines), customers as units, the
policy's bounds (src/sql/tpch_for_tests.h has the texts and the policy). Milliseconds from a checked question to its bounded,
exact integers, with all threads; DuckDB answers the same text without privacy from a copy of the same file, in the same
process. `error` is the median over groups of (what the bounds cut off + what half of the noise stays within) at epsilon 1,
relative to the true answer, of the question's first number.

Qrlew is given the same ranges, values, keys and bounds, and the questions in words that it knows (bench/sql_joins_peers.py); its time is
from the text to the answer of DuckDB, the best of five; its error the median over groups and five draws of what its answers are off. It
has no row where it cannot rewrite a question."""
DATA = FOLDER / "sql-joins/50000/plain.duckdb"  # made by `bench sql-joins`
DRAWS = 5


def ours():
    measured = google_benchmark("sql-joins", min_time=0.5)
    values = {}
    for name, entry in measured.items():
        name = name.removesuffix("/process_time/real_time")
        values[name] = entry["real_time"]
        if "error" in entry:
            values[f"error/{name.removeprefix('ours/')}"] = 100 * entry["error"]
    return values


@functools.cache
def qrlew():
    return peer("qrlew", "sql_joins_peers.py", DATA, DRAWS)


def rows(measured):
    values, theirs = measured["ours"], measured["qrlew"]
    for name in QUESTIONS:
        yield row(name, "ms", values[f"ours/{name}"], {"plain": values[f"plain/{name}"]}, "ours/plain", at_most=3)
    for name in QUESTIONS:
        if name in theirs:
            yield row(name, "ms", values[f"ours/{name}"], {"qrlew": theirs[name]}, "ours/qrlew")
    for name in QUESTIONS:
        beside = {"qrlew": theirs[f"error/{name}"]} if name in theirs else {}
        yield row(f"{name} error", "%", values[f"error/{name}"], beside, "ours/qrlew" if beside else None)


main("sql-joins", {"ours": ours, "qrlew": qrlew}, rows, rounds=3, notes=NOTES)
