"""What every benchmark shares: ours and the peers measured in turns, a table, build/bench/NAME.json, and the
benchmark's section of docs/benchmarks.md. Needs nothing but Python; peers run in their own environments.

A benchmark is bench/NAME.cc, part of the program bench, bench/NAME.py, which calls main() below, and for each peer
bench/peers/PEER.txt, the pinned requirements of its environment. bench/noise.py is the example.

With --smallest a script only shows that its benchmark works: ours at the smallest size, in an empty folder that is removed
at the end, without peers. No goal is checked and nothing is written; it fails when a program fails, when a row of
docs/benchmarks.md is missing, and when a number is not finite. The tests run every benchmark like this.
"""

import datetime
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("DISCREET_BIN", ROOT / "build/bin"))
FOLDER = ROOT / "build/bench"  # for data and results
SMALLEST = "--smallest" in sys.argv[1:]
if SMALLEST:
    FOLDER.mkdir(parents=True, exist_ok=True)
    SCRATCH = tempfile.TemporaryDirectory(prefix="smallest-", dir=FOLDER)  # removed when this process ends
    FOLDER = pathlib.Path(SCRATCH.name)
    os.environ["DISCREET_BENCH_SMALLEST"] = "1"
os.environ["DISCREET_BENCH_FOLDER"] = str(FOLDER)


class NotMeasured(dict):
    """Values of which those that are not there were left out of a smallest run: they are NaN."""

    def __missing__(self, key):
        return math.nan

    def get(self, key, default=math.nan):
        return super().get(key, default)

    def __bool__(self):
        return True


class LeftOut(Exception):
    """Why a part of ours cannot run here at the smallest size."""


LEFT_OUT = []  # of ours, in this run


def left_out(what, why):
    print(f"left out: {what}: {why}")
    LEFT_OUT.append(what)


def row(work, unit, ours, peers, ratio=None, at_most=None, at_least=None):
    """One line of the table. `ratio` names what is divided, "ours/numpy" or "opendp/ours"; a goal is a bound
    on the ratio, or on our own value when there is no ratio. No goal: the row is there to be read."""
    value = ours
    quotient = None
    if ratio:
        above, below = ({"ours": ours, **peers}[name] for name in ratio.split("/"))
        value = quotient = above / below
    goal = met = None
    if at_most is not None:
        goal, met = f"{ratio or 'ours'} <= {at_most:g}", value <= at_most
    if at_least is not None:
        goal, met = f"{ratio or 'ours'} >= {at_least:g}", value >= at_least
    return {"work": work, "unit": unit, "ours": ours, "peers": peers, "ratio": quotient,
            "goal": goal or ratio, "met": met}


def rows_wanted(rows):
    """The setting that asks `bench sql` for a number of rows."""
    return {"DISCREET_BENCH_ROWS": str(rows // 1000 if SMALLEST else rows)}


def google_benchmark(name, min_time, rows=None, only=".", **settings):
    """Runs what matches `only` of bench/NAME.cc; the JSON object of each measurement, by its name."""
    environment = {**os.environ, **(rows_wanted(rows) if rows else {}), **settings}
    out = run([BIN / "bench", name, "--benchmark_format=json", f"--benchmark_min_time={0 if SMALLEST else min_time}",
               f"--benchmark_filter={only}"], environment)
    entries = json.loads(out)["benchmarks"]
    for entry in entries:
        if entry.get("error_occurred"):
            sys.exit(f"bench {name}, {entry['name']}: {entry['error_message']}")
    return {entry["name"]: entry for entry in entries}


def peak_memory(command, environment):
    """Megabytes that a program held at the most."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} failed with status {process.returncode}")
    return usage.ru_maxrss / 1024


def peer(name, script, *arguments):
    """Runs bench/<script> in the environment of that name; what it prints as JSON."""
    python = ROOT / f"build/venv/{name}/bin/python"
    if SMALLEST and not python.exists():
        raise LeftOut(f"{python.relative_to(ROOT)} is not there")
    return json.loads(run([python, ROOT / "bench" / script, name, *arguments]))


def run(command, environment=None):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{command[0]} failed with status {done.returncode}")
    return done.stdout


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:<40}\r", end="", file=sys.stderr, flush=True)


def medians(contestants, rounds):
    """contestants: {name: function returning {work: value}}. Machines are noisy and drift, so all take turns,
    in an order that rotates, and the median over the rounds counts."""
    measured = {name: {} for name in contestants}
    names = list(contestants)
    for i in range(rounds):
        for name in names[i % len(names):] + names[:i % len(names)]:
            progress(f"round {i + 1}/{rounds}: {name}")
            for work, value in contestants[name]().items():
                measured[name].setdefault(work, []).append(value)
    progress("")
    return {name: {work: statistics.median(values) for work, values in works.items()}
            for name, works in measured.items()}


def number(value):
    if value is None or math.isnan(value):
        return ""
    return f"{value:.3g}" if abs(value) < 1000 or abs(value) >= 1e7 else f"{value:,.0f}"


def table(rows):
    """The rows as a Markdown table, aligned so that it reads well on a terminal too."""
    cells = [["work", "unit", "ours", "peer", "ratio", "goal", "met"]]
    for r in rows:
        peers = ", ".join(f"{name} {number(value)}" for name, value in r["peers"].items())
        cells.append([r["work"], r["unit"], number(r["ours"]), peers, number(r["ratio"]), r["goal"] or "",
                      {None: "", True: "yes", False: "MISSED"}[r["met"]]])
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(f"{c:<{w}}" for c, w in zip(line, widths)) + " |" for line in cells)


def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
               platform.machine())
    return f"{cpu}, {os.cpu_count()} cores"


def write_section(name, text):
    """Replaces what stands between <!-- NAME --> and <!-- /NAME --> in docs/benchmarks.md."""
    path = ROOT / "docs/benchmarks.md"
    document = path.read_text() if path.exists() else "# Benchmarks\n\nWritten by `./dev bench NAME`.\n"
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    if begin not in document:
        document += f"\n{begin}{end}"
    before, rest = document.split(begin)
    after = rest.split(end)[1]
    path.parent.mkdir(exist_ok=True)
    path.write_text(before + begin + text + end + after)


def recorded_rows(name):
    """What the last full run wrote to docs/benchmarks.md: the work of each row, and beside whom it stands."""
    document = (ROOT / "docs/benchmarks.md").read_text()
    section = document.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->\n")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    cells = [line.split("|") for line in lines[2:]]  # the first two are the head
    return [(line[1].strip(), line[4].strip()) for line in cells]


def smallest(name, ours, others, rows):
    """The status of a run at the smallest size. `ours` maps parts to their measurements, `others` are not measured."""
    measured = {other: NotMeasured() for other in others}
    wrong = []
    for part, measure in ours.items():
        try:
            measured[part] = measure()
        except LeftOut as reason:
            left_out(part, reason)
            measured[part] = NotMeasured()
        wrong += [f"{part}, {work}: {value}" for work, value in measured[part].items() if not math.isfinite(value)]
    if others:
        print(f"left out: {', '.join(others)}")
    made = list(rows(measured))
    print(table([{**r, "goal": None, "met": None} for r in made]))
    for r in made:
        if math.isnan(r["ours"]):
            print(f"left out: {r['work']}")
    if set(LEFT_OUT) >= set(ours):
        wrong.append("all of it was left out")
    elif not LEFT_OUT:
        wrong += [f"{r['work']}: no number" for r in made if math.isnan(r["ours"])]
    works = {r["work"] for r in made}
    wrong += [f"{work}: docs/benchmarks.md has this row, this run does not" for work, beside in recorded_rows(name)
              if work not in works and not any(beside.startswith(f"{other} ") for other in others)]
    for line in wrong:
        print(f"WRONG: {line}")
    print("Smallest sizes: the benchmark works, its numbers say nothing." if not wrong else f"{len(wrong)} mistakes.")
    return 1 if wrong else 0


def report(name, rows, notes):
    json_path = ROOT / f"build/bench/{name}.json"
    json_path.parent.mkdir(parents=True, exist_ok=True)
    json_path.write_text(json.dumps(rows, indent=1) + "\n")
    missed = sum(r["met"] is False for r in rows)
    asked = sum(r["met"] is not None for r in rows)
    verdict = f"{asked - missed} of {asked} goals met."
    today = datetime.date.today().isoformat()
    print(table(rows) + "\n" + verdict)
    write_section(name, f"## {name}\n\n{notes}\n\n{today}, {machine()}. {verdict}\n\n{table(rows)}\n")
    return 1 if missed else 0


def main(name, contestants, rows, rounds, notes, ours=("ours",)):
    """`contestants` maps ours (one or more) and each peer to its measurement, `rows` makes the table from the medians.
    With --peers it only names those that have an environment, for ./dev to make it."""
    if sys.argv[1:2] == ["--peers"]:
        print(*(c for c in contestants if (ROOT / f"bench/peers/{c}.txt").exists()))
        return
    if SMALLEST:
        peers = [c for c in contestants if c not in ours]
        sys.exit(smallest(name, {part: contestants[part] for part in ours}, peers, rows))
    measured = medians(contestants, rounds)
    sys.exit(report(name, list(rows(measured)), notes))
