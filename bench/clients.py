"""A cached grouped answer of 1,000 rows through psycopg and pgJDBC, beside the same rows from PostgreSQL itself.

Both servers run on loopback, and both are asked by the same client process in turns."""


from harness import main, peer, row

NOTES = """The time of one question and its rows, seen by the client: the median of 200 after 50 to warm up. Ours is a grouped
count of 1,000 groups that was answered before; PostgreSQL's are the same rows in a table, sorted. psycopg 3 with
prepared statements, in text and in binary; pgJDBC in its default mode. Scripts: `bench/clients_peers.py`."""


def measured(which):
    return lambda: peer("postgresql", "clients_peers.py", which)


def rows(m):
    for work, name in (("psycopg, text", "text"), ("psycopg, binary", "binary"), ("pgJDBC", "jdbc")):
        yield row(f"{work}, 1,000 rows", "ms", m["ours"][name], {"postgresql": m["postgresql"][name]},
                  "ours/postgresql", at_most=1.5)


if __name__ == "__main__":
    main("clients", {"ours": measured("ours"), "postgresql": measured("postgresql")}, rows, rounds=3, notes=NOTES)
