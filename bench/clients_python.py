"""clients_python.py python: milliseconds of session.query and of noise on 10^7 numpy values, as JSON."""

import json
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build/python"), str(ROOT / "tests/clients")]
sys.dont_write_bytecode = True

import numpy  # noqa: E402

import discreet  # noqa: E402
from house import Clinic  # noqa: E402

QUESTIONS, VALUES, FILLS = (3, 1000, 1) if "DISCREET_BENCH_SMALLEST" in os.environ else (300, 10**7, 20)


def questions(clinic, is_new):
    places = {name: clinic.path / name for name in ("ledger", "key", "witness")}
    took = []
    with discreet.connect(clinic.path / "policy.yaml", **places) as session:
        for i in range(QUESTIONS):
            sql = f"SELECT COUNT(*) AS n FROM visits WHERE cost < {100 + i if is_new else 99}"
            start = time.perf_counter()
            session.query(sql, epsilon="0.01")
            took.append(1000 * (time.perf_counter() - start))
    return statistics.median(took)


def noise(scale):
    values = numpy.zeros(VALUES, numpy.int64)
    took = []
    for _ in range(FILLS + 1):
        start = time.process_time()
        discreet.noise.laplace(values, sensitivity=scale, epsilon=1, out=values)
        took.append(1000 * (time.process_time() - start))
    return statistics.mean(took[1:])  # the first makes the table, and touches the pages


if __name__ == "__main__":
    clinic = Clinic(ROOT / "build/bin/discreet")
    ours = {"new": questions(clinic, True), "again": questions(clinic, False),
            **{f"noise {scale}": noise(scale) for scale in (1, 10, 1000)}}
    clinic.folder.cleanup()
    print(json.dumps(ours))
