"""clients_python.py python: milliseconds of session.query and of noise on 10^7 numpy values, and of both in C++, as JSON.

Each side has a clinic of its own, and they take turns."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build/python"), str(ROOT / "tests/clients")]
sys.dont_write_bytecode = True

import numpy  # noqa: E402

import discreet  # noqa: E402
from house import Clinic  # noqa: E402

VALUES = 10**7


def questions(clinic, is_new):
    places = {name: clinic.path / name for name in ("ledger", "key", "witness")}
    took = []
    with discreet.connect(clinic.path / "policy.yaml", **places) as session:
        for i in range(300):
            sql = f"SELECT COUNT(*) AS n FROM visits WHERE cost < {100 + i if is_new else 99}"
            start = time.perf_counter()
            session.query(sql, epsilon="0.01")
            took.append(1000 * (time.perf_counter() - start))
    return statistics.median(took)


def noise(scale):
    values = numpy.zeros(VALUES, numpy.int64)
    took = []
    for _ in range(21):
        start = time.process_time()
        discreet.noise.laplace(values, sensitivity=scale, epsilon=1, out=values)
        took.append(1000 * (time.process_time() - start))
    return statistics.mean(took[1:])  # the first makes the table, and touches the pages


def in_cpp():
    with_clinic = Clinic(ROOT / "build/bin/discreet")
    printed = subprocess.run([ROOT / "build/bin/bench", "clients", "--benchmark_filter=question|noise|sampler", "--benchmark_format=json"],
                             env={**os.environ, "DISCREET_CLINIC": str(with_clinic.path)}, check=True, stdout=subprocess.PIPE).stdout
    entries = {entry["name"].split("/iterations")[0]: entry for entry in json.loads(printed)["benchmarks"]}
    with_clinic.folder.cleanup()
    return {"new": entries["question/1"]["median_ms"], "again": entries["question/0"]["median_ms"],
            **{f"{name} {scale}": entries[f"{name}/{scale}"]["cpu_time"] for name in ("noise", "sampler") for scale in (1, 10, 1000)}}


if __name__ == "__main__":
    clinic = Clinic(ROOT / "build/bin/discreet")
    ours = {"new": questions(clinic, True), "again": questions(clinic, False),
            **{f"noise {scale}": noise(scale) for scale in (1, 10, 1000)}}
    clinic.folder.cleanup()
    print(json.dumps({**ours, **{f"{name} in C++": value for name, value in in_cpp().items()}}))
