"""What a user meets when a real cluster is away, half up, out of memory, or is asked for what it has not: tests/trino_bad_days.py
build/bin/discreet CLUSTER. Each failure is one of two: refused before a charge, with the fix; or charged, with one constant text,
and then answered under the same request id for one more charge (L5: only an answer is free), and from then on for nothing."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

PROGRAM, CLUSTER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
PORT = (CLUSTER / "port").read_text().strip()
SLOW = "the database did not answer in full"
POLICY = """version: 1
engine: {engine}
snapshot: one
units:
  people: {{budget: {{epsilon: 2, delta: 1e-6}}}}
tables:
  lines:
    source: {source}
    unit: {{namespace: people, column: orderkey}}
    bounds: {{groups_per_unit: 5, rows_per_unit_and_group: 5}}
    columns: {{quantity: {{type: integer, range: [0, 50]}}, comment: {{type: text}}}}
"""


class World:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.ledger = ["--ledger", str(self.folder / "ledger")]
        self.run(["ledger", "init", "--policy", self.policy(), *self.ledger], succeeds=True)

    def policy(self, options="", source="tpch.tiny.lineitem", port=PORT):
        path = self.folder / "policy.yaml"
        path.write_text(POLICY.format(engine=f"trino://test@127.0.0.1:{port}?tls=no{options}", source=source))
        return str(path)

    def run(self, words, succeeds):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env={**os.environ, "XDG_STATE_HOME": str(self.folder)})
        assert (done.returncode == 0) == succeeds, (words, done.returncode, done.stdout, done.stderr)
        return done

    def ask(self, request, policy, sql="SELECT COUNT(*) FROM lines", succeeds=False, more=()):
        return self.run(["query", "--policy", policy, *self.ledger, "--epsilon", "0.1", "--request-id", request, *more, sql], succeeds)

    def charges(self):
        with sqlite3.connect(f"file:{self.folder}/ledger?mode=ro", uri=True) as store:
            return store.execute("SELECT count(*) FROM records WHERE kind = 4").fetchone()[0]

    def fails_charged(self, request, policy, **question):
        """The charge stays. The one after it is for the answer, when the cluster is itself again."""
        before = self.charges()
        done = self.ask(request, policy, **question)
        assert done.returncode == 5 and SLOW in done.stderr, done
        assert self.charges() == before + 1, (before, self.charges())
        question["succeeds"] = True
        return before + 2, question

    def answers_once(self, request, charges, question):
        # The numbers, without the line that says what they cost.
        first, again = (self.ask(request, self.policy(), **question).stdout.split("\nprice")[0] for _ in range(2))
        assert first == again, (first, again)
        assert self.charges() == charges, (charges, self.charges())


def statement(sql):
    """The owner's own word to the cluster."""
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/v1/statement", sql.encode(), {"X-Trino-User": "test"})
    while True:
        page = json.load(urllib.request.urlopen(request, timeout=60))
        assert "error" not in page, page["error"]
        if "nextUri" not in page:
            return
        request = urllib.request.Request(page["nextUri"], headers={"X-Trino-User": "test"})


def workers(what):
    for name in ("worker1", "worker2"):
        os.kill(int((CLUSTER / name / "pid").read_text()), what)


def main():
    with tempfile.TemporaryDirectory(prefix="discreet-bad-days-") as folder:
        world = World(folder)
        view = f"memory.default.bad_days_{os.getpid()}"
        statement(f"CREATE VIEW {view} AS SELECT * FROM tpch.tiny.lineitem")
        for words, place in (("cannot be reached", {"port": "1"}), ("no catalog", {"source": "elsewhere.tiny.lineitem"}),
                             ("no table", {"source": "tpch.tiny.nothing"}), ("is a view", {"source": view})):
            done = world.ask("refused", world.policy(**place))
            assert words in done.stderr, (words, done.stderr)
            print("refused, no charge:", words)
        assert world.charges() == 0

        # Half up: the coordinator answers, the workers do not.
        workers(signal.SIGSTOP)
        try:
            half = world.fails_charged("half", world.policy("&timeout=5"))
        finally:
            workers(signal.SIGCONT)
        world.answers_once("half", *half)
        print("charged, then answered: workers that hang")

        memory = world.fails_charged("memory", world.policy("&session.query_max_memory_per_node=300kB"),
                                     sql="SELECT COUNT(*) FROM lines WHERE quantity > 9")
        world.answers_once("memory", *memory)
        print("charged, then answered: too little memory")

        # Many groups are no reason to fail: how many there are is secret.
        words = {"sql": "SELECT comment, COUNT(*) FROM lines GROUP BY comment", "more": ["--delta", "1e-7"]}
        before = world.charges()
        world.ask("large", world.policy("&result_mb=1"), succeeds=True, **words)
        assert world.charges() == before + 1
        print("answered: more bytes than result_mb, which is for what is public")

        shown = world.run(["ledger", "verify", *world.ledger], succeeds=True)
        print(shown.stdout)


main()
