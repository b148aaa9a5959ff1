"""Opens what earlier versions stored: tests/upgrade/check.py PROGRAM [FOLDER..]

The folders are those beside this file, which make.py made with the programs of their time. Balances are what they were, every
question that was answered costs nothing and has the same answer, what was begun goes on; a ledger of an older format is
upgraded first, and one of a newer format is refused by name."""

import hashlib
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from fixture import DAYS, Program, World, private, reports  # noqa: E402
from postgres_server import Postgres  # noqa: E402


def digest(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return [(str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files if path.stat().st_size > 0]


def same(what, found, expected):
    assert found == expected, f"{what}: {found} instead of {expected}"


def says(said, *words):
    for each in words:
        assert each in said, f"{each!r} is not in {said!r}"


def upgrade(world, expected):
    """Nothing to do for a ledger of this format. An older one is read as it is, not written, and upgraded once."""
    wanted = ["ledger", "upgrade", "--json"]
    before = digest(world.folder)
    would = json.loads(world.run(*wanted, "--check"))
    same("balances as they are", world.balances(), expected["balances"])
    same("records as they are", len(world.history()), expected["records"])
    world.run("ledger", "verify")
    if would["from"] != would["to"]:
        says(world.run("query", "SELECT COUNT(*) FROM people", "--epsilon", "1", "--analyst", "ann", *world.policy, refused=True),
             f"has format {would['from']}", world.program.version(), f"writes format {would['to']}", "`discreet ledger upgrade`")
    same("files after a check", digest(world.folder), before)
    done = json.loads(world.run(*wanted))
    same("the upgrade", done, {**would, "changed": "yes" if would["from"] != would["to"] else "no"})
    again = json.loads(world.run(*wanted))
    same("a second upgrade", (again["from"], again["to"], again["changed"]), (done["to"], done["to"], "no"))
    return 1 if done["changed"] == "yes" else 0


def check_ledger(world):
    """How many answers were had again."""
    expected = json.loads((world.folder / "expected.json").read_text())
    assert time.time() > expected["made_at"], "this machine's clock is before the day on which the ledger was made"
    records = expected["records"] + upgrade(world, expected)
    answers = 0
    for analyst, each in expected["answers"].items():
        documents = world.ask(analyst, [fields for fields, _ in each])
        for (fields, document), found in zip(each, documents, strict=True):
            assert document["repeated"], fields
            # What is told beside the bytes is not stored: the number of the receipt, how it is made.
            beside = ("charge", "made")
            same(fields["sql"], *({name: part for name, part in each.items() if name not in beside} for each in (found, document)))
        answers += len(each)
    same("records after asking again", len(world.history()), records)
    if (world.folder / "days.json").exists():
        check_daily(world)
    if (world.folder / "network.json.checkpoint").exists():
        check_training(world)
    same("balances in the end", world.balances(), expected["balances"])
    world.run("ledger", "verify")
    return answers


def check_daily(world):
    """What was released is the same, before its state is upgraded, and after the step that does it; newer fields may be there."""
    days = json.loads((world.folder / "days.json").read_text())
    released = (world.folder / "daily" / "by_day.released").read_text()

    def shown():
        return [{name: day[name] for name in days[0]} for day in world.days()]

    same("days", (len(days), shown()), (DAYS, days))
    same("the state after it was shown", (world.folder / "daily" / "by_day.released").read_text(), released)
    policy = world.folder / "policy.yaml"
    text = policy.read_text()
    for was, becomes in (("first: 2026-01-01", "first: 2026-01-02"), ("days: 64", "days: 65"), ("rho: 0.5", "rho: 0.4")):
        assert was in text
        policy.write_text(text.replace(was, becomes))
        says(world.daily("step", refused=True), "was changed in the policy after it was registered")
    policy.write_text(text)
    world.daily("step")
    same("days after a step", (len(world.days()), shown()[:DAYS]), (DAYS + 1, days))
    policy.write_text(text.replace("../people.csv", "../citizens.csv"))
    shutil.copy(world.folder / "../people.csv", world.folder / "../citizens.csv")
    says(world.daily("step", refused=True), "source was '../people.csv' and is '../citizens.csv'")
    policy.write_text(text)
    world.daily("step")
    same("days in the end", (len(world.days()), shown()[:DAYS]), (DAYS + 2, days))


def check_training(world):
    world.program.run(*world.train_words())
    steps = json.loads((world.folder / "network.json").read_text())["model"]["steps"]
    assert steps in (180, 200), steps  # the part in which it was killed is lost
    requests = [record["request"] for record in world.history()]
    for part in range(1, 11):
        same(f"part {part}", sum(each.startswith(f"part {part} of ") for each in requests), 1)


def check_newer(world, set_format, newer):
    """Also for looking: what it means is not known."""
    set_format(newer)
    for words in (["show"], ["history"], ["verify"], ["upgrade"], ["upgrade", "--check"]):
        says(world.run("ledger", *words, refused=True), f"has format {newer}, but discreet {world.program.version()} knows formats "
             f"up to {newer - 1}; use a newer program")


def set_version(path, number):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()


def check_version(program, folder, postgres, newer):
    """How many answers were had again."""
    answers = 0
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    assert folders, f"{folder.name} holds nothing that was stored"
    for path in folders:
        if (path / "people.ledger").exists():
            world = World(program, path)
            answers += check_ledger(world)
            check_newer(world, lambda number, at=world.place: set_version(at, number), newer)
        elif (path / "ledger.sql").exists():
            database = "v" + folder.name.translate({ord("."): "_", ord("-"): "_"})
            postgres.sql(f"CREATE DATABASE {database}")
            postgres.restore(database, path / "ledger.sql")
            world = World(program, path, postgres.url_of(database))
            answers += check_ledger(world)
            check_newer(world, lambda number, at=database: postgres.sql(f"UPDATE discreet_ledger.format SET version = {number}", at),
                        newer)
        elif path.name == "local":
            same("reports", reports(program, path), json.loads((path / "expected.json").read_text()))
        else:
            raise AssertionError(f"{folder.name}/{path.name} is not of a shape that is checked")
    return answers


def main():
    program = Program(sys.argv[1])
    folders = [pathlib.Path(each) for each in sys.argv[2:]] or sorted(path for path in HERE.iterdir() if path.is_dir())
    folders = [folder for folder in folders if folder.name != "__pycache__"]
    assert folders, "there is nothing that an earlier version stored"
    newer = 1 + next(each["version"] for each in program.json("--version", "--formats") if each["format"] == "ledger")
    with tempfile.TemporaryDirectory(prefix="discreet-upgrade-") as work:
        os.chmod(work, 0o755)
        postgres = Postgres(os.path.join(work, "pg"))
        try:
            for folder in folders:
                copy = pathlib.Path(work) / folder.name
                shutil.copytree(folder, copy)
                private(copy)
                began = time.monotonic()
                answers = check_version(program, copy, postgres, newer)
                assert answers > 0, f"{folder.name} holds no answers"
                print(f"{folder.name}: {answers} answers again, for nothing; {time.monotonic() - began:.1f} s")
        finally:
            postgres.close()


main()
