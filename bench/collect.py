"""Reports a second through the collector over HTTP on loopback, each acknowledged when it is on disk."""

from harness import google_benchmark, main, row

NOTES = """Four clients on loopback send batches of reports (k-ary response, 17 bytes each) over kept connections and wait
for each acknowledgement, which comes after fdatasync; clients and collector share the machine. The server checks every
report, removes duplicates by its 128-bit id and adds it to the aggregate. "One by one" is a request for each report.
Restart reads and checks a log of a million reports."""


def ours():
    found = google_benchmark("collect", min_time=0.1)
    by = {name.split("/")[0]: entry for name, entry in found.items()}
    return {"1000": by["batches of 1000"]["reports"], "10000": by["batches of 10000"]["reports"],
            "1": by["one by one"]["reports"], "restart": by["restart"]["seconds"]}


def rows(measured):
    m = measured["ours"]
    yield row("reports in batches of 1,000", "a second", m["1000"], {}, at_least=200_000)
    yield row("reports in batches of 10,000", "a second", m["10000"], {}, at_least=200_000)
    yield row("reports one by one", "a second", m["1"], {})
    yield row("restart with 10^6 reports", "s", m["restart"], {})


main("collect", {"ours": ours}, rows, rounds=3, notes=NOTES)
