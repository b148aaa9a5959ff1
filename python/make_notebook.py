"""Writes lectures.ipynb: the five lectures, one cell after another, with what each shows. The text is here so that it can be read
and reviewed; the tests run it. PYTHONPATH=build/python build/venv/python/bin/python python/make_notebook.py"""

import ast
import base64
import io
import json
import pathlib
import sys

# The package is the one with its module, not the sources beside this file.
sys.path = [place for place in sys.path if pathlib.Path(place or ".").resolve() != pathlib.Path(__file__).resolve().parent]

CELLS = [
    ("markdown", "# Five lectures with `discreet`\nData about people, questions about groups, and a price for every answer. Everything "
                 "here runs as it stands; the data is invented on the spot, and what is random is random again each time."),
    ("code", """import math, os, random, tempfile
import matplotlib.pyplot as plt
import numpy
import discreet

folder = tempfile.mkdtemp(prefix="lectures-")
people = int(os.environ.get("DISCREET_NOTEBOOK_PEOPLE", "20000"))
random.seed(1)
with open(os.path.join(folder, "people.csv"), "w") as file:
    file.write("id,zip,income,smoker\\n")
    for i in range(people):
        income = int(min(500000, random.lognormvariate(10.5, 0.6)))
        smokes = random.random() < (0.45 if income < 36000 else 0.15)
        file.write(f"{i},{82400 + i % 20},{income},{'true' if smokes else 'false'}\\n")
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
session.budget()"""),
    ("markdown", "## Lecture 0: randomized response\nNobody is trusted: each person tells the truth with probability "
                 "$e^\\varepsilon/(1+e^\\varepsilon)$ and lies otherwise. The lecture's survey has a million people, "
                 "$\\varepsilon = 1$ and $\\beta = 0.05$; its half width is "
                 "$\\frac{1+e^\\varepsilon}{e^\\varepsilon-1}\\sqrt{\\ln(2/\\beta)/2n} = 0.00294$ (the notes print 0.89 for a root that "
                 "is 1.358: a logarithm to the base 10)."),
    ("code", """half_width = lambda n, epsilon, beta: (1 + math.exp(epsilon)) / (math.exp(epsilon) - 1) * math.sqrt(math.log(2 / beta) / (2 * n))
assert round(half_width(10**6, 1, 0.05), 5) == 0.00294
survey = discreet.local.Survey.design(os.path.join(folder, "smoking.survey"), name="smoking", epsilon=1, labels="no,yes")
truth = [random.random() < 0.3 for _ in range(people)]
reports = survey.simulate(["yes" if t else "no" for t in truth])
estimate = survey.estimate([reports])
yes = next(row for row in estimate if row["answer"] == "yes")
assert abs(float(yes["share"]) - sum(truth) / people) < 3 * half_width(people, 1, 0.05)
yes"""),
    ("markdown", "## Lecture 1: Laplace, the exponential mechanism, a budget\nA count moves by one when one person comes or goes, so noise of "
                 "scale $1/\\varepsilon$ hides whether anybody did. The curve is known before anything is asked."),
    ("code", """sql = "SELECT zip, COUNT(*) AS people FROM people GROUP BY zip"
session.explain(sql, epsilon=1)"""),
    ("code", """by_zip = session.query(sql, epsilon=1)
assert len(by_zip) == 20
by_zip.plot(plt.subplots(figsize=(9, 3))[1])
plt.gcf()"""),
    ("code", """curve = session.curve("SELECT COUNT(*) FROM people WHERE smoker", low=0.05, high=2)
assert curve[0][1] > curve[-1][1]
curve.plot(plt.subplots(figsize=(5, 3))[1])
plt.gcf()"""),
    ("markdown", "What is not a number is chosen: $\\Pr[o] \\propto e^{\\varepsilon u(o)/2\\Delta u}$, a weight that is normalized."),
    ("code", """votes = {"apples": 120, "pears": 95, "plums": 30}
chosen = [discreet.noise.choose(votes, sensitivity=1, epsilon="0.1")[0] for _ in range(200)]
weights = {name: math.exp(0.1 * score / 2) for name, score in votes.items()}
{name: (chosen.count(name) / 200, round(weight / sum(weights.values()), 3)) for name, weight in weights.items()}"""),
    ("markdown", "## Lecture 2: foundations, and exact noise\nThe discrete Laplace is drawn exactly, from coins: zero with probability "
                 "$(1-e^{-\\varepsilon})/(1+e^{-\\varepsilon})$, and $\\mathbb{E}|E| = 2e^{-\\varepsilon}/(1-e^{-2\\varepsilon})$, whatever "
                 "the value is."),
    ("code", """values = numpy.zeros(10**6, dtype=numpy.int64)
discreet.noise.laplace(values, sensitivity=1, epsilon=1, out=values)       # in place, no copy
zeros, size = (1 - math.exp(-1)) / (1 + math.exp(-1)), 2 * math.exp(-1) / (1 - math.exp(-2))
assert abs((values == 0).mean() - zeros) < 0.005 and abs(abs(values).mean() - size) < 0.01
axes = plt.subplots(figsize=(6, 3))[1]
axes.bar(range(-8, 9), [(values == z).mean() for z in range(-8, 9)], label="drawn")
axes.plot(range(-8, 9), [zeros * math.exp(-abs(z)) for z in range(-8, 9)], "k.-", label="theorem")
axes.legend()
plt.gcf()"""),
    ("markdown", "That is a million draws. The audit does better: it walks *all* coin tapes of the compiled mechanism on two neighbours, and "
                 "compares what it measured with what is claimed."),
    ("code", """case = discreet.audit.exact("laplace")
assert case["verdict"] == "holds"
case"""),
    ("markdown", "## Lecture 3: why names are not enough\nOne very rich household moves to one of twenty ZIP codes. The exact means before and "
                 "after point at its house. Private means hide it: clamped to a declared range, a household moves the sum by no more than "
                 "that, and the noise covers it."),
    ("code", """private = session.query("SELECT zip, AVG(income) AS income FROM people GROUP BY zip", epsilon=2)
exact = numpy.array([sum(int(line.split(",")[2]) for line in open(os.path.join(folder, "people.csv")) if f",{zip_code}," in line) / (people / 20)
                     for zip_code in range(82400, 82420)])          # ours to see: we invented them
with_rich = exact.copy()
with_rich[14] += 2.5e8 / (people / 20)                              # somebody bought a house in 82414
axes = plt.subplots(figsize=(9, 3))[1]
private.plot(axes)
axes.plot(range(20), exact, "k_", markersize=14, label="exact, before")
axes.plot(range(20), numpy.minimum(with_rich, 2.4e5), "r^", markersize=4, label="exact, after (cut off)")
axes.set_ylim(0, 2.5e5)
axes.legend()
assert with_rich[14] - exact[14] > 1e5 / (people / 20000) / 10
plt.gcf()"""),
    ("markdown", "The same question again gives the same answer, free: averaging many answers to it tells nothing new. When the budget is gone "
                 "it is gone, for life."),
    ("code", """again = session.query("SELECT zip, AVG(income) AS income FROM people GROUP BY zip", epsilon=2)
assert again.repeated and list(again) == list(private)
try:
    session.query("SELECT COUNT(*) FROM people WHERE income > 1", epsilon=100)
    raise AssertionError("that is more than there is")
except discreet.BudgetError as gone:
    print(gone)
session.budget()"""),
    ("markdown", "## Lecture 4: applications\nStatistics of bits and numbers, each with its interval; small groups feel the same noise more. And "
                 "models, whose *training* is private."),
    ("code", """answer = session.query("SELECT smoker, COUNT(*) AS people, AVG(income) AS mean, MEDIAN(income) AS median FROM people GROUP BY smoker",
                       epsilon=3)
answer"""),
    ("code", """model = discreet.learn.Classifier(target="smoker", features=["income"], epsilon=2).fit(session)
incomes = numpy.arange(5000, 100001, 5000)
chances = model.predict_proba([{"income": int(income)} for income in incomes])[:, model.classes_.index("true")]
axes = plt.subplots(figsize=(5, 3))[1]
axes.plot(incomes, chances)
axes.set_xlabel("income")
axes.set_ylabel("chance to smoke, by the model")
plt.gcf()"""),
    ("markdown", "Prices add up, and better theorems add them up to less: a thousand Gaussian answers cost far less than a thousand times one."),
    ("code", """basic = discreet.account.compose(epsilon="0.01x1000", delta=0)
better = discreet.account.compose(gaussian="100x1000", delta="1e-6")
assert better["epsilon_upper"] < basic["epsilon_upper"]
{"basic composition": basic["epsilon_upper"], "Gaussians, exactly": better["epsilon_upper"]}"""),
    ("code", "session.close()"),
]


def sources():
    return list(CELLS)


def shown(value):
    """What a notebook shows of a value, as an output of its cell."""
    data = {"text/plain": repr(value)}
    page = value._repr_html_() if hasattr(value, "_repr_html_") else None
    if page is not None:  # a figure has none
        data["text/html"] = page
    if hasattr(value, "savefig"):
        picture = io.BytesIO()
        value.savefig(picture, format="png", dpi=70, bbox_inches="tight")
        data["image/png"] = base64.b64encode(picture.getvalue()).decode()
        from matplotlib import pyplot
        pyplot.close(value)
    return {"output_type": "execute_result", "data": data, "metadata": {}}


def executed():
    """Runs all cells; for each one with code the list of its outputs."""
    scope, outputs = {"__name__": "notebook"}, []
    for kind, text in CELLS:
        if kind != "code":
            continue
        *body, last = ast.parse(text).body
        is_shown = isinstance(last, ast.Expr)
        exec(compile(ast.Module(body if is_shown else [*body, last], []), "lectures.ipynb", "exec"), scope)  # noqa: S102
        value = eval(compile(ast.Expression(last.value), "lectures.ipynb", "eval"), scope) if is_shown else None  # noqa: S307
        outputs.append([] if value is None else [shown(value)])
    return outputs


def cell(kind, text, outputs, number):
    lines = text.splitlines(keepends=True)
    if kind == "markdown":
        return {"cell_type": "markdown", "metadata": {}, "source": lines}
    for output in outputs:
        output["execution_count"] = number
        output["data"] = {name: value if name == "image/png" else value.splitlines(keepends=True) for name, value in output["data"].items()}
    return {"cell_type": "code", "execution_count": number, "metadata": {}, "outputs": outputs, "source": lines}


if __name__ == "__main__":
    import matplotlib
    matplotlib.use("Agg")
    made = iter(enumerate(executed(), 1))
    cells = []
    for kind, text in CELLS:
        number, outputs = next(made) if kind == "code" else (0, [])
        cells.append(cell(kind, text, outputs, number))
    notebook = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 4}
    pathlib.Path(__file__).with_name("lectures.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
