"""Stores what a later version must be able to open: tests/upgrade/make.py PROGRAM FOLDER [QUESTIONS]

Run once for each version, by its own program; the folder is committed and never changed afterwards."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from fixture import DAILY, DAYS, POLICY, UNITS, Program, World, people, questions, reports  # noqa: E402
from postgres_server import POSTGRES, Postgres  # noqa: E402

SHARED = 5  # so many of ann's answers are shown to the press as well


def store(path, document):
    """As JSON, an answer a line."""
    path.write_text(json.dumps(document, sort_keys=True).replace('], [{"', '],\n[{"') + "\n")


def make_ledger(world, notion, count):
    """A ledger with answers, and what is expected of it."""
    world.folder.mkdir(parents=True)
    (world.folder / "policy.yaml").write_text(POLICY % UNITS[notion] + (DAILY if notion == "zcdp" else ""))
    world.run("ledger", "init", *world.policy)
    asked = {"ann": questions(notion, count), "press": questions(notion, count)[:SHARED]}
    for analyst, each in asked.items():
        world.ask(analyst, each)


def close(world):
    """Only the ledger itself: its log is empty, as whoever opens it for writing leaves it."""
    log = world.folder / "people.ledger-wal"
    assert not log.exists() or log.stat().st_size == 0
    for path in (log, world.folder / "people.ledger-shm"):
        path.unlink(missing_ok=True)


def expect(world, notion, count):
    """What the same version says when it is asked again."""
    balances, records = world.balances(), len(world.history())
    assert (len(set(balances["blocks"].values())) == 2) == ("blocks" in UNITS[notion]), "both blocks, unlike each other"
    answers = {}
    for analyst, each in (("ann", questions(notion, count)), ("press", questions(notion, count)[:SHARED])):
        answers[analyst] = [[fields, document] for fields, document in zip(each, world.ask(analyst, each))]
    assert world.balances() == balances and len(world.history()) == records, "an answer was bought twice"
    store(world.folder / "expected.json", {"made_by": world.program.version(), "made_at": int(time.time()), "balances": balances,
                                           "records": records, "answers": answers})


def half_a_training(world):
    """Killed when its third part was taken: what the first two drew is in the checkpoint."""
    child = subprocess.Popen([world.program.path, *map(str, world.train_words())], stderr=subprocess.DEVNULL)
    while not any(record["request"].startswith("part 3 of ") for record in world.history()):
        assert child.poll() is None, "the training ended before it was killed"
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert (world.folder / "network.json.checkpoint").exists() and not (world.folder / "network.json").exists()


def make_local(program, folder):
    folder.mkdir()
    for name, what in (("smoking", ["--labels", "no,yes"]), ("age", ["--low", "0", "--high", "120"]), ("homepage", ["--strings"])):
        program.run("local", "survey", "--name", name, "--epsilon", "1", *what, "--out", folder / (name + ".survey"))
    store(folder / "expected.json", reports(program, folder))


def main():
    os.umask(0o077)
    program, folder = Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if sys.argv[3:] else 50
    folder.mkdir(parents=True)
    (folder / "people.csv").write_text(people())
    for notion in UNITS:
        world = World(program, folder / notion)
        make_ledger(world, notion, count)
        if notion == "epsilon":
            half_a_training(world)
        if notion == "zcdp":
            world.daily("register")
            for _ in range(DAYS):
                world.daily("step")
            store(world.folder / "days.json", world.days())
        expect(world, notion, count)
        close(world)
    make_local(program, folder / "local")
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        postgres = Postgres(scratch)
        try:
            world = World(program, folder / "postgres", postgres.url)
            make_ledger(world, "epsilon", count)
            expect(world, "epsilon", count)
            dump = subprocess.run([POSTGRES + "pg_dump", "-h", scratch, "-U", "dp", "--no-owner", "postgres"], check=True,
                                  capture_output=True, text=True).stdout
            # A psql of before August 2025 does not know these two.
            lines = [line for line in dump.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]
            (world.folder / "ledger.sql").write_text("\n".join(lines) + "\n")
        finally:
            postgres.close()


main()
