"""SmartNoise on PostgreSQL, or Tumult on Spark, in its own environment: scale_peers.py PEER PARQUET [POSTGRES].

Prints the milliseconds of COUNT and SUM(income) by city, the best of two, at epsilon 1 and delta 1e-6. SmartNoise is asked over
the rows in PostgreSQL, where it puts them first, for whoever comes after it."""

import json
import logging
import pathlib
import sys
import time

EPSILON, DELTA = 1.0, 1e-6
CITIES, ROWS, TOP = 3, 4, 500_000


def smartnoise(parquet, url):
    import os
    import tempfile

    import duckdb
    import psycopg2
    import snsql

    connection = psycopg2.connect(url)
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE visits (user_id bigint, city text, age bigint, income bigint)")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "visits.csv")
        duckdb.sql(f"COPY (SELECT user_id, city, age, CAST(income AS BIGINT) FROM '{parquet}') TO '{file}' (HEADER false)")
        with open(file) as rows:
            cursor.copy_expert("COPY visits FROM STDIN (FORMAT csv)", rows)
    cursor.execute("GRANT SELECT ON visits TO reader")
    cursor.execute("ANALYZE visits")
    columns = {"user_id": {"type": "int", "private_id": True}, "city": {"type": "string"},
               "income": {"type": "int", "lower": 0, "upper": TOP}}
    metadata = {"": {"public": {"visits": {"max_ids": CITIES * ROWS, "censor_dims": True, "clamp_counts": False, **columns}}}}
    reader = snsql.from_connection(connection, privacy=snsql.Privacy(epsilon=EPSILON, delta=DELTA), metadata=metadata)
    return lambda: reader.execute("SELECT city, COUNT(*) AS n, SUM(income) AS s FROM public.visits GROUP BY city")


def tumult(parquet):
    import os

    os.environ["PYSPARK_PYTHON"] = sys.executable  # its workers are to be of this environment
    from pyspark.sql import SparkSession
    from tmlt.analytics import (AddRowsWithID, ApproxDPBudget, KeySet, MaxGroupsPerID, MaxRowsPerGroupPerID, QueryBuilder,
                                Session)

    spark = SparkSession.builder.master("local[*]").config("spark.driver.memory", "6g").config("spark.ui.enabled", "false")
    spark = spark.config("spark.sql.warehouse.dir", str(pathlib.Path(parquet).resolve().parent / "spark-warehouse"))
    spark = spark.config("spark.sql.shuffle.partitions", "8").config("spark.log.level", "ERROR").getOrCreate()
    frame = spark.read.parquet(str(parquet)).selectExpr("user_id", "city", "CAST(income AS BIGINT) AS income")
    cities = KeySet.from_dict({"city": [f"city{i:04d}" for i in range(1, 1001)]})
    bounded = QueryBuilder("visits").enforce(MaxGroupsPerID("city", CITIES)).enforce(MaxRowsPerGroupPerID("city", ROWS))

    def by_city():
        session = Session.from_dataframe(ApproxDPBudget(EPSILON, DELTA), "visits", frame, AddRowsWithID("user_id"))
        half = ApproxDPBudget(EPSILON / 2, DELTA / 2)
        counts = session.evaluate(bounded.groupby(cities).count("n"), half).collect()
        return counts, session.evaluate(bounded.groupby(cities).sum("income", 0, TOP, "s"), half).collect()

    return by_city


def main():
    logging.disable(logging.WARNING)
    answer = {"smartnoise": smartnoise, "tumult": tumult}[sys.argv[1]](*sys.argv[2:])
    best = None
    for _ in range(2):
        start = time.perf_counter()
        answer()
        taken = (time.perf_counter() - start) * 1000
        best = taken if best is None else min(best, taken)
    json.dump({"by_city": best}, sys.stdout)


main()
