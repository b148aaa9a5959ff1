"""Nine of TPC-H's questions on a PostgreSQL with customers as units, beside the same text without privacy."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
import urllib.parse

from harness import google_benchmark, main, row

QUESTIONS = ["Q1", "Q3", "Q4", "Q5", "Q6", "Q10", "Q12", "Q13", "Q14"]
PROGRAMS = "/usr/lib/postgresql/15/bin/"

NOTES = """The tables of sql-joins (50,000 customers, 500,000 orders, 2,000,000 lines) in a PostgreSQL 15 of the benchmark's own, on the
same machine, reached by a socket, with its settings as installed but for shared_buffers = 256MB and fsync = off. Milliseconds from a checked
question to its bounded, exact integers: rows come by COPY and are bounded or counted here, and where nothing is cut the server adds up; the peer is the server's own answer to the same text."""


@contextlib.contextmanager
def server():
    """A server that ends with the block; yields a function from a role to its URL."""
    folder = tempfile.mkdtemp(prefix="dpg-")
    user = {}
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        user = {"user": "postgres"}
    data = folder + "/data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
    initdb = [PROGRAMS + "initdb", "-D", data, "-U", "dp", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
    subprocess.run(initdb, check=True, **quiet)
    settings = ["listen_addresses=", "fsync=off", "shared_buffers=256MB"]
    words = [word for setting in settings for word in ("-c", setting)]
    process = subprocess.Popen([PROGRAMS + "postgres", "-D", data, "-k", folder, *words], **quiet)
    try:
        psql = [PROGRAMS + "psql", "-h", folder, "-U", "dp", "postgres", "-qc", "CREATE ROLE reader LOGIN"]
        for _ in range(300):
            if subprocess.run(psql, **quiet).returncode == 0:
                break
            time.sleep(0.1)
        host = urllib.parse.quote(folder, safe="")
        yield lambda role: f"postgres://{role}@/postgres?host={host}"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def ours():
    with server() as url:
        os.environ["DISCREET_BENCH_POSTGRES"] = url("reader")
        os.environ["DISCREET_BENCH_POSTGRES_OWNER"] = url("dp")
        os.environ.setdefault("DISCREET_BENCH_DATA", tempfile.mkdtemp(prefix="dpg-data-"))
        os.chmod(os.environ["DISCREET_BENCH_DATA"], 0o755)  # the server reads the files
        measured = google_benchmark("bench_sql-joins-postgres", min_time=0.5)
    return {name.removesuffix("/real_time"): entry["real_time"] for name, entry in measured.items()}


def rows(measured):
    values = measured["ours"]
    for name in QUESTIONS:
        yield row(name, "ms", values[f"ours/{name}"], {"plain": values[f"plain/{name}"]}, "ours/plain", at_most=2)


main("sql-joins-postgres", {"ours": ours}, rows, rounds=1, notes=NOTES)
