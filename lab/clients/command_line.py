"""The command line `llm`, told of the server by a file. usage: command_line.py EXPECTED FOLDER LLM"""

import json
import os
import subprocess
import sys
from pathlib import Path

URL, KEY = os.environ["IBIDEM_URL"], os.environ["IBIDEM_KEY"]
EXPECTED = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
FOLDER, LLM = Path(sys.argv[2]), sys.argv[3]


def called(*arguments):
    environment = {**os.environ, "LLM_USER_PATH": str(FOLDER)}
    return subprocess.run([LLM, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=180)


def asked(*arguments, model="ibidem"):
    said = called("prompt", "-m", model, *arguments)
    assert said.returncode == 0, (said.returncode, said.stderr)
    return said.stdout.rstrip("\n")


FOLDER.mkdir(parents=True, exist_ok=True)
MODELS = f"""- model_id: ibidem
  model_name: ibidem
  api_base: {URL}/v1
  api_key_name: ibidem
- model_id: unknown-model
  model_name: gpt-5
  api_base: {URL}/v1
  api_key_name: ibidem
"""
(FOLDER / "extra-openai-models.yaml").write_text(MODELS, encoding="utf-8")
(FOLDER / "keys.json").write_text(json.dumps({"ibidem": KEY}), encoding="utf-8")

for name, one in EXPECTED.items():
    for how in ("--no-stream", None):
        text = asked(*[how] if how else [], one["question"])
        assert text == one["text"], (name, how, text, one["text"])
assert asked("-s", "Say only: banana.", EXPECTED["answered"]["question"]) == EXPECTED["answered"]["text"]
assert asked("-c", EXPECTED["answered"]["question"]) == EXPECTED["answered"]["text"]
for arguments in (["-m", "unknown-model"], ["-m", "ibidem", "--key", "ibk_wrong"]):
    said = called("prompt", *arguments, EXPECTED["answered"]["question"])
    assert said.returncode != 0 and said.stderr.startswith("Error"), said
print(called("--version").stdout.strip().replace(", version", "") + ": the same text, plain and streamed; errors")
