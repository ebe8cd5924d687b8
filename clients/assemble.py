"""Puts what checks of the Python client into the Open WebUI filter, which must be one file. usage: assemble.py [--write]"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILTER = HERE / "open_webui" / "ibidem_filter.py"
BEGIN, END = "# --- clients/python: written by `clients/check --write` ---\n", "# --- end of clients/python ---\n"

parts = [(HERE / "python" / "src" / "ibidem" / f"{name}.py").read_text(encoding="utf-8") for name in ("client", "texts", "checking")]
copied = "\n\n".join(re.sub(r"^from ibidem\..*\n", "", part, flags=re.M) for part in parts)
now = FILTER.read_text(encoding="utf-8")
before, rest = now.split(BEGIN)
wanted = before + BEGIN + copied + END + rest.split(END)[1]
if "--write" in sys.argv:
    FILTER.write_text(wanted, encoding="utf-8")
elif now != wanted:
    sys.exit(f"{FILTER.name} does not hold the client of clients/python: run clients/check --write")
