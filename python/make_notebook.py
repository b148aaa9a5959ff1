"""Writes lectures.ipynb: the five lectures, one cell after another. The text is here so that it can be read and reviewed."""

import json
import pathlib

CELLS = [
    ("md", "# Five lectures with `discreet`\nData about people, questions about groups, and a price for every answer. Everything "
           "here runs against the program `discreet`; the data is invented on the spot."),
    ("py", """import os, random, tempfile
import discreet

folder = tempfile.mkdtemp(prefix="lectures-")
people = int(os.environ.get("DISCREET_NOTEBOOK_PEOPLE", "20000"))
random.seed(1)
with open(os.path.join(folder, "people.csv"), "w") as file:
    file.write("id,zip,income,smoker\\n")
    for i in range(people):
        income = int(min(500000, random.lognormvariate(10.5, 0.6)))
        file.write(f"{i},{82400 + i % 20},{income},{'true' if random.random() < 0.3 else 'false'}\\n")
with open(os.path.join(folder, "policy.yaml"), "w") as file:
    file.write('''version: 1
engine: duckdb
snapshot: lectures
units:
  people: {budget: {epsilon: 20, delta: 1e-6}}
tables:
  people:
    source: people.csv
    unit: {namespace: people, column: id}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}
    columns:
      zip:    {type: integer, values: [%s]}
      income: {type: integer, range: [0, 500000]}
      smoker: {type: boolean}
''' % ", ".join(str(82400 + i) for i in range(20)))
places = {name: os.path.join(folder, name) for name in ("ledger", "key", "witness")}
discreet.program.run(["ledger", "init"], {"policy": os.path.join(folder, "policy.yaml"), **places})
session = discreet.connect(os.path.join(folder, "policy.yaml"), **places)
session.catalog()"""),
    ("md", "## 1. Why names are not enough, and what a guarantee says\nAn exact mean tells whether a very rich household moved in. "
           "A private one moves by no more than a factor $e^\\varepsilon$ in its odds, whoever is in the data: at $\\varepsilon = 0.5$ "
           "a 50 % guess becomes at most 62 %."),
    ("py", """import math
guess = math.exp(0.5) / (1 + math.exp(0.5))
assert round(guess, 2) == 0.62
answer = session.query("SELECT AVG(income) AS income FROM people", epsilon=1)
assert answer[0]["income"].low <= answer[0]["income"].value <= answer[0]["income"].high
answer"""),
    ("md", "## 2. Randomness is the only source of privacy\nThe noise is exact: every coin tape of the compiled mechanism is walked, and "
           "the measured loss compared with the claim."),
    ("py", """case = discreet.audit.exact("laplace")
assert case["verdict"] == "holds"
case"""),
    ("md", "## 3. Trusting nobody\nWith randomized response each person keeps a secret from the collector too. The price is accuracy: "
           "the error falls with the square root of the number of people."),
    ("py", """survey = discreet.local.Survey.design(os.path.join(folder, "smoking.survey"), name="smoking", epsilon=1, labels="no,yes")
reports = survey.simulate(["yes" if random.random() < 0.3 else "no" for _ in range(people)])
estimate = survey.estimate([reports])
estimate"""),
    ("md", "## 4. Accuracy, and who pays for it\nBefore a question is asked its error is known; small groups feel the same noise more."),
    ("py", """curve = session.curve("SELECT COUNT(*) FROM people WHERE smoker", low=0.05, high=2)
assert curve[0][1] > curve[-1][1]
by_zip = session.query("SELECT zip, COUNT(*) AS people FROM people GROUP BY zip", epsilon=1)
assert len(by_zip) == 20
by_zip"""),
    ("py", """model = discreet.learn.Classifier(table="people", target="smoker", features=["income"], epsilon=2).fit(session)
model.predict([{"income": 30000}, {"income": 200000}])"""),
    ("md", "## 5. Many answers together\nPrices add up; better theorems add them up to less. When the budget is gone it is gone, and the "
           "same question again is free."),
    ("py", """basic = discreet.account.compose(epsilon="0.01x1000", delta=0)
better = discreet.account.compose(gaussian="100x1000", delta="1e-6")
assert better["epsilon_upper"] < basic["epsilon_upper"]
again = session.query("SELECT AVG(income) AS income FROM people", epsilon=1)
assert again.repeated and again[0] == answer[0]
try:
    session.query("SELECT COUNT(*) FROM people WHERE income > 1", epsilon=100)
    raise AssertionError("that is more than there is")
except discreet.BudgetError as gone:
    print(gone)
session.budget()"""),
    ("py", "session.close()"),
]


def cell(kind, text):
    lines = text.splitlines(keepends=True)
    if kind == "md":
        return {"cell_type": "markdown", "metadata": {}, "source": lines}
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}


if __name__ == "__main__":
    notebook = {"cells": [cell(*each) for each in CELLS], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
                "nbformat_minor": 4}
    pathlib.Path(__file__).with_name("lectures.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
