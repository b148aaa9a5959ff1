"""The tools that people have, against the real server: psql, psycopg 2 and 3, asyncpg, SQLAlchemy, pandas.

    python test_clients.py build/bin/discreet

Epsilon is 20 where a number is compared: the noise of a count is then 0 but with a chance of 5e-9, so that some fifty
numbers together fail a run with a chance below 1e-6.
"""

import asyncio
import datetime
import decimal
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

import asyncpg
import pandas
import psycopg
import psycopg2
import sqlalchemy

from house import House

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "build/bin/discreet"
COUNTS = [("east", 1000), ("north", 1000), ("south", 1000)]
GROUPED = "SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic ORDER BY clinic"
HERE = pathlib.Path(__file__).resolve().parent


def setUpModule():
    global house
    house = House(PROGRAM)
    unittest.addModuleCleanup(house.__exit__)


def psql(*commands, name="ann", options="", expect=0):
    """What psql prints; `commands` are SQL or backslash commands."""
    arguments = [part for command in commands for part in ("-c", command)]
    done = subprocess.run(["psql", "-X", "-At", *arguments], text=True, capture_output=True, timeout=60,
                          env={**os.environ, "PGHOST": "127.0.0.1", "PGPORT": str(house.port), "PGUSER": name,
                               "PGPASSWORD": house.passwords.get(name, "no"), "PGDATABASE": "discreet",
                               "PGOPTIONS": options})
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{commands}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Psql(unittest.TestCase):
    def test_questions(self):
        self.assertIn("east|1000\nnorth|1000\nsouth|1000", psql("SET discreet.epsilon = 20", GROUPED))
        said = psql("SELECT COUNT(*) FROM visits", options="-c discreet.epsilon=20")
        self.assertIn("3000", said)
        self.assertRegex(said, r"NOTICE:  cost epsilon 20 of patients; left: ")
        again = psql("SELECT COUNT(*) FROM visits", options="-c discreet.epsilon=20")
        self.assertIn("so free", again)
        clause = ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 21, privacy_unit_column = patient_id) "
                  "COUNT(*) FROM visits")
        self.assertIn("3000", psql(clause))
        self.assertIn("Price: ", psql("SET discreet.epsilon = 1", "EXPLAIN SELECT COUNT(*) FROM visits"))

    def test_intervals(self):
        said = psql("SET discreet.epsilon = 20", "SELECT clinic, n_low, COUNT(*) AS n, n_high FROM visits "
                    "GROUP BY clinic ORDER BY clinic")
        self.assertRegex(said, r"east\|(999|1000)\|1000\|100[01]\n")
        said = psql("SET discreet.epsilon = 20", "SET discreet.intervals = on", "SELECT COUNT(*) AS n FROM visits")
        self.assertRegex(said, r"3000\|\d+\|\d+")

    def test_backslash_commands(self):
        self.assertIn("public|visits|table|discreet", psql(r"\dt"))
        self.assertIn("public|zips|table|discreet", psql(r"\d"))
        described = psql(r"\d visits")
        for line in ("clinic|text|", "age|bigint|", "cost|numeric|", "day|date|", "at|timestamp without time zone|",
                     "smoker|boolean|"):
            self.assertIn(line, described)
        self.assertIn("values north, south, east", psql(r"\d+ visits"))
        self.assertIn("discreet|", psql(r"\l"))
        self.assertIn("public|discreet", psql(r"\dn"))
        self.assertIn("ann|", psql(r"\du"))
        self.assertNotIn("poor", psql(r"\du"))
        for quiet in (r"\df", r"\di", r"\dv", r"\dx", r"\ds", r"\dT", r"\dp", r"\conninfo", r"\encoding", r"\db",
                      r"\dm", r"\dS pg_class"):
            self.assertNotIn("ERROR", psql(quiet))

    def test_refusals_have_sqlstates(self):
        def state(statement, options="-c discreet.epsilon=1"):
            said = psql(r"\set VERBOSITY verbose", statement, options=options, expect=1)
            return re.search(r"ERROR:  (\w+):", said)[1]

        self.assertEqual(state("SELECT name FROM visits"), "42704")
        self.assertEqual(state("SELECT clinic FROM visits"), "22023")
        self.assertEqual(state("INSERT INTO visits VALUES (1)"), "0A000")
        self.assertEqual(state("COPY visits TO STDOUT"), "0A000")
        self.assertEqual(state("SELEC 1"), "22023")
        self.assertEqual(state("SET lives = 9"), "42704")
        self.assertEqual(state("SET discreet.epsilon = 'much'"), "22023")
        self.assertEqual(state("SET client_encoding = 'LATIN1'"), "22023")
        self.assertEqual(state("SELECT COUNT(*) FROM visits, pg_class"), "0A000")
        self.assertEqual(state("SELECT pg_read_file('/etc/passwd')"), "0A000")
        self.assertEqual(state("SELECT * FROM pg_catalog.read_csv('/etc/passwd')"), "0A000")
        self.assertEqual(state("SAVEPOINT a"), "25P01")
        self.assertIn("SET discreet.epsilon = 0.1", psql("SELECT COUNT(*) FROM visits", expect=1))
        said = psql("SET discreet.epsilon = 2", "SELECT COUNT(*) FROM visits WHERE age > 33", name="poor", expect=1)
        self.assertIn("not enough budget", said)

    def test_transactions(self):
        said = psql("BEGIN; SET discreet.epsilon = 5; SAVEPOINT a; SET discreet.epsilon = 6; ROLLBACK TO a;",
                    "SHOW discreet.epsilon", "ROLLBACK", "SHOW discreet.epsilon")
        self.assertIn("ROLLBACK\n5\nROLLBACK\n\n", said)
        said = psql("BEGIN", "SELECT nonsense", "SELECT 1", "COMMIT", "SELECT 2", expect=None)
        self.assertIn("the transaction has failed", said)
        self.assertTrue(said.split("\n")[2] == "2" or "\n2\n" in said, said)

    def test_logins(self):
        wrong = psql("SELECT 1", name="nobody", expect=2)
        self.assertIn("not this name and password", wrong)
        self.assertIn("your role may not ask questions", psql("SELECT 1", name="audit", expect=2))
        self.assertIn("there is one database here",
                      subprocess.run(["psql", "-X", "-c", "SELECT 1",
                                      f"host=127.0.0.1 port={house.port} user=ann dbname=other "
                                      f"password={house.passwords['ann']}"], text=True, capture_output=True).stderr)


class Psycopg2(unittest.TestCase):
    def test_questions_and_transactions(self):
        connection = psycopg2.connect(**house.login())
        cursor = connection.cursor()
        cursor.execute("SET discreet.epsilon = 20")
        cursor.execute(GROUPED)
        self.assertEqual(cursor.fetchall(), COUNTS)
        self.assertIn("left: ", connection.notices[-1])
        cursor.execute("SELECT COUNT(*) FROM visits WHERE clinic = %s AND age >= %s", ("north", 20))
        self.assertEqual(cursor.fetchone(), (1000,))
        connection.commit()
        with self.assertRaises(psycopg2.errors.UndefinedObject):
            cursor.execute("SELECT COUNT(*) FROM absent")
        with self.assertRaises(psycopg2.errors.InFailedSqlTransaction):
            cursor.execute("SELECT 1")
        connection.rollback()
        cursor.execute("SELECT MAX(day), MAX(at), AVG(cost), SUM(age) FROM visits")
        row = cursor.fetchone()
        self.assertEqual([type(value) for value in row], [datetime.date, datetime.datetime, float, int])
        connection.close()


class Psycopg3(unittest.TestCase):
    def test_text_and_binary_agree(self):
        with psycopg.connect(**house.login()) as connection:
            connection.execute("SET discreet.epsilon = 20")
            question = ("SELECT clinic, smoker, COUNT(*) AS n, SUM(age) AS s, AVG(cost) AS a, a_low, a_high, MAX(day) AS d, "
                        "MAX(at) AS t FROM visits GROUP BY clinic, smoker ORDER BY clinic, smoker")
            texts = connection.execute(question, binary=False).fetchall()
            binaries = connection.execute(question, binary=True).fetchall()
            self.assertEqual(texts, binaries)
            self.assertEqual([type(value) for value in texts[0]],
                             [str, bool, int, int, float, float, float, datetime.date, datetime.datetime])
            for value in (1, 2**40, -5, 1.5, decimal.Decimal("1.25"), "x", True, datetime.date(2024, 1, 2)):
                catalog = connection.execute("SELECT %s", (value,), binary=True).fetchone()[0]
                self.assertEqual(catalog, value)

    def test_parameters_of_every_type(self):
        with psycopg.connect(**house.login()) as connection:
            connection.execute("SET discreet.epsilon = 20")
            one = "SELECT COUNT(*) FROM visits WHERE "
            for condition, value, wanted in (("clinic = %s", "north", 1000), ("age < %s", 50, 1500),
                                             ("cost < %s", 200, 1600), ("cost < %s", decimal.Decimal("200.0"), 1600),
                                             ("day <= %s", datetime.date(2024, 1, 14), 1502),
                                             ("at < %s", datetime.datetime(2024, 3, 1, 10, 30), 1500),
                                             ("smoker = %s", True, 1500), ("cost < %s", 200.5, 1607)):
                for form in ("%s", "%b", "%t"):
                    got = connection.execute(one + condition.replace("%s", form), (value,), prepare=True).fetchone()[0]
                    self.assertEqual(got, wanted, (condition, value, form))
            with self.assertRaises(psycopg.errors.InvalidParameterValue):
                connection.execute(one + "age = %s", (["a"],))
            connection.rollback()
            with self.assertRaises(psycopg.errors.InvalidParameterValue):
                connection.execute(one + "age < %s", ("many",))

    def test_pipelines_and_prepared_statements(self):
        with psycopg.connect(**house.login(), autocommit=True) as connection:
            with connection.pipeline():
                connection.execute("SET discreet.epsilon = 20")
                cursors = [connection.execute(GROUPED, prepare=True) for _ in range(3)]
            self.assertEqual([cursor.fetchall() for cursor in cursors], [COUNTS] * 3)
            connection.execute("DEALLOCATE ALL")

    def test_a_request_id_replays(self):
        spent = house.spent()
        answers = []
        for _ in range(2):
            with psycopg.connect(**house.login(), autocommit=True) as connection:
                connection.execute("SET discreet.epsilon = 0.5; SET discreet.request_id = 'monday-1'")
                answers.append(connection.execute("SELECT COUNT(*) FROM visits WHERE age > 31").fetchall())
                connection.execute("SET discreet.request_id = 'monday-1'")
                with self.assertRaises(psycopg.errors.UniqueViolation):
                    connection.execute("SELECT COUNT(*) FROM visits WHERE age > 32")
        self.assertEqual(answers[0], answers[1])
        self.assertAlmostEqual(house.spent() - spent, 0.5)

    def test_errors_to_solve_for(self):
        with psycopg.connect(**house.login(), autocommit=True) as connection:
            connection.execute("SET discreet.error = '50'")
            row = connection.execute("SELECT COUNT(*) AS n, n_low, n_high FROM visits").fetchone()
            self.assertLessEqual(row[2] - row[1], 101)


class Asyncpg(unittest.TestCase):
    def test_questions(self):
        async def run():
            login = house.login()
            connection = await asyncpg.connect(host=login["host"], port=login["port"], user="ann",
                                               password=login["password"], database="discreet")
            await connection.execute("SET discreet.epsilon = 20")
            rows = await connection.fetch(GROUPED)
            self.assertEqual([tuple(row) for row in rows], COUNTS)
            prepared = await connection.prepare("SELECT COUNT(*) AS n FROM visits WHERE clinic = $1 AND age < $2 AND day > $3 "
                                                "AND cost >= $4 AND smoker = $5")
            self.assertEqual([t.name for t in prepared.get_parameters()], ["text", "int8", "date", "numeric", "bool"])
            self.assertEqual(await prepared.fetchval("north", 80, datetime.date(2020, 1, 2), decimal.Decimal("0"), True), 500)
            async with connection.transaction():
                cursor = await connection.cursor(GROUPED)  # a portal, row by row
                self.assertEqual(tuple(await cursor.fetchrow()), COUNTS[0])
                self.assertEqual([tuple(r) for r in await cursor.fetch(5)], COUNTS[1:])
            async with connection.transaction():
                with self.assertRaises(asyncpg.exceptions.UndefinedObjectError):
                    async with connection.transaction():  # a savepoint
                        await connection.fetch("SELECT COUNT(*) FROM absent")
                self.assertEqual(await connection.fetchval("SELECT 1"), 1)
            with self.assertRaises(asyncpg.exceptions.IndeterminateDatatypeError):
                await connection.fetch("SELECT COUNT(*) FROM visits WHERE $1")
            await connection.close()
            pool = await asyncpg.create_pool(host=login["host"], port=login["port"], user="ann",
                                             password=login["password"], database="discreet", min_size=2, max_size=2)
            self.assertEqual(await pool.fetchval("SELECT current_user"), "ann")
            await pool.close()

        asyncio.run(run())


class SqlAlchemyAndPandas(unittest.TestCase):
    def test_inspection(self):
        for driver in ("psycopg2", "psycopg"):
            engine = sqlalchemy.create_engine(house.url(driver))
            inspector = sqlalchemy.inspect(engine)
            self.assertEqual(sorted(inspector.get_table_names()), ["visits", "zips"])
            self.assertEqual(inspector.get_schema_names(), ["information_schema", "public"])
            self.assertTrue(inspector.has_table("visits"))
            columns = {c["name"]: str(c["type"]) for c in inspector.get_columns("visits")}
            self.assertEqual(columns, {"clinic": "TEXT", "age": "BIGINT", "cost": "NUMERIC", "day": "DATE",
                                       "at": "TIMESTAMP", "smoker": "BOOLEAN", "ward": "BIGINT"})
            self.assertEqual(inspector.get_foreign_keys("visits"), [])
            self.assertEqual(inspector.get_indexes("visits"), [])
            self.assertEqual(inspector.get_pk_constraint("visits")["constrained_columns"], [])
            table = sqlalchemy.Table("visits", sqlalchemy.MetaData(), autoload_with=engine)
            question = (sqlalchemy.select(table.c.clinic, sqlalchemy.func.count().label("n"))
                        .where(table.c.age < 1000).group_by(table.c.clinic).order_by(table.c.clinic))
            with engine.connect() as connection:
                connection.execute(sqlalchemy.text("SET discreet.epsilon = 20"))
                self.assertEqual([tuple(row) for row in connection.execute(question)], COUNTS)
                with connection.begin_nested():
                    self.assertEqual(connection.execute(sqlalchemy.text("SELECT 1")).scalar(), 1)
            engine.dispose()

    def test_pandas(self):
        engine = sqlalchemy.create_engine(house.url("psycopg2"),
                                          connect_args={"options": "-c discreet.epsilon=20"})
        frame = pandas.read_sql(GROUPED, engine)
        self.assertEqual(list(frame["n"]), [1000, 1000, 1000])
        self.assertEqual(str(frame.dtypes["n"]), "int64")
        self.assertEqual(sorted(pandas.read_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", engine)
                                ["tablename"]), ["visits", "zips"])
        engine.dispose()


class Recorded(unittest.TestCase):
    """What BI tools and drivers send when they start and when they list tables (statements/*.sql)."""

    def test_statements(self):
        with psycopg.connect(**house.login(), autocommit=True) as connection:
            for file in sorted((HERE / "statements").glob("*.sql")):
                for statement in re.split(r";\s*\n", file.read_text()):
                    statement = re.sub(r"^--.*\n", "", statement, flags=re.M).strip()
                    if not statement:
                        continue
                    with self.subTest(file=file.name, statement=statement[:80]):
                        connection.execute(statement.encode())


class Wire(unittest.TestCase):
    """Bytes that no client sends."""

    def socket(self):
        return socket.create_connection(("127.0.0.1", house.port), timeout=20)

    def test_garbage_ends_the_connection_only(self):
        for garbage in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, struct.pack(">II", 2**31 - 1, 196608),
                        struct.pack(">II", 8, 80877103) + b"early bytes", struct.pack(">II", 9, 196608) + b"\0",
                        struct.pack(">II", 8 + 13, 196608) + b"user\0ann\0\xff\0\0\0"):
            with self.socket() as s:
                s.sendall(garbage)
                s.shutdown(socket.SHUT_WR)
                while s.recv(4096):
                    pass
        self.assertIn("1", psql("SELECT 1"))

    def test_long_and_odd_texts(self):
        with psycopg.connect(**house.login(), autocommit=True) as connection:
            with self.assertRaises(psycopg.errors.ProgramLimitExceeded):
                connection.execute(b"SELECT '" + b"x" * 100_000_000 + b"'")
            with self.assertRaises(psycopg.errors.InvalidParameterValue):
                connection.execute(b"SELECT '" + b"x" * 200_000 + b"'")
            with self.assertRaises(psycopg.errors.CharacterNotInRepertoire):
                connection.execute(b"SELECT '\xff\xfe'")
            with self.assertRaises(psycopg.Error):
                connection.pgconn.exec_(b"SELECT '\x00'")
                connection.execute("SELECT %s", ("\x00",))
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_messages_that_no_driver_sends(self):
        """After a login by psycopg its socket says what psycopg would not. Each gets an error with its SQLSTATE, and the
        connection goes on after Sync."""
        def message(kind, body):
            return kind + struct.pack(">I", len(body) + 4) + body

        def parse(text, *types):
            return message(b"P", b"\0" + text + b"\0" + struct.pack(f">H{len(types)}I", len(types), *types))

        def bind(*values, formats=(), results=()):
            body = b"\0\0" + struct.pack(f">H{len(formats)}H", len(formats), *formats) + struct.pack(">H", len(values))
            body += b"".join(struct.pack(">i", len(v)) + v for v in values)
            return message(b"B", body + struct.pack(f">H{len(results)}H", len(results), *results))

        execute, sync = message(b"E", b"\0\0\0\0\0"), message(b"S", b"")
        counted = b"SELECT COUNT(*) FROM visits WHERE age < $1 AND clinic = $2"
        cases = [
            (message(b"Q", b"SELECT 'a\0b'\0"), None),  # a text ends at its NUL; more is no message of the protocol
            (message(b"Q", b"SELECT '\xff\xfe'\0"), "22021"),
            (message(b"Q", b"SELECT 1"), None),  # no NUL at the end
            (parse(b"SELECT '\xc3'") + sync, "22021"),
            (parse(counted, 999999, 25) + sync, None),  # a type that nobody has
            (parse(counted, 3802, 25) + sync, None),  # jsonb: one that we do not take
            (parse(counted) + bind(b"50") + sync, "08P01"),  # two are wanted
            (parse(counted) + bind(b"50", b"nor\0th") + execute + sync, "22021"),
            (parse(counted) + bind(b"50", b"\xff") + execute + sync, "22021"),
            (parse(counted) + bind(b"fifty", b"north") + execute + sync, "22023"),
            (parse(counted) + bind(b"50", b"north", formats=(7, 7)) + sync, None),
            (parse(counted, 20, 25) + bind(b"\0\1", b"north", formats=(1, 0)) + execute + sync, None),  # two bytes of eight
            (parse(b"SELECT 1") + bind(results=(9,)) + execute + sync, None),
            (message(b"E", b"nowhere\0\0\0\0\0") + sync, "34000"),
            (message(b"B", b"\0nothing\0\0\0\0\0\0\0") + sync, "26000"),
            (message(b"D", b"X\0") + sync, "08P01"),
            (message(b"C", b"") + sync, "08P01"),
            (message(b"f", b"COPY is not under way\0") + sync, None),
            (message(b"F", b"\0\0\0\1\0\0\0\0\0\0") + sync, None),  # a function call
        ]
        for sent, wanted in cases:
            with self.subTest(sent=sent[:60]):
                connection = psycopg.connect(**house.login(), autocommit=True)
                with socket.socket(fileno=os.dup(connection.pgconn.socket)) as wire:
                    wire.settimeout(20)
                    wire.setblocking(True)
                    wire.sendall(message(b"Q", b"SET discreet.epsilon = 1\0"))
                    self.replies(wire)
                    wire.sendall(sent)
                    kinds, states = self.replies(wire)
                    if wanted:
                        self.assertEqual(states, [wanted])
                    if kinds and kinds[-1] == "Z":  # it lives on
                        wire.sendall(message(b"Q", b"SELECT 1\0"))
                        self.assertEqual(self.replies(wire)[0][-1], "Z")
                    else:  # or was ended, with a word
                        self.assertTrue(states, kinds)
                connection.close()
        self.assertIn("1", psql("SELECT 1"))

    def replies(self, wire):
        """Kinds of messages up to ReadyForQuery or the end, and the SQLSTATEs of errors among them."""
        kinds, states, held = [], [], b""
        while not kinds or kinds[-1] != "Z":
            while len(held) < 5 or len(held) < 1 + struct.unpack(">I", held[1:5])[0]:
                piece = wire.recv(65536)
                if not piece:
                    return kinds, states
                held += piece
            size = 1 + struct.unpack(">I", held[1:5])[0]
            kinds.append(chr(held[0]))
            if held[0] == ord("E"):
                states.append(re.search(rb"C(\w{5})\0", held[5:size])[1].decode())
            held = held[size:]
        return kinds, states

    def test_wrong_passwords(self):
        for wrong in ("", "wrong", house.passwords["poor"], "x" * 1000):
            with self.assertRaises(psycopg.OperationalError) as refused:
                psycopg.connect(**{**house.login(), "password": wrong})
            self.assertRegex(str(refused.exception), "not this name and password|no password supplied")
        self.assertIn("1", psql("SELECT 1"))

    def test_cancel_charges_and_keeps(self):
        with House(PROGRAM, answer_ms=2000) as slow:
            with psycopg.connect(**slow.login(), autocommit=True) as connection:
                connection.execute("SET discreet.epsilon = 7")
                began = time.monotonic()
                threading.Timer(0.3, connection.cancel).start()
                with self.assertRaises(psycopg.errors.QueryCanceled):
                    connection.execute("SELECT COUNT(*) FROM visits WHERE age > 44")
                self.assertLess(time.monotonic() - began, 1.9)
                again = connection.execute("SELECT COUNT(*) FROM visits WHERE age > 44").fetchone()[0]
            # A client that vanishes: charged, stored, free to ask for again.
            gone = psycopg.connect(**slow.login(), autocommit=True)
            gone.execute("SET discreet.epsilon = 7; SET discreet.request_id = 'gone'")
            gone.pgconn.send_query(b"SELECT COUNT(*) FROM visits WHERE age > 45")
            time.sleep(0.3)
            os.close(gone.pgconn.socket)
            time.sleep(1.0)
            with psycopg.connect(**slow.login(), autocommit=True) as connection:
                connection.execute("SET discreet.epsilon = 7; SET discreet.request_id = 'gone'")
                first = connection.execute("SELECT COUNT(*) FROM visits WHERE age > 45").fetchone()
                connection.execute("SET discreet.request_id = 'gone'")
                self.assertEqual(connection.execute("SELECT COUNT(*) FROM visits WHERE age > 45").fetchone(), first)
            self.assertAlmostEqual(slow.spent(), 14)
            self.assertIsInstance(again, int)

    def test_changing_the_password_ends_connections(self):
        house.passwords["temp"] = house.call("POST", "accounts", {"name": "temp", "role": "analyst"})["password"]
        connection = psycopg.connect(**house.login("temp"), autocommit=True)
        self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
        house.call("DELETE", "accounts/temp")
        with self.assertRaises(psycopg.OperationalError):
            connection.execute("SELECT 1")

    def test_tls_and_channel_binding(self):
        with House(PROGRAM, tls=True) as secure:
            login = {**secure.login(), "sslmode": "verify-ca", "sslrootcert": str(secure.path / "tls.crt"),
                     "channel_binding": "require"}
            with psycopg.connect(**login) as connection:
                self.assertTrue(connection.pgconn.ssl_in_use)
                self.assertEqual(connection.execute("SELECT current_user").fetchone(), ("ann",))
            with self.assertRaises(psycopg.OperationalError) as refused:
                psycopg.connect(**{**secure.login(), "sslmode": "disable"})
            self.assertIn("TLS", str(refused.exception))
            with psycopg2.connect(**{**login, "channel_binding": "disable"}) as connection:
                self.assertEqual(connection.encoding, "UTF8")


if __name__ == "__main__":
    unittest.main(verbosity=1)
