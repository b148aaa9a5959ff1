"""A PostgreSQL of the benchmark's own, reached by a socket."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
import urllib.parse

PROGRAMS = "/usr/lib/postgresql/15/bin/"


@contextlib.contextmanager
def server():
    """A server that ends with the block; yields a function from a role to its URL."""
    folder = tempfile.mkdtemp(prefix="dpg-")
    user = {}
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        user = {"user": "postgres"}
    data = folder + "/data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
    initdb = [PROGRAMS + "initdb", "-D", data, "-U", "dp", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
    subprocess.run(initdb, check=True, **quiet)
    settings = ["listen_addresses=", "fsync=off", "shared_buffers=256MB"]
    words = [word for setting in settings for word in ("-c", setting)]
    process = subprocess.Popen([PROGRAMS + "postgres", "-D", data, "-k", folder, *words], **quiet)
    try:
        psql = [PROGRAMS + "psql", "-h", folder, "-U", "dp", "postgres", "-qc", "CREATE ROLE reader LOGIN"]
        for _ in range(300):
            if subprocess.run(psql, **quiet).returncode == 0:
                break
            time.sleep(0.1)
        host = urllib.parse.quote(folder, safe="")
        yield lambda role: f"postgres://{role}@/postgres?host={host}"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
