"""The package with its module: PYTHONPATH=build/python build/venv/python/bin/python python/tests/test_discreet.py"""

import builtins
import copy
import doctest
import gc
import importlib.util
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import matplotlib
import numpy

import discreet
from discreet import _discreet, program

matplotlib.use("Agg")
HERE = pathlib.Path(__file__).resolve().parent

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
            (lambda: ask("SELECT COUNT(*) FROM visits", epsilon="1", request_id="not / allowed"), discreet.InvalidInput, ValueError),
            (lambda: ask("SELECT COUNT(*) FROM visits WHERE clinic = '\0'", epsilon=1), discreet.Error, Exception),
            (lambda: ask("SELECT '\ud800'", epsilon=1), discreet.Error, Exception),
            (lambda: ask("SELECT COUNT(*) FROM visits"), discreet.InvalidInput, ValueError),
            (lambda: ask("SELECT COUNT(*) FROM visits", epsilon=None, error="nonsense"), discreet.InvalidInput, ValueError),
            (lambda: self.session.history(last=0), discreet.InvalidInput, ValueError),
            (lambda: self.session.curve("SELECT COUNT(*) FROM visits", low=3, high=2), discreet.InvalidInput, ValueError),
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
        # The keeper is held up, so that the interrupt certainly comes before the answer; then it goes on.
        sql = "SELECT AVG(cost) FROM visits WHERE clinic = 'north'"
        before = float(self.left())
        keeper = self.session._link.pid
        os.kill(keeper, signal.SIGSTOP)
        try:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                self.session.query(sql, epsilon=2)
        finally:
            os.kill(keeper, signal.SIGCONT)
        again = self.session.last_request_id
        self.assertAlmostEqual(before - float(self.left()), 2)
        answer = self.session.query(sql, epsilon=2, request_id=again)
        self.assertTrue(answer.repeated)
        self.assertAlmostEqual(before - float(self.left()), 2)

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
        self.assertEqual(type(model)(**model.get_params()).get_params(), model.get_params())  # as scikit-learn's clone() does
        with self.assertRaises(discreet.InvalidInput):
            model.predict([{"age": 1, "cost": 1}])
        before = float(self.left())
        self.assertIs(model.fit(self.session), model)
        self.assertAlmostEqual(before - float(self.left()), 5)
        rows = [{"age": 40, "cost": 10.5}, {"age": 50, "cost": 300}, {"age": None, "cost": 1}]
        said = model.predict(rows)
        self.assertEqual(said.shape, (3,))
        self.assertLessEqual(set(said[:2]), {"true", "false"})
        self.assertIsNone(said[2])
        chances = model.predict_proba(rows)
        self.assertEqual(chances.shape, (3, 2))
        self.assertTrue(numpy.allclose(chances[:2].sum(axis=1), 1, atol=1e-3))
        self.assertEqual(model.certificate_["epsilon"], "5")
        self.assertAlmostEqual(before - float(self.left()), 5)  # predictions are free
        import pandas
        self.assertEqual(list(model.predict(pandas.DataFrame(rows[:2]))), list(said[:2]))
        prices = discreet.learn.Regressor(target="cost", features=["age"], epsilon=5).fit(self.session)
        self.assertEqual(prices.predict([{"age": 30}]).dtype, numpy.float64)
        self.assertEqual(prices.coef_[0]["feature"], "age")
        centres = self.session.learn("cluster", features=["age", "cost"], k=2, epsilon=5)
        self.assertEqual(centres.cluster_centers_.shape, (2, 2))
        self.assertIn(centres.predict([{"age": 30, "cost": 10}])[0], (0, 1))
        for wrong in (lambda: model.set_params(colour=1), lambda: self.session.learn("astrology"), lambda: model.fit([[1]]),
                      lambda: discreet.learn.Classifier(target="nobody", epsilon=1).fit(self.session)):
            with self.assertRaises(discreet.Error):
                wrong()

    def test_no_row_of_the_data_is_in_this_process(self):
        # A secret that this process does not know is put into the data, by another one, and asked about here; then all of this
        # memory goes to a third, which knows what to look for: the secret, and the exact sum as a number and as text.
        world = World()
        data = world.path / "visits.csv"
        subprocess.run([sys.executable, "-c", "import base64, os, random, sys; print('99999', base64.b64encode(os.urandom(18)).decode(), "
                        "'33', '%d.%02d' % (random.SystemRandom().randrange(1000, 4000), random.SystemRandom().randrange(100)), 'true', "
                        "sep=',', file=open(sys.argv[1], 'a'))", str(data)], check=True)
        with world.connect() as fresh:
            fresh.query("SELECT SUM(cost) AS total FROM visits WHERE age >= 0", epsilon=3)
            self.assertEqual(self.found_in_memory(data), [0, 0, 0])
        held = data.read_bytes()  # and this is found
        self.assertGreater(self.found_in_memory(data)[0], 0)
        sums = numpy.array([sum(round(float(line.split(b",")[3]) * 100) for line in held.split(b"\n")[1:-1])])
        self.assertGreater(self.found_in_memory(data)[1], 0, sums.size)
        world.folder.cleanup()

    def found_in_memory(self, data):
        look = """
import sys
lines = open(sys.argv[1]).read().split("\\n")[1:-1]
total = sum(round(float(line.split(",")[3]) * 100) for line in lines)
wanted = [lines[-1].split(",")[1].encode(), total.to_bytes(8, "little"), str(total).encode()]
found, tail = [0, 0, 0], b""
while piece := sys.stdin.buffer.read(1 << 20):
    found = [n + (tail + piece).count(w) for n, w in zip(found, wanted)]
    tail = piece[-32:]
print(*found)
"""
        search = subprocess.Popen([sys.executable, "-c", look, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
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
        found = [int(n) for n in search.stdout.read().split()]
        search.stdout.close()
        search.wait()
        return found

    def test_nothing_leads_from_a_session_to_data(self):
        self.session.query("SELECT SUM(age) AS s FROM visits", epsilon=3)
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaises(TypeError):
                copied(self.session)
        # Whatever can be reached from it, attribute by attribute and by what the collector of garbage knows, is text, numbers,
        # threads and pipes; nothing of the module.
        seen, todo = set(), [self.session]
        while todo:
            each = todo.pop()
            if id(each) in seen or isinstance(each, (type, type(sys), type(lambda: 0), str, bytes)) or each is sys.modules:
                continue
            seen.add(id(each))
            self.assertNotIn("_discreet", type(each).__module__, each)
            todo += gc.get_referents(each) + list(getattr(each, "__dict__", {}).values())
        self.assertGreater(len(seen), 10)
        # Nor does the module: it adds noise to arrays that are here already, and is linked with nothing that reads data.
        self.assertEqual({name for name in dir(_discreet) if not name.startswith("_")}, {"Failure", "codes", "gaussian", "laplace"})
        with open("/proc/self/maps") as maps:
            self.assertNotIn("duckdb", maps.read())
        # What the keeper is asked for has to be one of its verbs, and errors do not speak of rows.
        for verb, fields in (("rows", {}), ("raw", {}), ("", {}), ("query\0", {}), ("__class__", {}), ("open", {}), ("query", {}),
                             ("query", {"sql": "SELECT * FROM visits", "epsilon": "1"}),
                             ("query", {"sql": "SELECT age FROM visits WHERE patient_id = 7", "epsilon": "1"}),
                             ("query", {"sql": "SELECT COUNT(*) FROM 'visits.csv'", "epsilon": "1"}),
                             ("query", {"sql": "SELECT 1/0 FROM visits", "epsilon": "1"}),
                             ("explain", {"sql": "SELECT MIN(patient_id) FROM visits", "epsilon": "1"})):
            with self.assertRaises(discreet.Error) as said:
                self.session._link.call(verb, fields)
            self.assertNotRegex(str(said.exception), r"\d\d\.25|99999")

    def left(self):
        return next(a["left"] for space in self.session.budget() for a in space["accounts"] if a["account"] == "ann")


class Server:
    """`discreet serve` for a world, on a free port."""

    def __init__(self, world):
        words = [program.find(), "serve", "--policy", str(world.path / "policy.yaml"), "--listen", "127.0.0.1:0",
                 "--tick-ms", "10", "--answer-ms", "20", *[f"--{name}={place}" for name, place in world.places.items()]]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.process.stderr:
            said += line
            if line.startswith("serving on "):
                break
        self.url = re.search(r"serving on (http://\S+?);", said)[1]
        self.password = re.search(r"password\s+(\S+)", said)[1]
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def close(self):
        self.process.terminate()
        return self.process.wait(30)


class Elsewhere(unittest.TestCase):
    def test_a_server_wants_a_password_and_errors_are_clear(self):
        world = World()
        server = Server(world)
        try:
            with discreet.connect(server.url, analyst="owner", password=server.password) as session:
                sql = "SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic"
                answer = session.query(sql, epsilon=20)
                with world.connect() as here:  # the same ledger, and the same forms
                    self.assertEqual(list(here.query(sql, epsilon=20)), list(answer))
                    self.assertEqual(here.explain(sql, epsilon=3), session.explain(sql, epsilon=3))
                    self.assertEqual(here.curve(sql), session.curve(sql))
                    self.assertEqual(here.catalog(), session.catalog())
                    self.assertEqual(here.budget(), session.budget())
                    self.assertEqual(here.history(last=3), session.history(last=3))
                with self.assertRaises(discreet.Unsupported):
                    discreet.learn.KMeans(k=2).fit(session)
                with self.assertRaises(discreet.NotFound):
                    session.query("SELECT x FROM nope", epsilon=1)
            with self.assertRaises(discreet.Error):
                discreet.connect(server.url, analyst="owner", password="wrong password")
        finally:
            self.assertEqual(server.close(), 0)
        for wrong, kind in [(lambda: discreet.connect(server.url, analyst="owner", password="x"), discreet.EngineError),  # it is gone
                            (lambda: discreet.connect("https:///nowhere", password="x"), discreet.InvalidInput),
                            (lambda: discreet.connect(server.url, ledger="mine"), discreet.InvalidInput),
                            (lambda: discreet.connect("policy.yaml", password="x"), discreet.InvalidInput),
                            (lambda: discreet.connect(world.path / "missing.yaml", **world.places), discreet.NotFound),
                            (lambda: discreet.connect(world.path / "policy.yaml", ledger="none"), discreet.NotFound)]:
            with self.assertRaises(kind):
                wrong()
        world.folder.cleanup()

    def test_the_ledger_is_the_policys_whatever_the_folder_is(self):
        world, here = World(), os.getcwd()
        policy = world.path / "own" / "policy.yaml"
        policy.parent.mkdir()
        policy.write_text(POLICY.replace("visits.csv", "../visits.csv"))
        kept = {name: world.places[name] + "2" for name in ("key", "witness")}
        program.run(["ledger", "init"], {"policy": str(policy), **kept})
        self.assertIn("ledger:", policy.read_text())
        try:
            for folder, epsilon in ((world.path, "0.5"), (policy.parent, "0.25"), (pathlib.Path("/"), "0.125")):
                os.chdir(folder)
                with discreet.connect(policy, **kept) as session:
                    session.query("SELECT COUNT(*) FROM visits", epsilon=epsilon)
                    total = session.budget()[0]["accounts"][0]["spent"]
            self.assertEqual(float(total), 0.875)
        finally:
            os.chdir(here)
        self.assertEqual([path.name for path in world.path.rglob("*.ledger")], ["discreet.ledger"])
        with self.assertRaises(discreet.Refused):
            discreet.connect(policy, **world.places)
        world.folder.cleanup()

    def test_a_keeper_that_dies_is_said_and_leaves_the_ledger_whole(self):
        world = World()
        session = world.connect(log=world.path / "log")
        session.query("SELECT COUNT(*) FROM visits", epsilon=1)
        os.kill(session._link.pid, signal.SIGKILL)
        with self.assertRaises(discreet.EngineError):
            session.query("SELECT COUNT(*) FROM visits WHERE age > 30", epsilon=1)
        session.close()
        with self.assertRaises(discreet.EngineError):
            session.budget()
        with world.connect() as again:
            self.assertTrue(again.query("SELECT COUNT(*) FROM visits", epsilon=1).repeated)
        world.folder.cleanup()

    def test_nothing_is_left_running(self):
        world = World()
        session = world.connect()
        child = session._link._process
        del session
        self.assertIsNotNone(child.wait(timeout=30))
        # Nor when the interpreter ends in the middle of a question.
        script = ("import os, signal, sys, threading, time; from test_discreet import *\nworld = World()\nsession = world.connect()\n"
                  "os.kill(session._link.pid, signal.SIGSTOP)\n"
                  "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                  "try:\n    session.query('SELECT COUNT(*) FROM visits', epsilon=1)\nexcept KeyboardInterrupt:\n"
                  "    os.kill(session._link.pid, signal.SIGCONT)\n    print(session._link.pid)\n")
        done = subprocess.run([sys.executable, "-B", "-c", script], cwd=HERE, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        for _ in range(100):
            if not pathlib.Path("/proc/" + done.stdout.strip()).exists():
                break
            time.sleep(0.1)
        self.assertFalse(pathlib.Path("/proc/" + done.stdout.strip()).exists())
        world.folder.cleanup()


class Noise(unittest.TestCase):
    def test_arrays_are_noised_where_they_are(self):
        # 10^5 draws of scale 1: the mean is off by 0.05 with a chance below 1e-20; the largest above 60 with one below 1e-20.
        for add, wanted in ((lambda x, **o: discreet.noise.laplace(x, sensitivity=1, epsilon=1, **o), 1.841),
                            (lambda x, **o: discreet.noise.gaussian(x, sensitivity=1, rho="1/4", **o), 2.0)):
            values = numpy.arange(100_001) * 1000
            before = values.copy()
            noisy = add(values)
            self.assertTrue((values == before).all())
            for got in (noisy - before, add(values, out=values) - before):
                self.assertLess(abs(got.mean()), 0.05)
                self.assertLess(abs(got).max(), 60)
                self.assertLess(abs(got.var() - wanted), 0.2)  # of 2q/(1-q)^2 = 1.841; off so far with a chance below 1e-9
                self.assertLess(abs(numpy.corrcoef(got[:-1], got[1:])[0, 1]), 0.03)
            self.assertFalse((values == noisy).all())  # fresh coins
        self.assertEqual(discreet.noise.laplace(numpy.zeros((0,), int), sensitivity=1, epsilon=1).size, 0)
        self.assertEqual(discreet.noise.laplace(numpy.zeros((3, 4), int), sensitivity=1, epsilon=1).shape, (3, 4))
        ends = numpy.array([2**63 - 1, -2**63])
        self.assertLess(abs(discreet.noise.laplace(ends, sensitivity=1, epsilon=1)).max(), 2**62 + 1)

    def test_what_is_wrong_is_said(self):
        frozen = numpy.zeros(3, int)
        frozen.flags.writeable = False
        lap = discreet.noise.laplace
        values = numpy.zeros(10, int)
        for wrong in (lambda: lap(numpy.zeros(3), sensitivity=1, epsilon=1), lambda: lap(values, sensitivity=1, epsilon=0),
                      lambda: lap(values, sensitivity=-1, epsilon=1), lambda: lap(values, sensitivity=1, epsilon="much"),
                      lambda: lap(values, sensitivity=1, epsilon=1, out=frozen), lambda: lap(values[::2], sensitivity=1, epsilon=1),
                      lambda: lap(values[1:], sensitivity=1, epsilon=1, out=values[:-1]),
                      lambda: lap(values, sensitivity=1, epsilon=1, out=numpy.zeros(9, int)),
                      lambda: lap(values, sensitivity=1, epsilon=1, step="0.1"), lambda: lap("x", sensitivity=1, epsilon=1),
                      lambda: discreet.noise.gaussian(values, sensitivity=1, epsilon=1)):
            with self.assertRaises(discreet.InvalidInput):
                wrong()
        self.assertTrue((values == 0).all())

    def test_others_run_while_noise_is_drawn(self):
        values, ticks, done = numpy.zeros(3 * 10**6, int), [], threading.Event()
        def tick():
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.0005)
        thread = threading.Thread(target=tick)
        thread.start()
        time.sleep(0.01)
        before = len(ticks)
        discreet.noise.laplace(values, sensitivity=1000, epsilon=1, out=values)
        during = len(ticks) - before
        done.set()
        thread.join()
        self.assertGreater(during, 0)  # the call holds no lock: it took milliseconds, and the other thread went on


class Surroundings(unittest.TestCase):
    def test_examples_in_the_docstrings_run(self):
        world = World()
        tried = 0
        with world.connect() as session:
            for name in ("account", "answer", "audit", "deprecated", "errors", "learn", "local", "noise", "program", "session"):
                with self.subTest(name):
                    result = doctest.testmod(importlib.import_module("discreet." + name), extraglobs={"session": session})
                    self.assertEqual(result.failed, 0)
                    tried += result.attempted
        self.assertGreater(tried, 35)
        world.folder.cleanup()

    def test_the_table_of_errors_is_the_programs(self):
        table = {code: (status, named) for code, status, named in _discreet.codes()}
        self.assertEqual(set(table), {*discreet.errors._BY_CODE, "bug"})
        builtin = {"ValueError", "LookupError", "NotImplementedError", "PermissionError", "OSError", "InterruptedError"}
        for code, kind in discreet.errors._BY_CODE.items():
            named = table[code][1]
            if named in builtin:
                self.assertTrue(issubclass(kind, getattr(builtins, named)), code)
            else:
                self.assertEqual(kind.__name__, named)

    def test_bad_options_are_clear(self):
        for wrong in ({"gaussian": "0x10", "delta": "1e-6"}, {"gaussian": "1x10", "delta": 2}, {"nonsense": 1}):
            with self.assertRaises(discreet.InvalidInput):
                discreet.account.compose(**wrong)

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
        frame = answer.to_pandas()
        self.assertEqual((list(frame.columns), frame.n.tolist()), (["k", "n", "n_low", "n_high"], [5]))
        table = answer.to_arrow()
        self.assertEqual((table["n"].to_pylist(), table["n_high"].to_pylist()), ([5], [None]))
        axes = answer.plot()
        self.assertEqual(len(axes.patches), 1)
        bars, = [each for each in axes.containers if isinstance(each, matplotlib.container.ErrorbarContainer)]
        (low, high), = [tuple(segment[:, 1]) for segment in bars.lines[2][0].get_segments()]
        self.assertEqual((low, high), (3, 5))  # down to 3; above it is unbounded, and nothing is drawn
        self.assertEqual(len(discreet.Curve([(0.1, 5.0), (1.0, None), (2.0, 1.0)]).plot().lines[0].get_xdata()), 2)
        matplotlib.pyplot.close("all")

    def test_the_notebook_runs(self):
        """All of its cells, in order, and what each shows at its end."""
        notebook = json.loads((HERE.parent / "lectures.ipynb").read_text())
        spec = importlib.util.spec_from_file_location("make_notebook", HERE.parent / "make_notebook.py")
        make_notebook = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(make_notebook)
        self.assertEqual([(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]], make_notebook.sources(),
                         "lectures.ipynb is not what make_notebook.py writes")
        os.environ["DISCREET_NOTEBOOK_PEOPLE"] = "4000"
        shown = [kind for outputs in make_notebook.executed() for output in outputs for kind in output["data"]]
        self.assertGreater(shown.count("text/html"), 3)
        self.assertGreater(shown.count("image/png"), 2)
        self.assertTrue(all(cell["outputs"] for cell in notebook["cells"][1:] if cell["cell_type"] == "code" and not "".join(
            cell["source"]).endswith("close()")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
