"""Nine of TPC-H's questions on a PostgreSQL with customers as units, beside the same text without privacy."""

import os
import tempfile

from harness import google_benchmark, main, row
from postgres_server import server

QUESTIONS = ["Q1", "Q3", "Q4", "Q5", "Q6", "Q10", "Q12", "Q13", "Q14"]

NOTES = """The tables of sql-joins (50,000 customers, 500,000 orders, 2,000,000 lines) in a PostgreSQL 15 of the benchmark's own, on the
same machine, reached by a socket, with its settings as installed but for shared_buffers = 256MB and fsync = off. Milliseconds from a checked
question to its bounded, exact integers: rows come by COPY and are bounded or counted here, and where nothing is cut the server adds up; the peer is the server's own answer to the same text."""


def ours():
    with server() as url, tempfile.TemporaryDirectory(prefix="dpg-data-") as folder:
        os.chmod(folder, 0o755)  # the server reads the files
        measured = google_benchmark("sql-joins-postgres", min_time=0.5, DISCREET_BENCH_FOLDER=folder,
                                    DISCREET_BENCH_POSTGRES=url("reader"), DISCREET_BENCH_POSTGRES_OWNER=url("dp"))
    return {name.removesuffix("/real_time"): entry["real_time"] for name, entry in measured.items()}


def rows(measured):
    values = measured["ours"]
    for name in QUESTIONS:
        yield row(name, "ms", values[f"ours/{name}"], {"plain": values[f"plain/{name}"]}, "ours/plain", at_most=2)


main("sql-joins-postgres", {"ours": ours}, rows, rounds=1, notes=NOTES)
