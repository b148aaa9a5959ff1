"""A cached grouped answer of 1,000 rows through psycopg and pgJDBC, beside the same rows from PostgreSQL itself; and Python's
session and noise, beside the same in C++.

Both servers run on loopback, and both are asked by the same client process in turns."""


import sys

from harness import BIN, ROOT, SMALLEST, LeftOut, NotMeasured, google_benchmark, left_out, main, peer, row

sys.path.insert(0, str(ROOT / "tests/clients"))
from house import Clinic  # noqa: E402

NOTES = """The time of one question and its rows, seen by the client: the median of 200 after 50 to warm up. Ours is a grouped
count of 1,000 groups that was answered before; PostgreSQL's are the same rows in a table, sorted. psycopg 3 with
prepared statements, in text and in binary; pgJDBC in its default mode. Scripts: `bench/clients_peers.py`.

`session.query` in Python against `Session::ask` in C++: a count over 3,000 rows, the median of 300, each a new question (charged,
on disk) or the same one again. Noise is discrete Laplace added to 10^7 values where they lie, CPU time: a numpy array against an array
of C++, by the same call; and, to be read, against the bare sampler, which fills an array and adds nothing. Scripts:
`bench/clients_python.py`."""


def served():
    if not SMALLEST:
        return peer("postgresql", "clients_peers.py", "ours")
    left_out("pgJDBC", "only the full run installs it")
    return NotMeasured(peer("clients", "clients_peers.py", "ours"))  # the environment of the tests


def postgresql():
    return peer("postgresql", "clients_peers.py", "postgresql")


def in_python():
    if SMALLEST and not (ROOT / "build/python/discreet").exists():
        raise LeftOut("Python's module is not built")
    return peer("python", "clients_python.py")


def in_cpp():
    clinic = Clinic(BIN / "discreet")
    entries = google_benchmark("clients", 0.5, only="." if SMALLEST else "question|noise|sampler",
                               DISCREET_CLINIC=str(clinic.path))
    clinic.folder.cleanup()
    found = {name.split("/iterations")[0]: entry for name, entry in entries.items()}
    return {"new": found["question/1"]["median_ms"], "again": found["question/0"]["median_ms"],
            **{f"{name} {scale}": found[f"{name}/{scale}"]["cpu_time"] for name in ("noise", "sampler") for scale in (1, 10, 1000)}}


def rows(m):
    for work, name in (("psycopg, text", "text"), ("psycopg, binary", "binary"), ("pgJDBC", "jdbc")):
        yield row(f"{work}, 1,000 rows", "ms", m["ours"][name], {"postgresql": m["postgresql"][name]},
                  "ours/postgresql", at_most=1.5)
    python, cpp = m["python"], m["c++"]
    for work, name in (("a new question", "new"), ("asked again", "again")):
        yield row(f"session.query, {work}", "ms", python[name], {"c++": cpp[name]}, "ours/c++")
        yield row(f"session.query, {work}, above C++", "ms", python[name] - cpp[name], {}, at_most=5)
    for scale in (1, 10, 1000):
        name = f"noise {scale}"
        yield row(f"noise on 10^7 numpy values, scale {scale}", "ms", python[name],
                  {"c++": cpp[name], "sampler": cpp[f"sampler {scale}"]}, "ours/c++", at_most=1.2)


if __name__ == "__main__":
    main("clients", {"ours": served, "postgresql": postgresql, "python": in_python, "c++": in_cpp}, rows, rounds=3,
         notes=NOTES, ours=("ours", "python", "c++"))
