"""Qrlew's answers to the questions of sql-joins, in its own environment: sql_joins_peers.py qrlew DATABASE DRAWS.

For each question that it can rewrite, prints the milliseconds from the question's text to its answer by DuckDB (rewriting
and running, the best of the draws), and the median over groups and draws of |answer - truth| / |truth| of the first number,
in percent, at epsilon 1 and delta 1e-6. It gets the policy's ranges, values, keys and bounds."""

import datetime
import json
import statistics
import sys
import time

import duckdb
import pyqrlew
import sqlalchemy

DAYS = (8035, 10591)  # 1992 to 1998, since 1970
TYPES = {"BIGINT": "integer", "INTEGER": "integer", "VARCHAR": "text", "DATE": "date"}
RANGES = {
    "customer": {"c_acctbal": (-1000, 10000), "c_nationkey": (0, 24)},
    "orders": {"o_totalprice": (0, 600000), "o_shippriority": (0, 1), "o_orderdate": DAYS},
    "lineitem": {"l_shipdate": DAYS, "l_commitdate": DAYS, "l_receiptdate": DAYS,
                 "l_quantity": (0, 50), "l_extendedprice": (0, 105000), "l_discount": (0, 0.1), "l_tax": (0, 0.08)},
}
VALUES = {
    "customer": {"c_mktsegment": ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"]},
    "orders": {"o_orderpriority": ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]},
    "lineitem": {"l_returnflag": ["A", "N", "R"], "l_linestatus": ["F", "O"],
                 "l_shipmode": ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"]},
    "nation": {"n_name": ["CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM", "GERMANY", "FRANCE"]},
}


def day(text):
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


REVENUE = "lineitem.l_extendedprice * (1 - lineitem.l_discount)"
ORDERED = """customer JOIN orders ON customer.c_custkey = orders.o_custkey
JOIN lineitem ON lineitem.l_orderkey = orders.o_orderkey"""
# The questions of src/sql/tpch_for_tests.h in words that it knows: joins with ON, dates as day numbers, no INTERVAL, no EXISTS.
# With each the most rows and groups of a customer.
QUESTIONS = {
    "Q1": (420, 7, f"""SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base_price,
SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price, SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
AVG(l_quantity) AS avg_qty, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
FROM lineitem WHERE l_shipdate <= {day('1998-09-02')} GROUP BY l_returnflag, l_linestatus"""),
    "Q3": (60, 1, f"""SELECT SUM({REVENUE}) AS revenue FROM {ORDERED} WHERE customer.c_mktsegment = 'BUILDING'
AND orders.o_orderdate < {day('1995-03-15')} AND lineitem.l_shipdate > {day('1995-03-15')}"""),
    "Q4": (100, 5, f"""SELECT orders.o_orderpriority AS o_orderpriority, COUNT(*) AS order_count FROM orders
JOIN (SELECT l_orderkey, COUNT(*) AS n FROM lineitem WHERE l_commitdate < l_receiptdate GROUP BY l_orderkey) AS late
ON late.l_orderkey = orders.o_orderkey
WHERE orders.o_orderdate >= {day('1993-07-01')} AND orders.o_orderdate < {day('1993-10-01')}
GROUP BY orders.o_orderpriority"""),
    "Q5": (420, 7, f"""SELECT nation.n_name AS n_name, SUM({REVENUE}) AS revenue FROM {ORDERED}
JOIN supplier ON lineitem.l_suppkey = supplier.s_suppkey JOIN nation ON supplier.s_nationkey = nation.n_nationkey
JOIN region ON nation.n_regionkey = region.r_regionkey
WHERE customer.c_nationkey = supplier.s_nationkey AND region.r_name = 'ASIA'
AND orders.o_orderdate >= {day('1994-01-01')} AND orders.o_orderdate < {day('1995-01-01')} GROUP BY nation.n_name"""),
    "Q6": (60, 1, f"""SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= {day('1994-01-01')} AND l_shipdate < {day('1995-01-01')}
AND l_discount >= 0.05 AND l_discount <= 0.07 AND l_quantity < 24"""),
    "Q10": (420, 7, f"""SELECT nation.n_name AS n_name, SUM({REVENUE}) AS revenue FROM {ORDERED}
JOIN nation ON customer.c_nationkey = nation.n_nationkey
WHERE orders.o_orderdate >= {day('1993-10-01')} AND orders.o_orderdate < {day('1994-01-01')}
AND lineitem.l_returnflag = 'R' GROUP BY nation.n_name"""),
    "Q12": (420, 7, f"""SELECT lineitem.l_shipmode AS l_shipmode,
SUM(CASE WHEN orders.o_orderpriority = '1-URGENT' OR orders.o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
SUM(CASE WHEN orders.o_orderpriority <> '1-URGENT' AND orders.o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders JOIN lineitem ON orders.o_orderkey = lineitem.l_orderkey
WHERE lineitem.l_shipmode IN ('MAIL', 'SHIP') AND lineitem.l_commitdate < lineitem.l_receiptdate
AND lineitem.l_shipdate < lineitem.l_commitdate AND lineitem.l_receiptdate >= {day('1994-01-01')}
AND lineitem.l_receiptdate < {day('1995-01-01')} GROUP BY lineitem.l_shipmode"""),
    "Q13": (1, 1, """SELECT c_count, COUNT(*) AS custdist FROM (SELECT customer.c_custkey AS c_custkey,
COUNT(orders.o_orderkey) AS c_count FROM customer LEFT OUTER JOIN orders
ON customer.c_custkey = orders.o_custkey AND orders.o_comment NOT LIKE '%special%requests%'
GROUP BY customer.c_custkey) AS c_orders GROUP BY c_count"""),
    "Q14": (60, 1, f"""SELECT 100.00 * SUM(CASE WHEN part.p_type LIKE 'PROMO%' THEN {REVENUE} ELSE 0 END) / SUM({REVENUE})
AS promo_revenue FROM lineitem JOIN part ON lineitem.l_partkey = part.p_partkey
WHERE lineitem.l_shipdate >= {day('1995-09-01')} AND lineitem.l_shipdate < {day('1995-10-01')}"""),
}
UNIT = [("customer", [], "c_custkey"), ("orders", [], "o_custkey"),
        ("lineitem", [("l_orderkey", "orders", "o_orderkey")], "o_custkey")]


def dataset(database):
    schema = sqlalchemy.create_engine("sqlite://")
    with schema.begin() as connection:
        for table, in database.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall():
            columns = database.execute(f"DESCRIBE {table}").fetchall()
            listed = ", ".join(f"{name} {TYPES.get(kind, 'float')}" for name, kind, *_ in columns)
            connection.execute(sqlalchemy.text(f"CREATE TABLE {table} ({listed})"))
    made = sized(pyqrlew.Dataset.from_database("shop", schema), database)
    for table, columns in RANGES.items():
        for column, (low, high) in columns.items():
            made = made.with_range(None, table, column, low, high)
    for table, columns in VALUES.items():
        for column, values in columns.items():
            made = made.with_possible_values(None, table, column, values)
    for table, column in (("customer", "c_custkey"), ("orders", "o_orderkey")):
        made = made.with_constraint(None, table, column, made.CONSTRAINT_UNIQUE)
    return made


def sized(made, database):
    """It caps multiplicities by a share of the tables' sizes, which it reads from the database that has the schema: an empty one."""
    described = json.loads(str(made).split("Dataset: ", 1)[1].split("\n", 1)[0])
    size = json.loads(made.size)
    for field in size["statistics"]["union"]["fields"]:
        rows, = database.execute(f"SELECT count(*) FROM {field['name']}").fetchone()
        field["statistics"]["struct"]["size"] = str(rows)
    return pyqrlew.Dataset.from_str(json.dumps(described), made.schema, json.dumps(size))


def first_numbers(rows, keys):
    """{key: first number} of a result whose first columns are the keys."""
    return {row[:keys]: row[keys] for row in rows}


def measure(database, data, name, draws):
    """The least milliseconds of a question, and its error."""
    multiplicity, groups, text = QUESTIONS[name]
    keys = {"Q1": 2, "Q3": 0, "Q6": 0, "Q14": 0}.get(name, 1)
    truth = first_numbers(database.execute(text).fetchall(), keys)
    times, errors = [], []
    for _ in range(draws):
        start = time.perf_counter()
        private = data.relation(text).rewrite_with_differential_privacy(
            data, UNIT, {"epsilon": 1.0, "delta": 1e-6}, max_multiplicity=multiplicity, max_multiplicity_share=1.0,
            max_privacy_unit_groups=groups)
        rows = database.execute(private.relation().to_query()).fetchall()
        times.append(1000 * (time.perf_counter() - start))
        answer = first_numbers(rows, keys)
        errors += [float(abs(answer[key] - value) / abs(value)) for key, value in truth.items()
                   if value and answer.get(key) is not None]
    if not errors:
        raise ValueError("no group was released")
    return min(times), 100 * statistics.median(errors)


def main():
    _, path, draws = sys.argv[1:4]
    database = duckdb.connect()
    database.execute(f"ATTACH '{path}' AS shop (READ_ONLY)")
    for table, in database.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        described = database.execute(f"DESCRIBE shop.{table}").fetchall()
        columns = [f"CAST({name} - DATE '1970-01-01' AS BIGINT) AS {name}" if kind == "DATE" else
                   f"CAST({name} AS DOUBLE) AS {name}" if kind.startswith("DECIMAL") else name for name, kind, *_ in described]
        database.execute(f"CREATE VIEW {table} AS SELECT {', '.join(columns)} FROM shop.{table}")
    data = dataset(database)
    found = {}
    for name in QUESTIONS:
        try:
            found[name], found[f"error/{name}"] = measure(database, data, name, int(draws))
        except KeyboardInterrupt:
            raise
        except BaseException as refusal:  # also Rust's panics: a question that it cannot answer has no row
            print(f"qrlew, {name}: {str(refusal)[:300]}", file=sys.stderr)
    json.dump(found, sys.stdout)


main()
