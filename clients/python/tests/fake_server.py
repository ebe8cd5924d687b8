"""A server on loopback that replies as a test says, and keeps what it was asked."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "ibk_secret-of-the-test"
PASSAGE = "00000000-0000-0000-0000-000000000001:4"
CITATION = {
    "marker": 1, "source_id": PASSAGE, "document_name": "Travel", "snippet": "Dinner costs at most 50 euros.",
    "link": "/v1/documents/00000000-0000-0000-0000-000000000001/passages/4",
}
ANSWER = {
    "request_id": "00000000-0000-0000-0000-00000000000a", "action": "cite", "answer": "Dinner costs at most 50 euros [1].",
    "refused": False, "reason": None, "why": None, "citations": [CITATION], "warnings": [], "a_later_field": [1],
}  # fmt: skip


def claim_reply(verdict, claim="Dinner costs at most 50 euros.", texts=()):
    check = {"verdict": verdict, "support": 0.9, "by": "verbatim", "why": None}
    passage = {"source_id": PASSAGE, "document_name": "Travel", "text": claim, **check}
    return {"request_id": ANSWER["request_id"], "verdict": verdict, "passages": [passage], "texts": [check] * len(texts)}


def problem(status, title="Unprocessable", detail="`claim` is too long"):
    return {"type": "x", "title": title, "status": status, "detail": detail, "request_id": ANSWER["request_id"]}


def by_words(body):
    """Supported with `50` in the claim, contradicted with `60`, otherwise unsupported."""
    claim = body["claim"]
    verdict = "supported" if "50" in claim else "contradicted" if "60" in claim else "unsupported"
    return 200, claim_reply(verdict, claim, body.get("texts", ()))


@contextmanager
def serving(reply):
    """`reply(body)` gives (status, body[, headers]); a body of bytes goes out as it is."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, dict(self.headers), body))
            status, said, *more = reply(body)
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            try:
                self.send_response(status)
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # Whoever asked has gone.

        do_GET = do_POST

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
