"""A small clinic with its policy and ledger in a folder, served by the real program over HTTP and PostgreSQL's protocol.

    with House("build/bin/discreet") as house:
        psycopg.connect(**house.login("ann"))
"""

import json
import pathlib
import re
import subprocess
import tempfile
import urllib.request

POLICY = """version: 1
engine: duckdb
snapshot: one
units:
  patients: {budget: {epsilon: 1000, delta: 1e-3}, analysts: {ann: {epsilon: 900, delta: 1e-4}, poor: {epsilon: 1}}}
tables:
  visits:
    source: visits.csv
    unit: {namespace: patients, column: patient_id}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 1}
    columns:
      clinic: {type: text, values: [north, south, east]}
      age:    {type: integer, range: [0, 120]}
      cost:   {type: decimal, range: [0, 5000], step: 0.01}
      day:    {type: date, range: [2020-01-01, 2026-12-31]}
      at:     {type: timestamp, range: [2020-01-01 00:00:00, 2026-12-31 23:59:59]}
      smoker: {type: boolean}
      ward:   {type: integer, values: [WARDS]}
public:
  zips:
    source: zips.csv
    columns:
      zip:    {type: text}
      people: {type: integer, range: [0, 1000000]}
"""

PEOPLE = 3000


class Clinic:
    """The files alone. Rows are fixed: 3,000 patients with one visit each, a third of them in each clinic. `wards` is how many
    groups GROUP BY ward has."""

    def __init__(self, program, wards=4):
        self.folder = tempfile.TemporaryDirectory(prefix="discreet-clients-")
        self.path = pathlib.Path(self.folder.name)
        self.program = str(program)
        (self.path / "policy.yaml").write_text(POLICY.replace("WARDS", ", ".join(map(str, range(wards)))))
        with open(self.path / "visits.csv", "w") as file:
            file.write("patient_id,clinic,age,cost,day,at,smoker,ward\n")
            for i in range(PEOPLE):
                file.write(f"{i},{('north', 'south', 'east')[i % 3]},{20 + i % 60},{i % 400}.25,2024-01-{1 + i % 28:02},"
                           f"2024-03-01 10:{i % 60:02}:00,{'true' if i % 2 else 'false'},{i % wards}\n")
        (self.path / "zips.csv").write_text("zip,people\n02139,1000\n")
        self.ledger = [f"--{name}={self.path / name}" for name in ("ledger", "key", "witness")]
        self.policy = f"--policy={self.path / 'policy.yaml'}"
        subprocess.run([self.program, "ledger", "init", self.policy, *self.ledger], check=True, capture_output=True)


class House(Clinic):
    """A clinic that is served. With `tls` the server has a certificate of its own making."""

    def __init__(self, program, wards=4, answer_ms=20, tls=False):
        super().__init__(program, wards)
        command = [self.program, "serve", self.policy, *self.ledger, "--listen=127.0.0.1:0", "--pg-listen=127.0.0.1:0",
                   "--tick-ms=10", f"--answer-ms={answer_ms}"]
        self.tls = tls
        if tls:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                            "/CN=localhost", "-keyout", self.path / "tls.key", "-out", self.path / "tls.crt"],
                           check=True, capture_output=True)
            command += [f"--tls-certificate={self.path / 'tls.crt'}", f"--tls-key={self.path / 'tls.key'}"]
        self.log = open(self.path / "server.log", "w+")
        self.process = subprocess.Popen(command, stderr=self.log)
        said = self.wait_for("; SIGHUP")
        self.port = int(re.search(r"port=(\d+)", said)[1])
        self.http = re.search(r"serving on (https?://\S+?);", said)[1]
        self.passwords = {"owner": re.search(r"password  (\S+)", said)[1]}
        self.token = self.call("POST", "login", {"name": "owner", "password": self.passwords["owner"]})["token"]
        for name, role in (("ann", "analyst"), ("poor", "analyst"), ("audit", "auditor")):
            self.passwords[name] = self.call("POST", "accounts", {"name": name, "role": role})["password"]

    def wait_for(self, words):
        for _ in range(600):
            said = (self.path / "server.log").read_text()
            if words in said:
                return said
            if self.process.poll() is not None:
                break
            try:
                self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        raise RuntimeError(f"the server did not start: {said}")

    def call(self, method, path, body=None):
        import ssl
        context = ssl.create_default_context(cafile=self.path / "tls.crt") if self.tls else None
        if context:
            context.check_hostname = False
        request = urllib.request.Request(f"{self.http}/api/v1/{path}", method=method,
                                         data=json.dumps(body).encode() if body is not None else None,
                                         headers={"Content-Type": "application/json"})
        if hasattr(self, "token"):
            request.add_header("Authorization", f"Bearer {self.token}")
        return json.load(urllib.request.urlopen(request, context=context))

    def login(self, name="ann"):
        return {"host": "127.0.0.1", "port": self.port, "dbname": "discreet", "user": name,
                "password": self.passwords[name]}

    def url(self, driver, name="ann"):
        return f"postgresql+{driver}://{name}:{self.passwords[name]}@127.0.0.1:{self.port}/discreet"

    def spent(self, name="ann"):
        budgets = self.call("GET", "budget")["budgets"]
        return sum(float(a["spent"]) for b in budgets for a in b["accounts"] if a["account"] == name)

    def is_alive(self):
        return self.process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            status = self.process.wait(20)
        finally:
            self.process.kill()
            self.log.close()
            self.folder.cleanup()
        if status != 0:
            raise RuntimeError(f"the server ended with status {status}")
