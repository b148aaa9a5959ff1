"""Packs the package and the program into one wheel: python3 make_wheel.py PROGRAM LIBRARY FOLDER

A wheel is a zip file with a list of its contents; nothing has to be compiled or fetched to make one. LIBRARY is libduckdb.so, which the program
looks for in ../lib."""

import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
METADATA = """Metadata-Version: 2.1
Name: discreet
Version: {version}
Summary: Differential privacy: plain SQL, exact noise, intervals, and a budget for life
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: frames
Requires-Dist: pandas; extra == 'frames'
Requires-Dist: pyarrow; extra == 'frames'
Requires-Dist: matplotlib; extra == 'frames'
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: discreet\nRoot-Is-Purelib: false\nTag: {tag}\n"


def main(program, library, folder):
    version = re.search(r'__version__ = "(.*)"', (HERE / "discreet/__init__.py").read_text()).group(1)
    tag = "py3-none-linux_" + platform.machine()
    files = {f"discreet/{path.name}": (path.read_bytes(), 0o644) for path in sorted((HERE / "discreet").glob("*.py"))}
    files["discreet/py.typed"] = (b"", 0o644)
    files["discreet/bin/discreet"] = (pathlib.Path(program).read_bytes(), 0o755)
    files["discreet/lib/libduckdb.so"] = (pathlib.Path(library).read_bytes(), 0o755)
    info = f"discreet-{version}.dist-info"
    files[f"{info}/METADATA"] = (METADATA.format(version=version).encode(), 0o644)
    files[f"{info}/WHEEL"] = (WHEEL.format(tag=tag).encode(), 0o644)
    record = ""
    for name, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    made = pathlib.Path(folder) / f"discreet-{version}-{tag}.whl"
    made.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same bytes each time
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    print(made)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
