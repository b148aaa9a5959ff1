"""The package against the real program: python3 python/tests/test_discreet.py build/bin/discreet \\
build/deps/duckdb/libduckdb.so

pandas, pyarrow and matplotlib are used where they are installed; without them the tests check that their absence is said."""

import doctest
import importlib
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
    os.environ["DISCREET_PROGRAM"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
LIBRARY = None
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
    LIBRARY = str(pathlib.Path(sys.argv.pop(1)).resolve())

import discreet  # noqa: E402
from discreet import program, transport  # noqa: E402

POLICY = """version: 1
engine: duckdb
snapshot: one
units:
  patients: {budget: {epsilon: 1000, delta: 1e-3}, analysts: {ann: {epsilon: 500, delta: 1e-4}, poor: {epsilon: 1}}}
tables:
  visits:
    source: visits.csv
    unit: {namespace: patients, column: patient_id}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}
    columns:
      clinic: {type: text, values: [north, south, east]}
      age:    {type: integer, range: [0, 120]}
      cost:   {type: decimal, range: [0, 5000], step: 0.01}
      smoker: {type: boolean}
"""
PEOPLE = 3000


class World:
    """A small clinic in a folder of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="discreet-python-")
        self.path = pathlib.Path(self.folder.name)
        (self.path / "policy.yaml").write_text(POLICY)
        with open(self.path / "visits.csv", "w") as file:
            file.write("patient_id,clinic,age,cost,smoker\n")
            for i in range(PEOPLE):
                file.write(f"{i},{('north', 'south', 'east')[i % 3]},{20 + i % 60},{i % 400}.25,{'true' if i % 2 else 'false'}\n")
        self.places = {name: str(self.path / name) for name in ("ledger", "key", "witness")}
        program.run(["ledger", "init"], {"policy": str(self.path / "policy.yaml"), **self.places})

    def connect(self, **more):
        return discreet.connect(self.path / "policy.yaml", **self.places, **more)


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.session = cls.world.connect(analyst="ann")

    @classmethod
    def tearDownClass(cls):
        cls.session.close()
        cls.world.folder.cleanup()

    def test_an_answer_has_intervals_and_a_price(self):
        answer = self.session.query("SELECT clinic, COUNT(*) AS n, AVG(age) AS age FROM visits GROUP BY clinic", epsilon=20)
        self.assertEqual([row["clinic"] for row in answer], ["north", "south", "east"])
        for row in answer:
            # Off by 50 with probability below e^-100.
            self.assertLess(abs(row["n"].value - PEOPLE / 3), 50)
            self.assertIsInstance(row["n"].value, int)
            self.assertLessEqual(row["n"].low, row["n"].value)
            self.assertLessEqual(row["n"].value, row["n"].high)
            self.assertIsInstance(row["age"], discreet.Interval)
        self.assertEqual((answer.epsilon, answer.repeated), ("20", False))
        self.assertEqual(answer.flat()[0], ["clinic", "n", "n_low", "n_high", "age", "age_low", "age_high"])
        self.assertIn("price epsilon 20", repr(answer))
        self.assertIn("<td>north</td>", answer._repr_html_())

    def test_asked_again_it_is_free_and_the_same(self):
        sql = "SELECT COUNT(*) FROM visits WHERE age > 30"
        first = self.session.query(sql, epsilon="0.5")
        before = self.left()
        again = self.session.query(sql, epsilon="0.5")
        self.assertTrue(again.repeated)
        self.assertEqual(first.scalar(), again.scalar())
        self.assertEqual(self.left(), before)

    def test_explain_and_curve_cost_nothing(self):
        before = self.left()
        sql = "SELECT COUNT(*) FROM visits WHERE smoker"
        explained = self.session.explain(sql, epsilon=0.5)
        self.assertEqual((explained.price, explained.fits), ("epsilon 0.5", True))
        curve = self.session.curve(sql, low=0.1, high=2)
        self.assertEqual(len(curve), 25)
        self.assertGreater(curve[0][1], curve[-1][1])
        self.assertEqual(self.left(), before)

    def test_an_error_is_solved_for(self):
        answer = self.session.query("SELECT COUNT(*) FROM visits WHERE age < 50", error=10)
        value = answer.scalar()
        self.assertLessEqual(value.high - value.low, 20)

    def test_every_kind_of_failure_has_its_exception(self):
        ask = self.session.query
        for wrong, kind, also in [
            (lambda: ask("SELECT x FROM nope", epsilon=1), discreet.NotFound, LookupError),
            (lambda: ask("SELECT COUNT(*) FROM visits", epsilon=-1), discreet.InvalidInput, ValueError),
            (lambda: ask("SELECT COUNT(*) FROM visits", epsilon=float("nan")), discreet.InvalidInput, ValueError),
            (lambda: ask("SELECT * FROM visits", epsilon=1), discreet.Error, Exception),
            (lambda: ask("SELECT COUNT(*) FROM visits; SELECT 1", epsilon=1), discreet.Error, Exception),
            (lambda: ask("SELECT COUNT(*) FROM visits WHERE age > 1", epsilon=400_000), discreet.BudgetError, Exception),
            (lambda: ask("x" * 1_000_000, epsilon=1), discreet.Error, Exception),
            (lambda: self.session.job("no such job"), discreet.NotFound, LookupError),
        ]:
            with self.assertRaises(kind) as raised:
                wrong()
            self.assertIsInstance(raised.exception, also)
            self.assertTrue(str(raised.exception))
        self.assertTrue(self.session.catalog())  # it lives on

    def test_an_analyst_has_a_cap_and_sees_only_that(self):
        with self.world.connect(analyst="poor") as poor:
            poor.query("SELECT COUNT(*) FROM visits WHERE age = 20", epsilon=1)
            with self.assertRaises(discreet.BudgetError):
                poor.query("SELECT COUNT(*) FROM visits WHERE age = 21", epsilon="0.1")
            names = {account["account"] for space in poor.budget() for account in space["accounts"]}
            self.assertNotIn("ann", names)

    def test_interrupted_it_is_charged_and_asked_again_free(self):
        # The client goes away while it waits; the question goes on.
        sql = "SELECT AVG(cost) FROM visits WHERE clinic = 'north'"
        real = transport.http.client.HTTPConnection.getresponse
        try:
            def interrupted(*unused, **unused_too):
                time.sleep(0.5)
                raise KeyboardInterrupt
            transport.http.client.HTTPConnection.getresponse = interrupted
            with self.assertRaises(KeyboardInterrupt):
                self.session.query(sql, epsilon=2)
        finally:
            transport.http.client.HTTPConnection.getresponse = real
        spent = self.left()
        answer = self.session.query(sql, epsilon=2, request_id=self.session.last_request_id)
        self.assertTrue(answer.repeated)
        self.assertEqual(self.left(), spent)

    def test_threads_share_a_session(self):
        found = []
        def ask(age):
            found.append(self.session.query(f"SELECT COUNT(*) FROM visits WHERE age = {age}", epsilon=1).scalar())
        threads = [threading.Thread(target=ask, args=(age,)) for age in range(30, 38)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)

    def test_models_are_learned_and_used(self):
        model = discreet.learn.Classifier(table="visits", target="smoker", features=["age", "cost"], epsilon=5)
        self.assertEqual(model.get_params()["epsilon"], 5)
        with self.assertRaises(discreet.InvalidInput):
            model.predict([{"age": 1, "cost": 1}])
        before = float(self.left())
        model.fit(self.session)
        self.assertAlmostEqual(before - float(self.left()), 5)
        said = model.predict([{"age": 40, "cost": 10.5}, {"age": 50, "cost": 300}])
        self.assertEqual(len(said), 2)
        self.assertTrue(all(said[0].values()))
        self.assertAlmostEqual(before - float(self.left()), 5)  # predictions are free

    def test_no_row_of_the_data_is_in_this_process(self):
        # A secret that this process does not know is put into the data, by another one, and asked about here; then all of this
        # memory goes to a third, which knows what to look for.
        data = self.world.path / "visits.csv"
        with self.world.connect() as fresh:
            subprocess.run(["sh", "-c", "printf '99999,%s,33,4711.98,true\\n' \"$(head -c 24 /dev/urandom | base64 -w0)\" >> " + str(data)],
                           check=True)
            fresh.query("SELECT SUM(cost) AS total FROM visits WHERE clinic LIKE '%north%'", epsilon=3)
            self.assertEqual(self.times_in_memory(data), 0)
            self.assertFalse([name for name in dir(fresh) if "raw" in name or "engine" in name])
        held = data.read_bytes()  # and this is found
        self.assertGreater(self.times_in_memory(data), 0)
        self.assertTrue(held)

    def times_in_memory(self, data):
        search = subprocess.Popen(["sh", "-c", "exec grep -a -c -F -e \"$(tail -n 1 " + str(data) + " | cut -d, -f2)\" || true"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
            for line in list(maps):
                span, rights = line.split()[:2]
                low, high = (int(end, 16) for end in span.split("-"))
                if not rights.startswith("rw") or "[v" in line:
                    continue
                for at in range(low, high, 1 << 20):
                    try:
                        memory.seek(at)
                        search.stdin.write(memory.read(min(1 << 20, high - at)))
                    except (OSError, ValueError, OverflowError):
                        break
        search.stdin.close()
        found = int(search.stdout.read())
        search.stdout.close()
        search.wait()
        return found

    def left(self):
        return next(a["left"] for space in self.session.budget() for a in space["accounts"] if a["account"] == "ann")


class Elsewhere(unittest.TestCase):
    def test_a_server_wants_a_password_and_errors_are_clear(self):
        world = World()
        server = transport.OwnServer(str(world.path / "policy.yaml"), **world.places)
        try:
            with discreet.connect(server.url, analyst="owner", password=server.password) as session:
                self.assertTrue(session.query("SELECT COUNT(*) FROM visits", epsilon=1).scalar().value)
                with self.assertRaises(discreet.Unsupported):
                    discreet.learn.KMeans(k=2).fit(session)
            with self.assertRaises(discreet.Error):
                discreet.connect(server.url, analyst="owner", password="wrong password")
        finally:
            server.close()
        with self.assertRaises(discreet.EngineError):
            discreet.connect(server.url, analyst="owner", password="x")  # it is gone
        with self.assertRaises(discreet.InvalidInput):
            discreet.connect("https:///nowhere", password="x")
        with self.assertRaises(discreet.Error):
            discreet.connect(world.path / "missing.yaml", **world.places)
        world.folder.cleanup()

    def test_a_server_that_dies_is_said_and_leaves_the_ledger_whole(self):
        world = World()
        session = world.connect()
        session.query("SELECT COUNT(*) FROM visits", epsilon=1)
        session._server._process.send_signal(signal.SIGKILL)
        session._server._process.wait()
        with self.assertRaises(discreet.EngineError):
            session.query("SELECT COUNT(*) FROM visits WHERE age > 30", epsilon=1)
        session.close()
        with world.connect() as again:
            self.assertTrue(again.query("SELECT COUNT(*) FROM visits", epsilon=1).repeated)
        world.folder.cleanup()

    def test_nothing_is_left_running(self):
        world = World()
        session = world.connect()
        process = session._server._process
        del session
        self.assertIsNotNone(process.wait(timeout=30))
        world.folder.cleanup()


class Surroundings(unittest.TestCase):
    def test_examples_in_the_docstrings_run(self):
        for name in ("account", "answer", "audit", "errors", "local", "program", "session"):
            with self.subTest(name):
                result = doctest.testmod(importlib.import_module("discreet." + name))
                self.assertEqual(result.failed, 0)

    def test_the_table_of_errors_is_the_programs(self):
        source = (HERE.parents[1] / "src" / "base" / "error.cc").read_text()
        for code in discreet.errors._BY_CODE:
            self.assertIn(f'"{code}"', source)
        self.assertEqual(source.count("{Code::k"), len(discreet.errors._BY_CODE) + 1)  # and "bug"

    def test_bad_options_are_clear(self):
        for wrong in ({"gaussian": "0x10", "delta": "1e-6"}, {"gaussian": "1x10", "delta": 2}, {"nonsense": 1}):
            with self.assertRaises(discreet.InvalidInput):
                discreet.account.compose(**wrong)

    def test_the_wheel_holds_everything(self):
        if LIBRARY is None:
            self.fail("name DuckDB's library as the second argument")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, str(HERE.parent / "make_wheel.py"), program.find(), LIBRARY, folder], check=True,
                                  capture_output=True, text=True).stdout.strip()
            with zipfile.ZipFile(made) as wheel:
                self.assertIsNone(wheel.testzip())
                wheel.extractall(folder)
            os.chmod(os.path.join(folder, "discreet/bin/discreet"), 0o755)  # pip does that
            alone = {k: v for k, v in os.environ.items() if k not in ("DISCREET_PROGRAM", "LD_LIBRARY_PATH", "PYTHONPATH")}
            said = subprocess.run([sys.executable, "-c", "import discreet; print(discreet.account.convert(epsilon=1)['rho'], "
                                   "discreet.__file__)"], cwd=folder, env=alone, capture_output=True, text=True, check=True).stdout
            self.assertTrue(said.startswith("0.5 " + folder), said)

    def test_surveys(self):
        with tempfile.TemporaryDirectory() as folder:
            survey = discreet.local.Survey.design(os.path.join(folder, "s"), name="smoking", epsilon=2, labels="no,yes")
            reports = survey.simulate(["yes"] * 3000 + ["no"] * 7000)
            shares = json.dumps(survey.estimate([reports]))
            self.assertIn("yes", shares)
            with self.assertRaises(discreet.Error):
                survey.estimate([b"not a report"])
            with self.assertRaises(discreet.NotFound):
                discreet.local.Survey(os.path.join(folder, "none"))

    def test_frames_tables_and_plots(self):
        answer = discreet.Answer({
            "repeated": False, "charge": 1, "notes": [],
            "answer": {"epsilon": "1", "delta": "0", "confidence": "0.95", "units": "u", "neighbours": "", "noise": [],
                       "notes": [], "small": [False], "drawing": "none",
                       "columns": [{"name": "k", "type": "text", "key": True, "interval": False, "number": False},
                                   {"name": "n", "type": "integer", "key": False, "interval": True, "number": True}],
                       "rows": [["<b>", ["5", "3", None]]]}})
        self.assertEqual(answer[0]["n"], discreet.Interval(5, 3, None))
        self.assertIn("&lt;b&gt;", answer._repr_html_())
        for module, use in (("pandas", lambda: answer.to_pandas().n.tolist()), ("pyarrow", lambda: answer.to_arrow()["n"].to_pylist())):
            if importlib.util.find_spec(module):
                self.assertEqual(use(), [5])
            else:
                with self.assertRaises(ImportError):
                    use()
        if importlib.util.find_spec("matplotlib"):
            import matplotlib
            matplotlib.use("Agg")
            self.assertEqual(len(answer.plot().patches), 1)

    def test_the_notebook_runs(self):
        notebook = json.loads((HERE.parent / "lectures.ipynb").read_text())
        scope = {"__name__": "notebook"}
        os.environ["DISCREET_NOTEBOOK_PEOPLE"] = "2000"
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 5)
        for cell in cells:
            exec(compile("".join(cell["source"]), "lectures.ipynb", "exec"), scope)  # noqa: S102


if __name__ == "__main__":
    subprocess.run([program.find(), "--version"], check=True)
    unittest.main(verbosity=1)
