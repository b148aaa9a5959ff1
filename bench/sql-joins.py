"""Nine of TPC-H's questions with customers as units, beside the same text without privacy."""

from harness import google_benchmark, main, row

QUESTIONS = ["Q1", "Q3", "Q4", "Q5", "Q6", "Q10", "Q12", "Q13", "Q14"]

NOTES = """TPC-H-shaped data of our own generator (50,000 customers, 500,000 orders, 2,000,000 lines), customers as units, the
policy's bounds (src/sql/tpch_for_tests.h has the texts and the policy). Milliseconds from a checked question to its bounded,
exact integers, with all threads; DuckDB answers the same text without privacy from a copy of the same file, in the same
process. `error` is the median over groups of (what the bounds cut off + what half of the noise stays within) at epsilon 1,
relative to the true answer, of the question's first number."""


def ours():
    measured = google_benchmark("bench_sql-joins", min_time=0.5)
    values = {}
    for name, entry in measured.items():
        name = name.removesuffix("/real_time")
        values[name] = entry["real_time"]
        if "error" in entry:
            values[f"error/{name.removeprefix('ours/')}"] = 100 * entry["error"]
    return values


def rows(measured):
    values = measured["ours"]
    for name in QUESTIONS:
        yield row(name, "ms", values[f"ours/{name}"], {"plain": values[f"plain/{name}"]}, "ours/plain", at_most=3)
    for name in QUESTIONS:
        yield row(f"{name} error", "%", values[f"error/{name}"], {})


main("sql-joins", {"ours": ours}, rows, rounds=3, notes=NOTES)
