"""./dev soak strangers [SECONDS [SEED]]: a server as it is run, with both ports, and people who want it to stand still.

One honest user logs in and asks all along, over HTTP and over PostgreSQL's protocol. Around it, one after the other and then two at a
time, the cases below: crowds of connections that say nothing or little, floods of Describe, wrong passwords, an analyst's endless
questions and free jobs, stuffed surveys, files that another process holds, no file descriptors and no threads left, SIGTERM in the middle.
Everything is on loopback; strangers come from 127.0.0.2 and further. A violation is: no answer to the honest user within the bounds
below, another answer than the right one, more memory than kMemory, a process that ended, a SIGTERM that did not end it, a ledger that
does not verify. Where locks are held by another process or there are no descriptors, only what reads has to answer, and the rest
afterwards. Steps of the clock are not tried here: jobs_test, identity_test and limits_test do, with a clock of their own.

No sample of this runs in ./dev test: what it finds is time on a busy machine. Each kind has a test there that needs none: http_test
(crowds, slow clients, pools in turn), bounded_test (the same at PostgreSQL's port; no threads), flood_test (Describe without Sync, portals),
doors_test and identity_test (locks by name and address), jobs_test (analysts in turn, free jobs stop), time_limit_test, limits_test (stuffing),
locked_test and serve_test (locks of other processes, SIGTERM)."""

import base64
import fcntl
import hashlib
import hmac
import json
import os
import pathlib
import random
import re
import resource
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection, HTTPException

PROGRAM = os.path.abspath(os.environ.get("DISCREET", "build/bin/discreet"))
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()) % 1000000

# Seconds to an answer, in spite of everything, on a machine that is busy with this.
READ_BOUND, LOGIN_BOUND, ASK_BOUND, STOP_BOUND = 5.0, 20.0, 25.0, 25.0
TIME_LIMIT = 4  # of a question, --time-limit
MEMORY = 1 << 30  # bytes; four connections may keep 16 MiB each and need 96 MiB each for a message
STRANGERS = [f"127.0.0.{i}" for i in range(2, 34)]

POLICY = """version: 1
engine: duckdb
snapshot: one
units:
  people: {budget: {epsilon: 1000}, analysts: {ann: {epsilon: 500}, mal: {epsilon: 400}}}
tables:
  survey:
    source: survey.csv
    unit: {namespace: people, column: person}
    columns:
      income: {type: integer, range: [0, 200000]}
      region: {type: text, values: [a, b]}
"""


class Tally:
    """What happened, and what must not."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.slowest = {}
        self.violations = []
        self.memory = 0

    def count(self, what, more=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + more

    def took(self, what, seconds):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
            self.slowest[what] = max(self.slowest.get(what, 0.0), seconds)

    def violation(self, text):
        with self.lock:
            self.violations.append(text)
        print("VIOLATION: " + text, flush=True)


TALLY = Tally()


def http(port, method, path, body=None, token=None, source="127.0.0.1", timeout=30.0, kind="application/json"):
    """(status, bytes); (0, b"") where there was no answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout, source_address=(source, 0))
    try:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": kind} if body is not None else {}
        if token:
            headers["Authorization"] = "Bearer " + token
        connection.request(method, path, body=data, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, ValueError, HTTPException):
        return 0, b""
    finally:
        connection.close()


class Postgres:
    """As little of PostgreSQL's protocol as is needed to log in and to ask, or to be a nuisance."""

    def __init__(self, port, source="127.0.0.1", timeout=30.0):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=(source, 0))
        self.buffer = b""

    def close(self):
        self.socket.close()

    def send(self, kind, body):
        self.socket.sendall(kind + struct.pack(">I", len(body) + 4) + body)

    def start(self, user):
        body = struct.pack(">I", 196608) + b"user\0" + user.encode() + b"\0database\0discreet\0\0"
        self.socket.sendall(struct.pack(">I", len(body) + 4) + body)

    def receive(self):
        while len(self.buffer) < 5 or len(self.buffer) < 1 + struct.unpack(">I", self.buffer[1:5])[0]:
            more = self.socket.recv(65536)
            if not more:
                raise OSError("closed")
            self.buffer += more
        size = 1 + struct.unpack(">I", self.buffer[1:5])[0]
        message, self.buffer = self.buffer[:size], self.buffer[size:]
        return message[:1], message[5:]

    def log_in(self, user, password):
        """Whether it could."""
        self.start(user)
        nonce = base64.b64encode(os.urandom(18)).decode()
        first = f"n=,r={nonce}"
        final = b""
        while True:
            kind, body = self.receive()
            if kind == b"E":
                return False
            if kind == b"Z":
                return True
            if kind != b"R":
                continue
            code = struct.unpack(">I", body[:4])[0]
            if code == 10:
                text = ("n,," + first).encode()
                self.send(b"p", b"SCRAM-SHA-256\0" + struct.pack(">I", len(text)) + text)
            elif code == 11:
                server = body[4:].decode()
                parts = dict(item.split("=", 1) for item in server.split(","))
                salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(parts["s"]), int(parts["i"]))
                key = hmac.digest(salted, b"Client Key", "sha256")
                bare = "c=biws,r=" + parts["r"]
                message = ",".join([first, server, bare]).encode()
                proof = bytes(a ^ b for a, b in zip(key, hmac.digest(hashlib.sha256(key).digest(), message, "sha256")))
                final = (bare + ",p=" + base64.b64encode(proof).decode()).encode()
                self.send(b"p", final)

    def ask(self, sql):
        """An error's SQLSTATE, or "" when there were rows."""
        self.send(b"Q", sql.encode() + b"\0")
        state = "none"
        while True:
            kind, body = self.receive()
            if kind == b"D":
                state = ""
            if kind == b"E":
                state = next((part[1:].decode() for part in body.split(b"\0") if part[:1] == b"C"), "?")
            if kind == b"Z":
                return state


class Server:
    def __init__(self, folder):
        self.folder = folder
        self.where = ["--policy", folder / "policy.yaml", "--ledger", folder / "ledger", "--key", folder / "key", "--witness",
                      folder / "witness"]
        self.process = None

    def start(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen([PROGRAM, "serve", *self.where, "--survey", self.folder / "s.survey", "--listen", "127.0.0.1:0",
                                         "--pg-listen", "127.0.0.1:0", "--answer-ms", "100", "--tick-ms", "50", "--time-limit",
                                         str(TIME_LIMIT)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        said = b""
        while b"; SIG" not in said:
            line = self.process.stderr.readline()
            if not line:
                sys.exit("the server ended: " + said.decode())
            said += line
        text = said.decode()
        self.port = int(re.search(r"serving on \S+:(\d+);", text).group(1))
        self.pg = int(re.search(r"port=(\d+) ", text).group(1))
        found = re.search(r"password  (\S+)", text)
        stream = self.process.stderr
        threading.Thread(target=lambda: [log.write(line) for line in stream], daemon=True).start()
        return found.group(1) if found else None

    def stop(self, about):
        """SIGTERM, and whether it ended in time and well."""
        begun = time.monotonic()
        self.process.terminate()
        try:
            status = self.process.wait(STOP_BOUND)
            TALLY.took("SIGTERM", time.monotonic() - begun)
            if status != 0:
                TALLY.violation(f"SIGTERM while {about}: exit status {status}")
        except subprocess.TimeoutExpired:
            TALLY.violation(f"SIGTERM while {about}: still there after {STOP_BOUND} s")
            self.process.kill()
            self.process.wait()

    def memory(self):
        try:
            text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024
        except (OSError, AttributeError):
            return 0


class Honest(threading.Thread):
    """Logs in, looks and asks, all along. `asks` is cleared while nobody can be charged, `enters` while nobody can come in."""

    def __init__(self, server, password, seed):
        super().__init__(daemon=True)
        self.server, self.password = server, password
        self.random = random.Random(seed)
        self.stops = threading.Event()
        self.asks, self.enters = threading.Event(), threading.Event()
        self.asks.set()
        self.enters.set()
        self.idle = threading.Event()  # set while nothing of it is under way
        self.number = 0
        self.excuses = 0  # how often charging stopped
        self.phase = "nothing else"

    def rest(self):
        """Nothing of it is under way when this returns; resume() ends that."""
        self.enters.clear()
        self.idle.wait()

    def resume(self):
        self.enters.set()

    def excuse(self):
        """Nothing can be charged from here on, until `asks` is set."""
        self.excuses += 1
        self.asks.clear()

    def timed(self, what, bound, run, is_charged=False):
        """Tries until `run` says True. What is charged need not be answered while nothing can be."""
        begun, phase, number, excuses = time.monotonic(), self.phase, 0, self.excuses
        while True:
            done = run()
            spent = time.monotonic() - begun
            is_excused = is_charged and (excuses != self.excuses or not self.asks.is_set())
            if done is True:
                if not is_excused:
                    TALLY.took(what, spent)
                if spent > bound and not is_excused:
                    TALLY.violation(f"{what} took {spent:.1f} s during: {phase}")
                return True
            number += 1
            TALLY.count(what + ", tried again")
            if is_excused or not self.enters.is_set():
                return False
            if spent > bound:
                TALLY.violation(f"{what} was not answered in {spent:.1f} s and {number} tries, at last {done}, during: {phase}")
                return False
            time.sleep(0.1)

    def run(self):
        while not self.stops.is_set():
            if not self.enters.is_set():
                self.idle.set()
                time.sleep(0.02)
                continue
            self.idle.clear()
            self.turn()
            time.sleep(0.3)  # five logins a second are too many for anybody
        self.idle.set()

    def turn(self):
        port = self.server.port

        def get(path, wanted, token=None):
            status, body = http(port, "GET", path, token=token)
            return True if status in wanted else (status, body[:100])

        well = (200,) if self.asks.is_set() else (200, 503)
        self.timed("health", READ_BOUND, lambda: get("/healthz", well))
        self.timed("page", READ_BOUND, lambda: get("/", (200, 404)))
        token = [None]

        def log_in():
            status, body = http(port, "POST", "/api/v1/login", {"name": "ann", "password": self.password})
            if status == 200:
                token[0] = json.loads(body)["token"]
                return True
            return status, body[:100]

        if not self.timed("login", LOGIN_BOUND, log_in):
            return
        self.timed("budget", READ_BOUND, lambda: get("/api/v1/budget", (200,), token[0]))
        self.number += 1
        sql = f"SELECT COUNT(*) FROM survey WHERE income > {self.number}"

        def post(path):
            status, body = http(port, "POST", path, {"sql": sql, "epsilon": "0.0001"}, token[0], timeout=60)
            return True if status == 200 else (status, body[:200])

        self.timed("explain", READ_BOUND, lambda: post("/api/v1/explain"))
        if not self.asks.is_set():
            return
        self.timed("question", ASK_BOUND, lambda: post("/api/v1/query"), is_charged=True)

        def over_postgres():
            try:
                client = Postgres(self.server.pg)
                try:
                    if not client.log_in("ann", self.password):
                        return "no login"
                    for line in ["SET discreet.epsilon = '0.0001'", sql + "0"]:
                        state = client.ask(line)
                    return True if state == "" else state
                finally:
                    client.close()
            except OSError as error:
                return str(error)

        self.timed("question over PostgreSQL's port", LOGIN_BOUND + ASK_BOUND, over_postgres, is_charged=True)


class Attack:
    """One kind of nuisance, in threads, until it is told to stop."""

    def __init__(self, world, rng):
        self.world, self.server, self.random = world, world.server, rng
        self.stops = threading.Event()
        self.threads = []
        self.sockets = []

    def spawn(self, run, count=1):
        for _ in range(count):
            rng = random.Random(self.random.random())
            thread = threading.Thread(target=self.loop, args=(run, rng), daemon=True)
            thread.start()
            self.threads.append(thread)

    def loop(self, run, rng):
        while not self.stops.is_set():
            try:
                run(rng)
            except (OSError, ValueError, struct.error):
                TALLY.count("strangers turned away")
                time.sleep(0.01)

    def end(self):
        self.stops.set()
        for thread in self.threads:
            thread.join(timeout=30)
        for each in self.sockets:
            each.close()

    def hold(self, port, rng, first, most=400):
        """One more connection that stays, from somewhere; the oldest of many goes."""
        each = socket.create_connection(("127.0.0.1", port), timeout=5, source_address=(rng.choice(STRANGERS), 0))
        if first:
            each.sendall(first)
        self.sockets.append(each)
        TALLY.count("connections of strangers")
        if len(self.sockets) > most:
            self.sockets.pop(0).close()
        time.sleep(0.002)


def silent_http(a):
    starts = [b"", b"GET /", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST /api/v1/login HTTP/1.1\r\nContent-Length: 4000\r\n\r\n{",
              b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"]
    a.spawn(lambda rng: a.hold(a.server.port, rng, rng.choice(starts)), 3)

    def trickle(rng):
        for each in list(a.sockets):
            each.sendall(b"x")
        time.sleep(0.5)

    a.spawn(trickle)


def silent_postgres(a):
    def start(user):
        body = struct.pack(">I", 196608) + b"user\0" + user + b"\0database\0discreet\0\0"
        return struct.pack(">I", len(body) + 4) + body

    starts = [b"", b"\0", start(b"ann"), start(b"nobody"), struct.pack(">II", 8, 80877103), struct.pack(">I", 0x7fffffff), os.urandom(40),
              struct.pack(">IIII", 16, 80877102, 1, 2)]
    a.spawn(lambda rng: a.hold(a.server.pg, rng, rng.choice(starts)), 3)


def describe_floods(a):
    def flood(rng):
        client = Postgres(a.server.pg, rng.choice(STRANGERS), timeout=5)
        try:
            if not client.log_in("mal", a.world.passwords["mal"]):
                raise OSError("no login")
            sql = b"SELECT COUNT(*) AS n FROM survey WHERE income > $1"
            for i in range(400):
                if a.stops.is_set():
                    break
                name = str(i % 50).encode()
                parse = b"s" + name + b"\0" + sql + b"\0\0\0"
                bind = b"p" + str(i).encode() + b"\0s" + name + b"\0\0\0" + struct.pack(">HI", 1, 60000) + b"1" * 60000 + b"\0\0"
                for kind, body in [(b"P", parse), (b"B", bind)] + 40 * [(b"D", b"S" + b"s" + name + b"\0")]:
                    client.send(kind, body)  # and never a Sync, nor is anything read
                TALLY.count("messages without Sync", 42)
            time.sleep(1)
        finally:
            client.close()

    a.spawn(flood, 4)


def wrong_passwords(a):
    def guess(rng):
        name = rng.choice(["ann", "owner", "mal", "nobody" + str(rng.randrange(1000))])
        status, _ = http(a.server.port, "POST", "/api/v1/login", {"name": name, "password": "wrong" + str(rng.random())}, source=rng.choice(STRANGERS))
        if status == 200:
            TALLY.violation("a wrong password was taken")
        TALLY.count("wrong passwords, answer " + str(status))

    def guess_postgres(rng):
        client = Postgres(a.server.pg, rng.choice(STRANGERS), timeout=20)
        try:
            if client.log_in(rng.choice(["ann", "owner", "nobody"]), "wrong"):
                TALLY.violation("a wrong password was taken by PostgreSQL's port")
            TALLY.count("wrong passwords to PostgreSQL's port")
        finally:
            client.close()

    a.spawn(guess, 12)
    a.spawn(guess_postgres, 4)


def endless_questions(a):
    def ask(rng):
        token = a.world.token("mal")
        ors = " OR ".join(f"(income > {rng.randrange(200000)} AND income < {rng.randrange(200000)})" for _ in range(900))
        sql = f"SELECT COUNT(*) FROM survey WHERE {ors}"
        status, _ = http(a.server.port, "POST", "/api/v1/query", {"sql": sql, "epsilon": "0.00001", "wait": "false"}, token)
        TALLY.count("endless questions, answer " + str(status))
        time.sleep(0.1)

    def play(rng):
        token = a.world.token("mal")
        status, _ = http(a.server.port, "POST", "/api/v1/attacks", {"attack": "reconstruct", "size": "200", "trials": "50"}, token)
        TALLY.count("free jobs, answer " + str(status))
        time.sleep(0.2)

    def look(rng):
        token = a.world.token("mal")
        body = {"sql": "SELECT " + ", ".join(f"AVG(income + {i})" for i in range(50)) + " FROM survey", "epsilon": "1"}
        http(a.server.port, "POST", rng.choice(["/api/v1/explain", "/api/v1/curve"]), body, token)
        http(a.server.port, "GET", "/api/v1/history?last=1000", token=token)
        TALLY.count("free looks", 2)

    a.spawn(ask, 4)
    a.spawn(play, 2)
    a.spawn(look, 6)


def stuffing(a):
    reports = (a.world.folder / "reports").read_bytes()

    def stuff(rng):
        data = rng.choice([reports, os.urandom(60000), reports[: rng.randrange(len(reports))], b""])
        status, _ = http(a.server.port, "POST", "/api/v1/surveys/" + a.world.survey + "/reports", data, source=rng.choice(STRANGERS),
                         kind="application/octet-stream")
        TALLY.count("reports, answer " + str(status))

    a.spawn(stuff, 6)


def held(a, take, let_go):
    """Another process's lock, for a few seconds at a time."""

    def run(rng):
        lock = take()
        TALLY.count("locks held")
        a.stops.wait(rng.uniform(0.5, 1.2) * a.world.each)
        let_go(lock)
        a.stops.wait(rng.uniform(0.5, 2))

    a.world.honest.excuse()
    a.spawn(run)

    def ask(rng):  # so that a writer waits
        sql = f"SELECT COUNT(*) FROM survey WHERE income < {rng.randrange(10**9)}"
        body = {"sql": sql, "epsilon": "0.00001", "wait": "false"}
        status, _ = http(a.server.port, "POST", "/api/v1/query", body, a.world.token("mal"))
        TALLY.count("questions while a lock is held, answer " + str(status))
        a.stops.wait(0.2)

    a.spawn(ask)


def ledger_held(a):
    def take():
        lock = sqlite3.connect(a.world.folder / "ledger", timeout=20, isolation_level=None, check_same_thread=False)
        lock.execute("BEGIN EXCLUSIVE")
        return lock

    def let_go(lock):
        lock.execute("ROLLBACK")
        lock.close()

    held(a, take, let_go)


def witness_held(a):
    def take():
        lock = open(a.world.folder / "witness", "r+b")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    held(a, take, lambda lock: lock.close())


def no_descriptors(a):
    """Fewer than strangers want; only that it lives, and comes back, is asked."""
    pid = a.server.process.pid
    a.world.honest.rest()
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{pid}/fd")) + 20, before[1]))
    a.undo = lambda: (resource.prlimit(pid, resource.RLIMIT_NOFILE, before), a.world.honest.resume())
    a.spawn(lambda rng: a.hold(rng.choice([a.server.port, a.server.pg]), rng, b"", most=100), 2)


def thread_group():
    """Where the number of a process's threads can be limited for root, too."""
    pids = pathlib.Path("/sys/fs/cgroup/pids")
    return (pids if pids.exists() else pids.parent) / f"soak-strangers-{os.getpid()}"


def no_threads(a):
    """No more than there are: connections of PostgreSQL's clients want one each."""
    pid = a.server.process.pid
    group = thread_group()
    try:
        group.mkdir(exist_ok=True)
        (group / "cgroup.procs").write_text(str(pid))
        now = int((group / "pids.current").read_text())
        (group / "pids.max").write_text(str(now + 3))
    except OSError as error:
        TALLY.count(f"limits of threads not tried here: {type(error).__name__}")
        return
    a.undo = lambda: (group / "pids.max").write_text("max")
    TALLY.count("limits of threads tried")
    a.world.honest.excuse()
    silent_postgres(a)


CASES = [silent_http, silent_postgres, describe_floods, wrong_passwords, endless_questions, stuffing, ledger_held, witness_held, no_descriptors,
         no_threads]


class World:
    def __init__(self, folder):
        self.folder = folder
        self.passwords, self.tokens = {}, {}
        rows = ["person,income,region"] + [f"{i},{1000 + 10 * (i % 10000)},{'ab'[i % 2]}" for i in range(100_000)]
        (folder / "survey.csv").write_text("\n".join(rows) + "\n")
        (folder / "policy.yaml").write_text(POLICY)
        self.server = Server(folder)
        subprocess.run([PROGRAM, "ledger", "init", *self.server.where], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "local", "survey", "--name", "colour", "--epsilon", "1", "--labels", "no,yes", "--out", folder / "s.survey"],
                       check=True, stdout=subprocess.DEVNULL)
        made = subprocess.run([PROGRAM, "local", "report", "--survey", folder / "s.survey", "--simulate"], input=b"yes\nno\n" * 500, check=True,
                              stdout=subprocess.PIPE)
        (folder / "reports").write_bytes(made.stdout[:60000])
        owner = self.server.start()
        self.passwords["owner"] = owner
        for name in ["ann", "mal"]:
            status, body = http(self.server.port, "POST", "/api/v1/accounts", {"name": name, "role": "analyst"}, self.token("owner"))
            if status not in (200, 201):
                sys.exit(f"no account: {status} {body}")
            self.passwords[name] = json.loads(body)["password"]
        listed = json.loads(http(self.server.port, "GET", "/api/v1/surveys")[1])
        self.survey = re.search(r'"id": ?"([^"]+)"', json.dumps(listed)).group(1)
        self.honest = None

    def token(self, name):
        for _ in range(100):
            if name in self.tokens:
                return self.tokens[name]
            status, body = http(self.server.port, "POST", "/api/v1/login", {"name": name, "password": self.passwords[name]}, source="127.0.0.1")
            if status == 200:
                self.tokens[name] = json.loads(body)["token"]
            else:
                time.sleep(0.2)
        raise OSError("no token")


def watch(world, over):
    while not over.wait(0.2):
        process = world.server.process
        memory = world.server.memory()
        TALLY.memory = max(TALLY.memory, memory)
        if memory > MEMORY and "memory" not in TALLY.counts:
            TALLY.count("memory")
            TALLY.violation(f"{memory >> 20} MiB of memory during: {world.honest.phase}")
        if process.poll() is not None and not world.stops_now:
            TALLY.violation(f"the server ended with status {process.returncode} during: {world.honest.phase}")
            return


def run(world):
    rng = random.Random(SEED)
    world.stops_now = False
    world.honest = Honest(world.server, world.passwords["ann"], SEED)
    world.honest.start()
    over = threading.Event()
    watcher = threading.Thread(target=watch, args=(world, over), daemon=True)
    watcher.start()
    begun, turn = time.monotonic(), 0
    each = world.each = max(1.0, min(12.0, SECONDS / (len(CASES) + 2)))
    order = []
    while time.monotonic() - begun < SECONDS and world.server.process.poll() is None:
        if not order:
            order = rng.sample(CASES, len(CASES))
        chosen = [order.pop()]
        is_alone = chosen[0] in (no_descriptors, no_threads)
        if turn >= len(CASES) and not is_alone:
            chosen += [c for c in rng.sample(CASES, 2) if c not in chosen and c not in (no_descriptors, no_threads)][:1]
        world.honest.phase = " and ".join(case.__name__ for case in chosen)
        print(f"{time.monotonic() - begun:6.0f} s  {world.honest.phase}", flush=True)
        attacks = []
        for case in chosen:
            attack = Attack(world, random.Random(rng.random()))
            attack.undo = None
            case(attack)
            attacks.append(attack)
        over.wait(each)
        stops = rng.random() < 0.25
        if stops:  # in the middle of it
            world.stops_now = True
            world.honest.rest() if world.honest.enters.is_set() else None
            world.server.stop(world.honest.phase)
        for attack in attacks:
            attack.end()
            if attack.undo and not stops:
                attack.undo()
        if stops:
            world.server.start()
            world.tokens.clear()
            world.stops_now = False
        world.honest.asks.set()
        world.honest.resume()
        # Back as before: this counts like any other answer of the honest one.
        world.honest.phase = "after " + world.honest.phase
        over.wait(1.0)
        turn += 1
    world.honest.rest()
    world.stops_now = True
    over.set()
    watcher.join()
    if world.server.process.poll() is None:
        world.server.stop("nothing else")
    verified = subprocess.run([PROGRAM, "ledger", "verify", *world.server.where[2:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if verified.returncode != 0:
        TALLY.violation("the ledger does not verify: " + verified.stdout.decode())
    return turn


def main():
    print(f"{SECONDS:.0f} s, seed {SEED}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        world = World(pathlib.Path(name))
        try:
            turns = run(world)
        finally:
            if world.server.process.poll() is None:
                world.server.process.kill()
                world.server.process.wait()
            if thread_group().exists():
                thread_group().rmdir()
        keep = os.environ.get("KEEP_LOG")
        if keep:
            pathlib.Path(keep).write_bytes((pathlib.Path(name) / "log").read_bytes())
    for what in sorted(TALLY.counts):
        slow = f", the slowest {TALLY.slowest[what]:.2f} s" if what in TALLY.slowest else ""
        print(f"{TALLY.counts[what]:9d}  {what}{slow}")
    print(f"{turns} turns, at most {TALLY.memory >> 20} MiB, {len(TALLY.violations)} violations")
    sys.exit(1 if TALLY.violations else 0)


if __name__ == "__main__":
    main()
