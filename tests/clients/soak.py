"""Clients that need more than Python: pgJDBC and node-postgres.

    soak.py build/bin/discreet NODE_MODULES
"""

import os
import pathlib
import subprocess
import sys

from house import House

HERE = pathlib.Path(__file__).resolve().parent
JAR = "/usr/share/java/postgresql.jar"

with House(sys.argv[1]) as house:
    password = house.passwords["ann"]
    subprocess.run(["java", "-cp", JAR, HERE / "Jdbc.java", "check", f"jdbc:postgresql://127.0.0.1:{house.port}/discreet",
                    "ann", password], check=True)
    subprocess.run(["node", HERE / "node.js", str(house.port), password], check=True,
                   env={**os.environ, "NODE_PATH": sys.argv[2]})
    print(f"spent {house.spent():g}")
