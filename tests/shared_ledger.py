"""Two servers in front of one ledger in a real PostgreSQL: tests/shared_ledger.py build/bin/discreet [CLUSTER]

The rows are in a file, or in the Trino cluster whose folder is named (tests/trino.sh). Both are asked at once for more than there is; then one is stopped (SIGSTOP) while it works and comes back late."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
os.environ["DISCREET_PROGRAM"] = str(pathlib.Path(sys.argv[1]).resolve())

import discreet  # noqa: E402
from discreet import program  # noqa: E402
from postgres_server import Postgres  # noqa: E402

POLICY = """version: 1
engine: %s
snapshot: one
units:
  people: {budget: {epsilon: 2}}
tables:
  people:
    source: %s
    unit: {namespace: people, column: %s}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}
    columns: {%s: {type: integer, range: [0, 120]}}
"""
CLUSTER = pathlib.Path(sys.argv[2]) if sys.argv[2:] else None
if CLUSTER:
    COLUMN = "acctbal"
    POLICY %= (f"trino://test@127.0.0.1:{(CLUSTER / 'port').read_text().strip()}?tls=no", "tpch.tiny.customer", "custkey", COLUMN)
else:
    COLUMN = "age"
    POLICY %= ("duckdb", "people.csv", "id", COLUMN)


class Server:
    """`discreet serve` on a free port, with accounts of its own beside the shared ledger. What it says goes to a file."""

    def __init__(self, policy, **options):
        self.folder = tempfile.TemporaryDirectory(prefix="discreet-server-")
        said = pathlib.Path(self.folder.name) / "said"
        with open(said, "w") as log:
            self.process = subprocess.Popen([program.find(), "serve", *program.options(
                {"policy": policy, "listen": "127.0.0.1:0", "state": self.folder.name + "/state", "tick_ms": 1, "answer_ms": 1,
                 **options})], stderr=log)
        while "serving on" not in said.read_text():
            if self.process.poll() is not None:
                raise RuntimeError(said.read_text())
            time.sleep(0.05)
        self.url = re.search(r"serving on (http://\S+?);", said.read_text())[1]
        self.password = re.search(r"password\s+(\S+)", said.read_text())[1]

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def ask(session, number, outcomes):
    try:
        session.query(f"SELECT COUNT(*) FROM people WHERE {COLUMN} > {number}", epsilon="0.1")
        outcomes.append("answered")
    except discreet.BudgetError:
        outcomes.append("refused")
    except discreet.Error as error:
        outcomes.append(f"{error.code}: {error}")


def all_at_once(asks):
    outcomes = []
    threads = [threading.Thread(target=ask, args=(*each, outcomes)) for each in asks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def login(server):
    return discreet.connect(server.url, analyst="owner", password=server.password)


def charges_of(ledger):
    records = program.ask(["ledger", "history"], ledger)
    return sum(record["kind"] == "charge" for record in records)


def main():
    with tempfile.TemporaryDirectory(prefix="discreet-shared-") as work:
        os.chmod(work, 0o755)
        path = pathlib.Path(work)
        (path / "policy.yaml").write_text(POLICY)
        (path / "people.csv").write_text("id,age\n" + "".join(f"{i},{i % 100}\n" for i in range(1000)))
        (path / "pg").mkdir()
        postgres = Postgres(str(path / "pg"))
        servers = []
        try:
            policy, key = str(path / "policy.yaml"), str(path / "key")
            first = {"ledger": postgres.url, "key": key, "witness": str(path / "witness1")}
            second = {"ledger": postgres.url, "key": key, "witness": str(path / "witness2")}
            program.run(["ledger", "init"], {"policy": policy, **first})
            (path / "witness2").write_bytes((path / "witness1").read_bytes())  # as the docs say
            servers = [Server(policy, **first), Server(policy, **second)]
            # Four connections to each, so that questions wait for each other on both.
            sessions = [login(server) for server in servers for _ in range(4)]

            # A stopped server: it may hold the lock or not; what it was asked is answered later, or fails, and is charged once.
            late = []
            asked = [threading.Thread(target=ask, args=(sessions[i], i, late)) for i in range(4)]
            for thread in asked:
                thread.start()
            servers[0].process.send_signal(signal.SIGSTOP)
            meanwhile = []
            ask(sessions[4], 50, meanwhile)
            assert meanwhile == ["answered"], meanwhile
            servers[0].process.send_signal(signal.SIGCONT)
            for thread in asked:
                thread.join()
            charges = charges_of(first)
            assert charges <= 5 and late.count("answered") + 1 <= charges, (charges, late)
            # A server whose commit failed says so until it is opened again.
            if any(each != "answered" for each in late):
                servers[0].close()
                servers[0] = Server(policy, **first)
                sessions[:4] = [login(servers[0]) for _ in range(4)]

            outcomes = all_at_once((sessions[i % 8], 60 + i) for i in range(32))
            assert set(outcomes) <= {"answered", "refused"}, outcomes
            assert charges_of(first) == 20, charges_of(first)
            assert outcomes.count("answered") == 20 - charges, outcomes
            for session in sessions:
                session.close()
            shown = program.run(["ledger", "verify"], first)
            print(f"stopped: {late}; then {outcomes.count('answered')} answered, {outcomes.count('refused')} refused, 20 charges "
                  f"of 0.1 in all\n{shown}")
        finally:
            for server in servers:
                server.close()
            postgres.close()


main()
