"""Durable charges of the ledger beside the bare one-row durable commit of its database on the same disk."""

from harness import google_benchmark, main, row

NOTES = """Charges are durable (write-ahead log, synchronous=FULL) before the receipt exists; the witness, in a
file of its own, is synced every 64 charges. "SQLite, bare" is one row of 300 bytes inserted and committed with the
same settings, one after each of ours; 64 clients follow one at once; of many turns the one with the middle ratio counts, since a disk has good and bad moments; "PostgreSQL, bare"
the same through libpq, over a local socket. Opening reads and checks the whole history: hash chain, signatures, caps; verifying does it again and reads every answer. The 10^6 records are half charges, half answers;
memory is what the process holds after both."""


def ours():
    found = google_benchmark("ledger", min_time=0.5)
    one = next(v for k, v in found.items() if k.startswith("one client"))
    many = next(v for k, v in found.items() if k.startswith("64 clients"))
    pg_one = next(v for k, v in found.items() if k.startswith("postgres, one client"))
    pg_many = next(v for k, v in found.items() if k.startswith("postgres, 64 clients"))
    small = next(v for k, v in found.items() if k.startswith("open 10^4"))
    large = next(v for k, v in found.items() if k.startswith("open 10^6"))
    return {"one": one["ours"], "bare": one["bare"], "alone": many["one"], "many": many["many"],
            "pg one": pg_one["ours"], "pg bare": pg_one["bare"], "pg alone": pg_many["one"], "pg many": pg_many["many"],
            "open": large["open"], "verify": large["verify"], "memory": large["memory"],
            "small memory": small["memory"]}


def rows(measured):
    m = measured["ours"]
    yield row("one client, charges", "a second", m["one"], {"bare": m["bare"]}, "ours/bare", at_least=0.8)
    yield row("64 clients, group commit", "a second", m["many"], {"one": m["alone"]}, "ours/one", at_least=10)
    yield row("PostgreSQL, one client", "a second", m["pg one"], {"bare": m["pg bare"]}, "ours/bare", at_least=0.8)
    yield row("PostgreSQL, 64 clients", "a second", m["pg many"], {"one": m["pg alone"]}, "ours/one", at_least=10)
    yield row("open 10^6 records, all checked", "s", m["open"], {}, at_most=5)
    yield row("verify again, with every answer", "s", m["verify"], {})
    yield row("memory after 10^6 records", "MB", m["memory"], {"10^4 records": m["small memory"]},
              "ours/10^4 records", at_most=1.5)


main("ledger", {"ours": ours}, rows, rounds=1, notes=NOTES)
