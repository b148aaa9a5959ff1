"""Starts the server over a small survey and lets schemathesis ask whatever /api/v1/openapi.json allows, and what it does not,
as each role and as nobody. Every answer must be one that the document describes, and none a fault of the server's."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

PROGRAM = os.environ.get("DISCREET", "build/bin/discreet")
SCHEMATHESIS = os.path.abspath(os.environ.get("SCHEMATHESIS", "build/venv/schemathesis/bin/schemathesis"))
EXAMPLES = os.environ.get("EXAMPLES", "60")

POLICY = """version: 1
engine: duckdb
snapshot: one
units:
  people: {budget: {epsilon: 1000}, analysts: {ann: {epsilon: 500}}}
tables:
  survey:
    source: survey.csv
    unit: {namespace: people, column: person}
    columns:
      income: {type: integer, range: [0, 200000]}
      region: {type: text, values: [a, b]}
"""


def call(url, method, path, body=None, token=None):
    request = urllib.request.Request(url + "/api/v1/" + path, method=method, data=json.dumps(body).encode() if body is not None else None)
    if body is not None:
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", "Bearer " + token)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = ["person,income,region"] + [f"{i},{1000 + 10 * i},{'ab'[i % 2]}" for i in range(500)]
        (folder / "survey.csv").write_text("\n".join(rows) + "\n")
        (folder / "policy.yaml").write_text(POLICY)
        where = ["--policy", folder / "policy.yaml", "--ledger", folder / "ledger", "--key", folder / "key", "--witness", folder / "witness"]
        subprocess.run([PROGRAM, "ledger", "init", *where], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "local", "survey", "--name", "colour", "--epsilon", "1", "--labels", "no,yes", "--out", folder / "s.survey"],
                       check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen([PROGRAM, "serve", *where, "--survey", folder / "s.survey", "--listen", "127.0.0.1:0", "--answer-ms", "20",
                                   "--tick-ms", "10"], stderr=subprocess.PIPE, text=True)
        said = ""
        while "; SIG" not in said:
            line = server.stderr.readline()
            if not line:
                sys.exit("the server ended: " + said)
            said += line
        log = open(folder / "log", "w", encoding="utf-8")
        reader = subprocess.Popen(["cat"], stdin=server.stderr, stdout=log)
        url = re.search(r"serving on (\S+);", said).group(1)
        try:
            faults = soak(url, re.search(r"password  (\S+)", said).group(1), folder)
            faults += 0 if server.poll() is None else 1
        finally:
            server.terminate()
            server.wait()
            reader.wait()
            log.close()
        bugs = [line for line in (folder / "log").read_text().splitlines() if '"status":500' in line]
        print(f"{len(bugs)} answers with status 500")
        sys.exit(1 if faults or bugs else 0)


def soak(url, password, folder):
    owner = call(url, "POST", "login", {"name": "owner", "password": password})["token"]
    tokens = {"nobody": None}
    for name, role in [("ann", "analyst"), ("audit", "auditor"), ("second", "owner")]:
        made = call(url, "POST", "accounts", {"name": name, "role": role}, owner)
        tokens[name] = call(url, "POST", "login", {"name": name, "password": made["password"]})["token"]
    faults = 0
    for who, token in tokens.items():
        print(f"== as {who}", flush=True)
        words = [SCHEMATHESIS, "run", url + "/api/v1/openapi.json", "--checks", "not_a_server_error,status_code_conformance,content_type_conformance",
                 "--max-examples", EXAMPLES, "--seed", "1", "--exclude-path-regex", "/(logout|password|reload)$", "--generation-database", "none",
                 "--suppress-health-check", "all", "--no-color", "--warnings", "off"]
        if token:
            words += ["-H", "Authorization: Bearer " + token]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)  # it leaves a folder there
        print(done.stdout[-3000:], flush=True)
        faults += 1 if done.returncode else 0
    return faults


main()
