"""clients_peers.py PEER ours|postgresql: milliseconds of 1,000 rows through psycopg and pgJDBC from one server, as JSON."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/clients"))
sys.dont_write_bytecode = True

import psycopg  # noqa: E402

from house import House  # noqa: E402

GROUPED = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward"
ROWS = 1000
SMALLEST = "DISCREET_BENCH_SMALLEST" in os.environ  # then without pgJDBC
WARM_UP, TIMES = (1, 3) if SMALLEST else (50, 200)
JAR = "/usr/share/java/postgresql.jar"


class Postgres:
    """A private PostgreSQL with the answer's rows as a table."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="discreet-postgres-"))
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.bin = "/usr/lib/postgresql/15/bin"
        self.port = 54000 + os.getpid() % 1000
        (self.folder / "password").write_text("secret")
        self.run("initdb", "-U", "ann", "-A", "scram-sha-256", f"--pwfile={self.folder / 'password'}", "-E", "UTF8",
                 "--no-locale", "--no-sync")
        self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o",
                 f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}", "start")
        with psycopg.connect(**self.login(), autocommit=True) as connection:
            connection.execute("CREATE TABLE visits AS SELECT i::bigint AS ward, 3::bigint AS n FROM "
                               f"generate_series(0, {ROWS - 1}) AS r(i)")
            connection.execute("ANALYZE visits")

    def run(self, program, *arguments):
        subprocess.run([*self.user, f"{self.bin}/{program}", "-D", str(self.folder / "data"), *arguments], check=True,
                       stdout=subprocess.DEVNULL, cwd="/")

    def login(self):
        return {"host": "127.0.0.1", "port": self.port, "dbname": "postgres", "user": "ann", "password": "secret"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


def through_psycopg(connection, statement, binary):
    took = []
    cursor = connection.cursor(binary=binary)
    for _ in range(WARM_UP + TIMES):
        time.sleep(0.022)  # an account may ask fifty times a second
        start = time.perf_counter()
        rows = cursor.execute(statement, prepare=True).fetchall()
        took.append(1000 * (time.perf_counter() - start))
        assert len(rows) == ROWS
    return statistics.median(took[WARM_UP:])


def through_jdbc(login, statement):
    url = (f"jdbc:postgresql://127.0.0.1:{login['port']}/{login['dbname']}?options=-c%20discreet.epsilon=20"
           if login["dbname"] == "discreet" else f"jdbc:postgresql://127.0.0.1:{login['port']}/{login['dbname']}")
    out = subprocess.run(["java", "-cp", JAR, str(ROOT / "tests/clients/Jdbc.java"), "time", url, "ann",
                          login["password"], statement], check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out)


def measure(login, statement):
    with psycopg.connect(**login, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        if login["dbname"] == "discreet":
            connection.execute("SET discreet.epsilon = 20")
            connection.execute(statement)
        return {"text": through_psycopg(connection, statement, False),
                "binary": through_psycopg(connection, statement, True),
                **({} if SMALLEST else {"jdbc": through_jdbc(login, statement)})}


if sys.argv[2] == "ours":
    with House(ROOT / "build/bin/discreet", wards=ROWS) as house:
        print(json.dumps(measure(house.login(), GROUPED)))
else:
    with Postgres() as postgres:
        print(json.dumps(measure(postgres.login(), "SELECT ward, n FROM visits ORDER BY ward")))
