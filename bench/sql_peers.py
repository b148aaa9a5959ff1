"""One peer's answers over visits(user_id, city, age, income), in its own environment:
sql_peers.py PEER MODE PARQUET [TABLES QUANTILES].

`time` prints milliseconds for each work that the peer can do, and the most megabytes that it held; `error` prints the released
table of each question TABLES times, and quantiles QUANTILES times, at epsilon 1 and delta 1e-6 each. Users count in at most 3 cities, with 4 rows in each; quantiles are those of
age in one city."""

import json
import resource
import sys
import time

EPSILON, DELTA = 1.0, 1e-6
CITIES, ROWS, TOP = 3, 4, 500_000
FRACTIONS = {"quartiles": (0.25, 0.5, 0.75), "median": (0.5,)}
QUARTILES = FRACTIONS["quartiles"]
CITY = "city0050"


def opendp(parquet):
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    lf = pl.scan_parquet(parquet).with_columns(pl.col("income").cast(pl.Int64))
    n = lf.select(pl.len()).collect().item()
    margins = [dp.polars.Margin(by=["city"], max_length=n), dp.polars.Margin(by=[], max_length=n)]

    def context(unit, delta):
        return dp.Context.compositor(data=lf, privacy_unit=unit, split_evenly_over=1, margins=margins,
                                     privacy_loss=dp.loss_of(epsilon=EPSILON, delta=delta) if delta else
                                     dp.loss_of(epsilon=EPSILON))

    user = dp.unit_of(contributions=1, identifier=pl.col("user_id"))
    income = pl.col("income").fill_null(0)

    def by_city(*values):
        # keep="sample", the default, fails on a single column in this version; it keeps one group fewer than asked.
        query = context(user, DELTA).query().truncate_per_group(ROWS, by=["city"])
        query = query.truncate_num_groups(CITIES, by=["city"], keep="first").group_by("city")
        frame = query.agg(*values).release().collect()
        return {row[0]: list(row[1:]) for row in frame.rows()}

    def quantiles(context_query, fractions=QUARTILES):
        age = pl.col("age").fill_null(0)
        values = [age.dp.quantile(q, candidates=list(range(121))).alias(str(q)) for q in fractions]
        return list(context_query.select(*values).release().collect().rows()[0])

    def of_a_city(fractions):
        query = context(user, None).query().filter(pl.col("city") == CITY).truncate_per_group(ROWS)
        return quantiles(query, fractions)

    count, total, mean = dp.len(), income.dp.sum((0, TOP)), income.dp.mean((0, TOP))
    row_unit = dp.unit_of(contributions=1)
    return {
        "count": lambda: context(row_unit, None).query().select(dp.len()).release().collect().item(),
        "by_city": lambda: by_city(count, total),
        "quantiles_of_rows": lambda: quantiles(context(row_unit, None).query()),
        "quantiles_of_users": lambda: quantiles(context(user, None).query().truncate_per_group(ROWS)),
        "error/count": lambda: {city: row[0] for city, row in by_city(count).items()},
        "error/sum": lambda: {city: row[1] for city, row in by_city(count, total).items()},
        "error/mean": lambda: {city: row[1] for city, row in by_city(count, mean).items()},
        **{f"quantile-error/{work}": lambda some=some: of_a_city(some) for work, some in FRACTIONS.items()},
    }


def qrlew(parquet):
    import duckdb
    import pyqrlew
    import sqlalchemy

    schema = sqlalchemy.create_engine("sqlite://")
    with schema.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE visits(user_id integer, city text, age integer, income float)"))
    dataset = pyqrlew.Dataset.from_database("bench", schema).with_range(None, "visits", "income", 0, TOP)
    database = duckdb.connect()
    database.execute(f"CREATE TABLE visits AS FROM '{parquet}'")

    def by_city():
        question = dataset.relation("SELECT city, COUNT(*) AS n, SUM(income) AS s FROM visits GROUP BY city")
        private = question.rewrite_with_differential_privacy(
            dataset, [("visits", [], "user_id")], {"epsilon": EPSILON, "delta": DELTA},
            max_multiplicity=CITIES * ROWS, max_privacy_unit_groups=CITIES)
        return database.execute(private.relation().to_query()).fetchall()

    return {"by_city": by_city}


def pipeline_dp(parquet):
    import duckdb
    import pipeline_dp

    rows = duckdb.sql(f"SELECT user_id, city, income, age FROM '{parquet}'").fetchall()

    def aggregate(metrics, value=lambda row: row[2], top=TOP, by=lambda row: row[1], public=None, cities=CITIES,
                  rows=rows):
        accountant = pipeline_dp.NaiveBudgetAccountant(EPSILON, DELTA)
        engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
        parameters = pipeline_dp.AggregateParams(
            metrics=metrics, max_partitions_contributed=cities, max_contributions_per_partition=ROWS,
            min_value=0, max_value=top, noise_kind=pipeline_dp.NoiseKind.LAPLACE)
        extractors = pipeline_dp.DataExtractors(privacy_id_extractor=lambda row: row[0], partition_extractor=by,
                                                value_extractor=value)
        result = engine.aggregate(rows, parameters, extractors, public_partitions=public)
        accountant.compute_budgets()
        return {key: list(values) for key, values in result}

    metric = pipeline_dp.Metrics

    def first(metrics):
        return {city: values[0] for city, values in aggregate(metrics).items()}

    of_city = [row for row in rows if row[1] == CITY]

    def quantiles(fractions):
        found = aggregate([metric.PERCENTILE(int(100 * q)) for q in fractions], value=lambda row: row[3], top=120,
                          by=lambda row: 0, public=[0], cities=1, rows=of_city)
        return found[0]

    return {
        "by_city": lambda: aggregate([metric.COUNT, metric.SUM]),
        "error/count": lambda: first([metric.COUNT]),
        "error/sum": lambda: first([metric.SUM]),
        "error/mean": lambda: first([metric.MEAN]),
        **{f"quantile-error/{work}": lambda some=some: quantiles(some) for work, some in FRACTIONS.items()},
    }


def diffprivlib(parquet):
    import diffprivlib
    import numpy

    # Its environment reads no Parquet.
    ages = numpy.fromfile(parquet.replace("visits-", "ages-").replace(".parquet", ".csv"), sep="\n")
    return {"quantiles_of_rows": lambda: diffprivlib.tools.quantile(ages, list(QUARTILES), epsilon=EPSILON, bounds=(0, 120))}


def smartnoise(parquet):
    import duckdb
    import snsql

    frame = duckdb.sql(f"SELECT user_id, city, age, CAST(income AS BIGINT) AS income FROM '{parquet}'").df()
    columns = {"user_id": {"type": "int", "private_id": True}, "city": {"type": "string"},
               "age": {"type": "int", "lower": 0, "upper": 120}, "income": {"type": "int", "lower": 0, "upper": TOP}}
    metadata = {"": {"MySchema": {"visits": {"max_ids": CITIES * ROWS, "rows": len(frame), "censor_dims": True,
                                             "clamp_counts": False, **columns}}}}

    def by_city(value):
        question = f"SELECT city, {value} AS v FROM MySchema.visits GROUP BY city"

        def reader(epsilon):
            return snsql.from_df(frame, privacy=snsql.Privacy(epsilon=epsilon, delta=DELTA), metadata=metadata)

        # Its epsilon is for each released column: give it the one whose whole price is ours.
        share = EPSILON / reader(EPSILON).get_privacy_cost(question)[0]
        return dict(reader(EPSILON * share).execute(question)[1:])

    return {
        "error/count": lambda: by_city("COUNT(*)"),
        "error/sum": lambda: by_city("SUM(income)"),
        "error/mean": lambda: by_city("AVG(income)"),
    }


def main():
    peer, mode, parquet = sys.argv[1:4]
    tables, single = (int(argument) for argument in sys.argv[4:6]) if mode == "error" else (0, 0)
    works = {"opendp-polars": opendp, "qrlew": qrlew, "pipeline-dp": pipeline_dp, "smartnoise": smartnoise,
             "diffprivlib": diffprivlib}[peer](parquet)
    found = {}
    for work, answer in works.items():
        draws = {"": 1, "error": tables, "quantile-error": single}[work.rpartition("/")[0]]
        if ("/" in work) != (mode == "error") or draws == 0:
            continue
        start = time.perf_counter()
        try:
            values = [answer() for _ in range(draws)]
        except Exception as refusal:  # a peer that refuses a question has no row in the table
            print(f"{peer}, {work}: {refusal}", file=sys.stderr)
            continue
        found[work.rpartition("/")[2]] = values if mode == "error" else 1000 * (time.perf_counter() - start)
    if mode == "time":
        found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump(found, sys.stdout)


main()
