#!/usr/bin/env python3
"""Retrieval without Ibidem: the same embedding model and the same search engine, driven directly.

An independent implementation, so that a loss anywhere in Ibidem's own path shows as a difference:
ONNX Runtime and the tokenizer from Python, Qdrant over REST in a collection of its own, reciprocal rank
fusion and nDCG computed here. Two runs:

  whole      each document as "title\\ntext", cut off at the model's window: what published figures do
  passages   the passages that Ibidem made of the documents, read from its catalogue: same texts, other code

With --verify N the passages' vectors are read from the catalogue too, after N of them, chosen at random, were
embedded here and found to be the same: a tenth of the time, on a busy machine.

Run it with the Python of stack/env ($IBIDEM_STACK_PYTHON) after `ibidem ingest` and `ibidem-workbench eval retrieval --json`.
"""

import argparse
import hashlib
import json
import math
import os
import random
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

FUSION_K = 60
WINDOW = 256
BATCH_TOKENS = 2048
BM25 = {"language": "english", "avg_len": 100.0}
# BEIR's own figure for BM25; sentence-transformers' model card for the full-precision dense model.
PUBLISHED = {"dense": "0.645 (MiniLM-L6)", "lexical": "0.679 (BM25)", "both": "-"}


class Embedder:
    """Mean-pooled unit vectors. Vectors already made are kept in a file, by the digest of model and text."""

    def __init__(self, model: str, tokenizer: str, cache: Path | None, threads: int):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(tokenizer)
        # The published file pads and cuts at 128.
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(WINDOW)
        self.salt = hashlib.sha256(Path(model).read_bytes()).digest()
        self.cache_file = cache
        self.made, self.borrowed = {}, {}
        if cache and cache.exists():
            stored = np.load(cache)
            self.made = dict(zip((bytes(key) for key in stored["keys"]), stored["vectors"]))

    def embed(self, texts: list[str], what: str) -> np.ndarray:
        keys = [self.key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts) if key not in self.made and key not in self.borrowed}
        encoded = sorted(
            ((key, self.tokenizer.encode(text).ids) for key, text in missing.items()), key=lambda item: len(item[1])
        )
        done, began = 0, time.monotonic()
        while done < len(encoded):
            batch = []
            while done + len(batch) < len(encoded):
                longest = len(encoded[done + len(batch)][1])
                if batch and longest * (len(batch) + 1) > BATCH_TOKENS:
                    break
                batch.append(encoded[done + len(batch)])
            for (key, _), vector in zip(batch, self.run([ids for _, ids in batch])):
                self.made[key] = vector
            done += len(batch)
            note(f"\r{what}: {done}/{len(encoded)} embedded, {done / (time.monotonic() - began):.0f}/s ")
        if encoded:
            note("\n")
            self.save()
        return np.stack([self.made[key] if key in self.made else self.borrowed[key] for key in keys])

    def take_over(self, texts: list[str], vectors: list[np.ndarray], verify: int):
        """Uses vectors made elsewhere, once a sample of them has proved to be what would be made here."""
        sample = random.Random(1).sample(range(len(texts)), min(verify, len(texts)))
        own = self.embed([texts[place] for place in sample], "sample")
        theirs = np.stack([vectors[place] for place in sample])
        worst = float(1.0 - (own * theirs).sum(axis=1).min())
        print(f"{len(sample)} of {len(texts)} vectors embedded again: the largest cosine distance is {worst:.1e}")
        if worst > 1e-3:
            sys.exit("the catalogue's vectors are not the model's")
        self.borrowed.update(zip(map(self.key, texts), vectors))

    def key(self, text: str) -> bytes:
        return hashlib.sha256(self.salt + text.encode()).digest()

    def run(self, windows: list[list[int]]) -> np.ndarray:
        longest = max(len(ids) for ids in windows)
        ids = np.zeros((len(windows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        tokens = self.session.run(None, given)[0]
        pooled = (tokens * mask[:, :, None]).sum(axis=1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def save(self):
        if self.cache_file:
            keys = np.frombuffer(b"".join(self.made), dtype=np.uint8).reshape(len(self.made), 32)
            with open(self.cache_file, "wb") as file:
                np.savez(file, keys=keys, vectors=np.stack(list(self.made.values())))


class Engine:
    """A Qdrant collection that exists for one run."""

    def __init__(self, url: str, name: str):
        self.url, self.name = url.rstrip("/"), name

    def call(self, method: str, path: str, body=None):
        request = urllib.request.Request(
            f"{self.url}/collections/{self.name}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                return json.load(reply)["result"]
        except urllib.error.HTTPError as error:
            sys.exit(f"Qdrant answered {error.code}: {error.read().decode(errors='replace')[:500]}")

    def __enter__(self):
        self.call("DELETE", "")
        self.call(
            "PUT",
            "",
            {
                "vectors": {"dense": {"size": 384, "distance": "Cosine"}},
                "sparse_vectors": {"bm25": {"modifier": "idf"}},
            },
        )
        return self

    def __exit__(self, *_):
        self.call("DELETE", "")

    def load(self, points: list[tuple[str, str]], vectors: np.ndarray):
        for start in range(0, len(points), 200):
            batch = [
                {
                    "id": start + offset,
                    "payload": {"document": document},
                    "vector": {"dense": vectors[start + offset].tolist(), "bm25": bm25(text)},
                }
                for offset, (document, text) in enumerate(points[start : start + 200])
            ]
            self.call("PUT", "/points?wait=true", {"points": batch})

    def search(self, vector: np.ndarray, words: str, depth: int) -> dict[str, list[tuple[int, str]]]:
        """Both lanes, exactly: approximate search is not to be among the differences."""
        shared = {"limit": depth, "with_payload": ["document"]}
        searches = [
            {**shared, "query": vector.tolist(), "using": "dense", "params": {"exact": True}},
            {**shared, "query": bm25(words), "using": "bm25"},
        ]
        dense, lexical = self.call("POST", "/points/query/batch", {"searches": searches})
        read = lambda lane: [(point["id"], point["payload"]["document"]) for point in lane["points"]]
        return {"dense": read(dense), "lexical": read(lexical)}


def bm25(text: str) -> dict:
    return {"text": text, "model": "qdrant/bm25", "options": BM25}


def fused(lanes: dict[str, list[tuple[int, str]]]) -> list[tuple[int, str]]:
    scores, document = {}, {}
    for lane in lanes.values():
        for rank, (point, belongs_to) in enumerate(lane):
            scores[point] = scores.get(point, 0.0) + 1.0 / (FUSION_K + 1 + rank)
            document[point] = belongs_to
    order = sorted(scores, key=lambda point: (-scores[point], document[point], point))
    return [(point, document[point]) for point in order]


def ndcg_at_10(ranking: list[str], grades: dict[str, int]) -> float:
    gain = lambda grade, rank: grade / math.log2(rank + 2)
    ideal = sum(gain(grade, rank) for rank, grade in enumerate(sorted(grades.values(), reverse=True)[:10]))
    found = sum(gain(grades.get(document, 0), rank) for rank, document in enumerate(ranking[:10]))
    return found / ideal if ideal else 0.0


def measure(engine: Engine, embedder: Embedder, points: list[tuple[str, str]], queries, depth: int, what: str):
    """nDCG@10 of each lane over these points, documents ranked by their best point."""
    vectors = embedder.embed([text for _, text in points], what)
    query_vectors = embedder.embed([query["text"] for query in queries], "queries")
    scores = {"dense": [], "lexical": [], "both": []}
    with engine:
        engine.load(points, vectors)
        for query, vector in zip(queries, query_vectors):
            lanes = engine.search(vector, query["text"], depth)
            for lane, hits in {**lanes, "both": fused(lanes)}.items():
                ranking = list(dict.fromkeys(document for _, document in hits))
                scores[lane].append(ndcg_at_10(ranking, query["grades"]))
    return {lane: sum(values) / len(values) for lane, values in scores.items()}


def judged_queries(folder: Path, limit: int | None):
    grades = {}
    for line in (folder / "qrels_test.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines() if line.strip()]
    judged = [{"text": query["text"], "grades": grades[query["_id"]]} for query in queries if query["_id"] in grades]
    return judged[:limit]


def whole_documents(folder: Path) -> list[tuple[str, str]]:
    documents = (json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines() if line.strip())
    return [(document["_id"], f"{document['title']}\n{document['text']}") for document in documents]


def ibidem_passages(psql: str, database: str, collection: str) -> tuple[list[tuple[str, str]], list[np.ndarray]]:
    """What Ibidem's catalogue holds, each passage under its title and section as Ibidem embeds it, and its vector."""
    query = (
        "SELECT json_build_object('at', d.source_location, 'title', v.title, 'section', c.section, 'text', c.text,"
        "  'vector', encode(e.vector, 'hex'))"
        " FROM documents d"
        " JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id"
        "  AND v.version = d.current_version"
        " JOIN chunks c ON c.tenant_id = d.tenant_id AND c.document_id = d.id AND c.version = d.current_version"
        " JOIN embeddings e ON e.tenant_id = d.tenant_id AND e.embedding_key = c.embedding_key"
        f" WHERE d.removed_at IS NULL AND d.collection = '{collection}'"
        " ORDER BY d.source_location, c.chunk_index"
    )
    output = subprocess.run([psql, database, "-XAtc", query], check=True, capture_output=True, text=True).stdout
    passages, vectors = [], []
    for row in map(json.loads, output.splitlines()):
        title, section = row["title"][:160], (row["section"] or "")[:160]
        under_title = section if section.startswith(row["title"]) else ": ".join(filter(None, [title, section]))
        header = under_title if section else title
        passages.append((row["at"].rsplit("#", 1)[1], f"{header}\n{row['text']}"))
        vectors.append(np.frombuffer(bytes.fromhex(row["vector"]), dtype="<f4"))
    return passages, vectors


def note(text: str):
    print(text, end="", file=sys.stderr, flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path, help="a retrieval set in the form of BEIR")
    arguments.add_argument("--ibidem", type=Path, required=True, help="what `ibidem-workbench eval retrieval --json` printed")
    arguments.add_argument("--cache", type=Path, help="a file that keeps vectors between runs")
    arguments.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of the embedding model")
    arguments.add_argument("--verify", type=int, default=0, metavar="N", help="embed only N of the passages again")
    arguments.add_argument("--limit-queries", type=int)
    given = arguments.parse_args()

    ours = json.loads(given.ibidem.read_text())
    ibidem = {lane["lane"]: lane["ndcg_at_10"] for lane in ours["lanes"]}
    queries = judged_queries(given.folder, given.limit_queries)
    if any(lane["queries"] != len(queries) for lane in ours["lanes"]):
        sys.exit("the two runs have different queries")
    environment = os.environ
    embedder = Embedder(
        environment["IBIDEM__EMBEDDING__MODEL"], environment["IBIDEM__EMBEDDING__TOKENIZER"], given.cache, given.threads
    )
    engine = Engine(environment["IBIDEM_STACK_QDRANT_HTTP"], "bare-retrieval")
    psql = str(Path(environment["IBIDEM_STACK_PG_BIN"]) / "psql")

    documents = whole_documents(given.folder)
    passages, stored = ibidem_passages(psql, environment["IBIDEM__DATABASE__URL"], ours["collection"])
    if given.verify:
        embedder.take_over([text for _, text in passages], stored, given.verify)
    split = len(passages) - len({document for document, _ in passages})
    depth = ours["passages"]
    bare_passages = measure(engine, embedder, passages, queries, depth, "passages")
    bare_whole = measure(engine, embedder, documents, queries, depth, "whole documents")

    print(f"\nnDCG@10, {len(queries)} queries, {len(documents)} documents, {len(passages)} passages ({split} by splitting)")
    row = "{:<8} {:>8} {:>15} {:>11} {:>12} {:>11}   {}"
    print(row.format("lane", "Ibidem", "bare, passages", "difference", "bare, whole", "difference", "published"))
    within = True
    for lane in ("dense", "lexical", "both"):
        same = ibidem[lane] - bare_passages[lane]
        other = ibidem[lane] - bare_whole[lane]
        within &= abs(same) <= 0.005
        figures = [f"{ibidem[lane]:.4f}", f"{bare_passages[lane]:.4f}", f"{same:+.4f}"]
        figures += [f"{bare_whole[lane]:.4f}", f"{other:+.4f}"]
        print(row.format(lane, *figures, PUBLISHED[lane]))
    print("bare, passages: the same texts without Ibidem; a difference is a loss in Ibidem's path.")
    print("bare, whole: one text a document, cut off at the window; a difference is the effect of splitting.")
    print(f"same texts within 0.005 in every lane: {'yes' if within else 'NO'}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
