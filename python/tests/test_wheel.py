"""The wheel, as scikit-build-core makes it in the build folder: test_wheel.py SOURCES

It is unpacked elsewhere and asked a question there; nothing of the tree is in reach of it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCES = pathlib.Path(sys.argv.pop(1)).resolve()
QUESTION = """
import sys
import numpy
import discreet
from test_discreet import World

world = World()
with world.connect() as session:
    assert abs(session.query("SELECT COUNT(*) AS n FROM visits", epsilon=20).scalar().value - 3000) < 5
assert abs(int(discreet.noise.laplace(numpy.zeros(10**5, numpy.int64), sensitivity=1, epsilon=1).sum())) < 10**4
assert discreet.account.convert(epsilon=1)["rho"] == 0.5
print(discreet.__file__, discreet.program.find())
"""


class Wheel(unittest.TestCase):
    def test_it_holds_everything_and_works_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q", "--no-build-isolation",
                                   "--no-deps", "--no-index", "--wheel-dir", folder, str(SOURCES / "python")], capture_output=True,
                                  text=True)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            wheel, = pathlib.Path(folder).glob("*.whl")
            place = pathlib.Path(folder) / "place"
            with zipfile.ZipFile(wheel) as pack:
                names = pack.namelist()
                self.assertEqual(pack.getinfo("discreet/bin/discreet").external_attr >> 16 & 0o111, 0o111)
                pack.extractall(place)
            os.chmod(place / "discreet/bin/discreet", 0o755)  # pip does that
            self.assertEqual([n for n in names if n.endswith(".so") and n.startswith("discreet/_discreet")].__len__(), 1, names)
            for needed in ("discreet/__init__.py", "discreet/bin/discreet", "discreet/lib/libduckdb.so", "discreet/py.typed"):
                self.assertIn(needed, names)
            self.assertFalse([n for n in names if not n.startswith(("discreet/", "discreet-"))], names)
            facts, = place.glob("discreet-*.dist-info")
            self.assertIn("discreet = discreet.program:main", (facts / "entry_points.txt").read_text())
            alone = {k: v for k, v in os.environ.items() if k not in ("DISCREET_PROGRAM", "LD_LIBRARY_PATH", "PYTHONPATH")}
            alone["PYTHONPATH"] = f"{place}:{SOURCES / 'python/tests'}"
            said = subprocess.run([sys.executable, "-B", "-c", QUESTION], cwd=folder, env=alone, capture_output=True, text=True)
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            self.assertEqual(said.stdout.split(), [str(place / "discreet/__init__.py"), str(place / "discreet/bin/discreet")])
            linked = subprocess.run(["ldd", place / "discreet/bin/discreet"], capture_output=True, text=True).stdout
            self.assertIn(f"libduckdb.so => {place}/discreet/bin/../lib/libduckdb.so", linked)
            program = subprocess.run([sys.executable, "-c", "from discreet import program; program.main()", "account", "convert",
                                      "--epsilon", "1", "--json"], cwd=folder, env=alone, capture_output=True, text=True)
            self.assertIn('"rho"', program.stdout, program.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
