#!/usr/bin/env python3
"""A plain retrieval pipeline, to compare Ibidem with: the five passages nearest to the question, Ibidem's own prompt,
the same model, and nothing checked.

Passages, their vectors and the embedding model are Ibidem's (read from the catalogue after `lab/bench/trial.sh`), and so
are the questions: those of a report of `ibidem-workbench eval trial --output`. The replies go to standard output in the form
that `ibidem-workbench eval trial --replies` judges. What the pipeline cites is counted in its favour: every document among its
five passages is a source of its answer.

Run it with the Python of stack/env ($IBIDEM_STACK_PYTHON).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

ROOT = Path(__file__).resolve().parents[2]
# Of ids in Ibidem, in crates/words/src/document.rs.
NAMESPACE = uuid.UUID("69626964-656d-5000-8000-000000000001")
NEAREST = 5
# Ibidem reads this many tokens of a question too.
WINDOW = 256
UNKNOWN = re.compile(r"\bI (don['’]t|do not) know\b", re.IGNORECASE)


class Embedder:
    """Mean-pooled unit vectors of questions."""

    def __init__(self, model: str, tokenizer: str):
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(tokenizer)
        # The published file pads and cuts at 128.
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(WINDOW)

    def embed(self, text: str) -> np.ndarray:
        ids = np.array([self.tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        pooled = self.session.run(None, given)[0][0].mean(axis=0)
        return pooled / np.linalg.norm(pooled)


def passages(psql: str, database: str, tenant: str) -> tuple[list[dict], np.ndarray]:
    """What the tenant's catalogue holds, and its vectors."""
    name = uuid.uuid5(NAMESPACE, f"tenant\0{tenant}")
    query = (
        "SELECT json_build_object('at', d.source_location, 'text', c.text, 'vector', encode(e.vector, 'hex'))"
        " FROM documents d"
        " JOIN chunks c ON c.tenant_id = d.tenant_id AND c.document_id = d.id AND c.version = d.current_version"
        " JOIN embeddings e ON e.tenant_id = d.tenant_id AND e.embedding_key = c.embedding_key"
        f" WHERE d.removed_at IS NULL AND d.tenant_id = '{name}'"
        " ORDER BY d.collection, d.source_location, c.chunk_index"
    )
    output = subprocess.run([psql, database, "-XAtc", query], check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in output.splitlines()]
    if not rows:
        sys.exit(f"the tenant {tenant} has no passages; run lab/bench/trial.sh first")
    return rows, np.stack([np.frombuffer(bytes.fromhex(row["vector"]), dtype="<f4") for row in rows])


def policy_text(named: str) -> str:
    """A policy file, and behind it the one that it inherits from: the first of what both say counts."""
    file = ROOT / "policies" / f"{named}.yaml"
    text = (file if file.exists() else ROOT / named).read_text(encoding="utf-8")
    base = re.search(r"^extends: (\S+)$", text, re.MULTILINE)
    return text + "\n" + policy_text(base.group(1)) if base else text


class Prompt:
    """The system prompt and the examples of a policy file, laid out as Ibidem lays them out."""

    def __init__(self, named: str):
        text = policy_text(named)
        rules = re.search(r"^  system_prompt: \|\n((?:    .*\n)+)", text, re.MULTILINE)
        shown = re.search(r"^  examples:\n((?:    .*\n)+)", text, re.MULTILINE)
        self.temperature = float(re.search(r"^  temperature: ([0-9.]+)", text, re.MULTILINE).group(1))
        self.most_tokens = int(re.search(r"^  max_answer_tokens: ([0-9]+)", text, re.MULTILINE).group(1))
        self.messages = [("system", re.sub(r"^    ", "", rules.group(1), flags=re.MULTILINE).strip())]
        for example in re.split(r"^    - ", shown.group(1) if shown else "", flags=re.MULTILINE)[1:]:
            notes = re.findall(r"^        - (.*)$", example, re.MULTILINE)
            question = re.search(r"^      question: (.*)$", example, re.MULTILINE).group(1)
            answer = re.search(r"^      answer: (.*)$", example, re.MULTILINE).group(1)
            self.messages += [("user", self.asked(notes, question)), ("assistant", answer)]

    @staticmethod
    def asked(notes: list[str], question: str) -> str:
        lines = "".join(f"[^{number}] {' '.join(note.split())}\n" for number, note in enumerate(notes, 1))
        return f"Notes:\n{lines}\nQuestion: {' '.join(question.split())}"

    def of(self, question: dict, notes: list[str]) -> list[dict]:
        before = [(said["role"], said["content"]) for said in question.get("history", [])]
        messages = self.messages + before + [("user", self.asked(notes, question["question"]))]
        return [{"role": role, "content": content} for role, content in messages]


def answer(server: str, model: str, prompt: Prompt, messages: list[dict]) -> str:
    body = {"model": model, "messages": messages, "temperature": prompt.temperature, "max_tokens": prompt.most_tokens}
    request = urllib.request.Request(
        f"{server}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=600) as reply:
            return json.load(reply)["choices"][0]["message"]["content"].strip()
    except urllib.error.HTTPError as error:
        sys.exit(f"the model server answered {error.code}: {error.read().decode(errors='replace')[:500]}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("report", type=Path, help="what `ibidem-workbench eval trial --output` wrote: its questions are asked")
    arguments.add_argument("--tenants", default="trial", help="as in `ibidem-workbench eval trial`")
    arguments.add_argument("--server", default=os.environ.get("IBIDEM__LANGUAGE_MODEL__URL"))
    arguments.add_argument("--model", default=os.environ.get("IBIDEM__LANGUAGE_MODEL__NAME"))
    given = arguments.parse_args()
    if not given.server or not given.model:
        sys.exit('no model server: run stack/up --model small, then eval "$(stack/env)"')
    environment = os.environ
    embedder = Embedder(environment["IBIDEM__EMBEDDING__MODEL"], environment["IBIDEM__EMBEDDING__TOKENIZER"])
    psql = str(Path(environment["IBIDEM_STACK_PG_BIN"]) / "psql")
    questions = [scored["question"] for scored in json.loads(given.report.read_text(encoding="utf-8"))["questions"]]
    questions.sort(key=lambda question: question["id"])
    corpora, prompts = {}, {}
    for done, question in enumerate(questions, 1):
        corpus, policy = question["corpus"], question["policy"]
        if corpus not in corpora:
            tenant = f"{given.tenants}-{corpus}"
            corpora[corpus] = passages(psql, environment["IBIDEM__DATABASE__URL"], tenant)
        if policy not in prompts:
            prompts[policy] = Prompt(policy)
        prompt = prompts[policy]
        began = time.monotonic()
        rows, vectors = corpora[corpus]
        best = np.argsort(-(vectors @ embedder.embed(question["question"])), kind="stable")[:NEAREST]
        notes = [rows[place]["text"] for place in best]
        text = answer(given.server, given.model, prompt, prompt.of(question, notes))
        reply = {
            "id": question["id"],
            "gave": "refusal" if not text or UNKNOWN.search(text) else "answer",
            "answer": text,
            "sources": sorted({rows[place]["at"] for place in best}),
            "passages": notes,
            "seconds": round(time.monotonic() - began, 3),
        }
        print(json.dumps(reply, ensure_ascii=False), flush=True)
        print(f"\r{done}/{len(questions)} questions ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
