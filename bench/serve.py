"""The server for many analysts under the load of 1,000 connections on loopback."""

from harness import google_benchmark, main, row

NOTES = """1,000 analysts, each with a login, a cap and a connection, asking about once in 1.3 s for 20 s (DISCREET_SERVE_SECONDS=150 makes
10^5 requests): three in four are questions that were answered before, one in four a budget page, one in 200 a new
question, which is answered at a tick. Clients, server and DuckDB share the machine. Memory is the server's, after a
quarter of the time and at the end."""


def ours():
    entry = next(iter(google_benchmark("serve", min_time=0.1).values()))
    return {name: value for name, value in entry.items() if isinstance(value, (int, float))}


def rows(measured):
    m = measured["ours"]
    yield row("p99 of cached answers", "ms", m["cached"], {}, at_most=20)
    yield row("p99 of budget pages", "ms", m["budget"], {}, at_most=50)
    yield row("p99 of new questions", "ms", m["fresh"], {})
    yield row("requests that failed", "", m["failures"], {}, at_most=0)
    yield row("analysts who were charged wrongly", "", m["wrong"], {}, at_most=0)
    yield row("requests", "", m["requests"], {})
    yield row("memory at the end", "MB", m["late"], {"early": m["early"]}, "ours/early", at_most=1.2)


main("serve", {"ours": ours}, rows, rounds=1, notes=NOTES)
