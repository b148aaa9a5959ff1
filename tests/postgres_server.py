"""A PostgreSQL server for a test: a folder and a socket of its own, no port."""

import os
import signal
import subprocess
import time

POSTGRES = "/usr/lib/postgresql/15/bin/"


class Postgres:
    """A server of this test's own that syncs, as a user that is not root."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if self.user:
            subprocess.run(["chown", "postgres", folder], check=True)
        self.run("initdb", "-D", folder + "/data", "-U", "dp", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        self.server = subprocess.Popen([*self.user, POSTGRES + "postgres", "-D", folder + "/data", "-k", folder, "-c",
                                        "listen_addresses=", "-c", "shared_buffers=16MB"], cwd="/", stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        for _ in range(600):
            ready = subprocess.run([POSTGRES + "pg_isready", "-q", "-h", folder], check=False)
            if ready.returncode == 0:
                break
            time.sleep(0.05)
        self.url = self.url_of("postgres")

    def url_of(self, database):
        return f"postgres://dp@/{database}?host=" + self.folder.replace("/", "%2F")

    def run(self, name, *words):
        subprocess.run([*self.user, POSTGRES + name, *words], check=True, cwd="/", stdout=subprocess.DEVNULL)

    def sql(self, text, database="postgres"):
        return subprocess.run(["psql", "-qAt", "-h", self.folder, "-U", "dp", "-d", database, "-c", text], check=True,
                              capture_output=True, text=True).stdout.strip()

    def restore(self, database, dump):
        subprocess.run(["psql", "-qAt", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "dp", "-d", database, "-f", dump],
                       check=True, stdout=subprocess.DEVNULL)

    def close(self):
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait()
