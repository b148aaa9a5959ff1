"""Questions over 10^7 rows of 10^6 users in 1,000 cities, beside the same questions without privacy."""

from harness import google_benchmark, main, row

NOTES = """Milliseconds from a checked question to its bounded, exact integers, with all threads; DuckDB answers the same
question without privacy from the same file, in the same process. `by_city` is COUNT and SUM(income) by city with at
most 3 cities a user and 4 rows a user and city, keys not known; `quantiles` are the three quartiles of age, of
rows or of at most 4 rows a user."""


def ours():
    measured = google_benchmark("bench_sql", min_time=1)
    return {name.removesuffix("/real_time"): entry["real_time"] for name, entry in measured.items()}


def rows(measured):
    ms = measured["ours"]

    def against(ours_name, plain_name, **goal):
        return row(ours_name, "ms", ms[f"ours/{ours_name}"], {"plain": ms[f"plain/{plain_name}"]}, "ours/plain", **goal)

    yield row("count, above plain", "ms", ms["ours/count"] - ms["plain/count"], {}, at_most=20)
    yield against("by_city", "by_city", at_most=10)
    yield against("quantiles_of_rows", "quantiles", at_most=1)
    yield against("quantiles_of_users", "quantiles", at_most=3)


main("sql", {"ours": ours}, rows, rounds=5, notes=NOTES)
