"""What make.py stores with one version of the program and check.py opens with another: the questions, the policies, and how
both run the program."""

import json
import os
import pathlib
import re
import subprocess

# Each notion has a folder with a ledger of this policy; households are in one, blocks in the others, a daily question in one.
UNITS = {
    "epsilon": """
  people:
    budget: {epsilon: 200, delta: 1e-3}
    within: {namespace: households, column: people.household, members: 4}
    analysts: {ann: {epsilon: 150, delta: 1e-3}, press: {epsilon: 50}}
  households:
    budget: {epsilon: 500, delta: 1e-3}
    analysts: {ann: {epsilon: 400, delta: 1e-3}, press: {epsilon: 50}}""",
    "zcdp": """
  people:
    notion: zcdp
    budget: {rho: 100, delta: 1e-3}
    blocks: {column: people.joined, values: [2024, 2025]}
    analysts: {ann: {rho: 60}, press: {rho: 30}}""",
    "pure": """
  people:
    notion: pure
    budget: {epsilon: 100}
    blocks: {column: people.joined, values: [2024, 2025]}
    analysts: {ann: {epsilon: 60}, press: {epsilon: 30}}""",
}
POLICY = """version: 1
snapshot: one
units:%s
tables:
  people:
    source: ../people.csv
    unit: {namespace: people, column: id}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}
    columns:
      joined: {type: integer, range: [2000, 2100]}
      age:    {type: integer, range: [0, 120]}
      cost:   {type: decimal, range: [0, 1000], step: 0.01}
      clinic: {type: text, values: [north, south]}
      smoker: {type: boolean}
      town:   {type: text}
      day:    {type: date, range: [2026-01-01, 2026-12-31]}
"""
DAILY = """daily:
  by_day: {table: people, day: day, first: 2026-01-01, days: 64, days_per_unit: 1, rows_per_day: 1, rho: 0.5}
"""
DAYS = 40
# As it was begun in folders that are stored; so it is never edited, and neither are the answers in reports().
TRAINING = ["--target", "smoker", "--features", "age,cost,clinic", "--epsilon", "3", "--delta", "1e-5", "--steps", "200",
            "--hidden", "256", "--analyst", "ann"]
SHAPES = [
    "SELECT COUNT(*) FROM people",
    "SELECT COUNT(cost) AS n, SUM(cost), AVG(cost) FROM people",
    "SELECT COUNT(DISTINCT id) FROM people WHERE smoker",
    "SELECT COUNT(DISTINCT town) FROM people",
    "SELECT clinic, COUNT(*) FROM people GROUP BY clinic",
    "SELECT clinic, smoker, AVG(age) FROM people GROUP BY clinic, smoker ORDER BY clinic",
    "SELECT STDDEV(age), VARIANCE(age) FROM people",
    "SELECT MEDIAN(cost), MIN(cost), MAX(cost) FROM people",
    "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) FROM people",
    "SELECT HISTOGRAM(age, bins => 6) FROM people",
    "SELECT BOXPLOT(cost) FROM people",
    "SELECT clinic, BOXPLOT(age) FROM people GROUP BY clinic",
    "SELECT TOP_K(clinic, 2) FROM people",
    "SELECT SUM(cost) FILTER (WHERE age BETWEEN 20 AND 40) FROM people",
    "SELECT COUNT(*) FROM people WHERE town LIKE 'U%' OR clinic = 'north'",
    "SELECT CASE WHEN age < 40 THEN 'young' ELSE 'old' END AS g, COUNT(*) FROM people WHERE clinic IN ('north') GROUP BY clinic, g",
    "SELECT SUM(cost * 2) FROM people WHERE day >= DATE '2026-02-01'",
    "SELECT COUNT(*) FROM people WHERE joined = 2024",
    "SELECT SUM(age) FROM people WHERE joined = 2024",
    "SELECT clinic, COUNT(*) AS n FROM people WHERE joined = 2025 GROUP BY clinic HAVING COUNT(*) > 5 ORDER BY n DESC LIMIT 1",
]
WITH_DELTA = ["SELECT town, COUNT(*) FROM people GROUP BY town", "SELECT town, AVG(age) FROM people GROUP BY town"]


def questions(notion, count):
    """So many, of many shapes first. What a pure ledger refuses is not among its questions."""
    shapes = [{"sql": sql, "epsilon": "0.5"} for sql in SHAPES]
    if notion == "pure":
        shapes = [each for each in shapes if "CASE" not in each["sql"]]  # its keys are found with a delta
    else:
        for each in shapes:
            each.update({"delta": "1e-7"} if "CASE" in each["sql"] else {})
        shapes += [{"sql": sql, "epsilon": "1", "delta": "1e-7"} for sql in WITH_DELTA]
    shapes += [{"sql": SHAPES[0], "epsilon": "0.25", "confidence": "0.9"}]
    plain = [{"sql": f"SELECT COUNT(*) FROM people WHERE age > {age}", "epsilon": "0.1"} for age in range(count)]
    return (shapes + plain)[:count]


def people():
    lines = ["id,household,joined,age,cost,clinic,smoker,town,day"]
    for i in range(600):
        lines.append(f"{i},{i // 3},{2024 + i % 2},{20 + i % 60},{i * 37 % 1000},{'north' if i % 3 else 'south'},"
                     f"{'true' if i * 37 % 1000 > 500 else 'false'},{('Ulm', 'Trier', 'Jena')[i % 3]},"
                     f"2026-{1 + i % 64 // 31:02d}-{1 + i % 64 % 31 % 28:02d}")
    return "\n".join(lines) + "\n"


class Refused(Exception):
    pass


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def run(self, *words, input=b"", refused=False):
        """What it prints; with refused=True, the sentence with which it refuses."""
        done = subprocess.run([self.path, *map(str, words)], input=input, capture_output=True, check=False)
        if refused != (done.returncode != 0):
            raise Refused(f"{' '.join(map(str, words))}: status {done.returncode}, {done.stderr.decode()}")
        return done.stderr.decode() if refused else done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"))

    def version(self):
        return self.run("--version").decode().split()[1]


class World:
    """A folder of a fixture: a policy, a ledger, its key and its witness."""

    def __init__(self, program, folder, ledger=None):
        self.program, self.folder = program, pathlib.Path(folder)
        self.place = ledger or self.folder / "people.ledger"
        self.policy = ["--policy", self.folder / "policy.yaml"]

    def at(self, ledger=None):
        return ["--ledger", ledger or self.place, "--key", self.folder / "key", "--witness", self.folder / "witness"]

    def run(self, *words, **how):
        return self.program.run(*words, *self.at(), **how)

    def balances(self):
        """Of all accounts, and what is spent on each block, which only the table for people tells."""
        blocks = re.findall(r"^  \S+, \S+ = (\S+): spent (\S+)$", self.run("ledger", "show").decode(), re.M)
        return {"accounts": self.program.json("ledger", "show", *self.at()), "blocks": dict(blocks)}

    def history(self):
        return self.program.json("ledger", "history", *self.at())

    def daily(self, verb, **how):
        return self.run("publish", "daily", verb, "by_day", *self.policy, **how)

    def days(self):
        return self.program.json("publish", "daily", "show", "by_day", *self.policy, *self.at())

    def train_words(self):
        return ["learn", "network", *TRAINING, "--output", self.folder / "network.json", *self.policy, *self.at()]

    def ask(self, analyst, asked):
        """The documents of all these questions, from one process."""
        wishes = "".join(json.dumps({"verb": "query", "fields": fields}) + "\n" for fields in asked)
        said = self.program.run("keep", "--analyst", analyst, *self.policy, *self.at(), input=wishes.encode())
        documents = []
        while said:
            head, _, said = said.partition(b"\n")
            status, size = head.split()
            if status != b"ok":
                raise Refused(said.decode())
            documents.append(json.loads(said[:int(size)]))
            said = said[int(size):]
        return documents[1:]  # the first says that the policy was opened


def reports(program, folder):
    """Reports of a person whose memory is in the folder; they are the same whenever they are asked for."""
    folder = pathlib.Path(folder)
    made = {}
    for survey, answer in (("smoking", "yes"), ("age", "42"), ("homepage", "example.org")):
        budget = [] if (folder / "memory").exists() else ["--lifetime-budget", "10"]
        made[survey] = program.run("local", "report", "--survey", folder / (survey + ".survey"), "--memory", folder / "memory",
                                   *budget, "--answer", answer).hex()
    return made


def private(folder):
    """As the program made them: git keeps no such permissions."""
    for path in pathlib.Path(folder).rglob("*"):
        os.chmod(path, 0o700 if path.is_dir() else 0o600)
