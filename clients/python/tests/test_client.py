import json
import threading
import time
import unittest

from fake_server import ANSWER, CITATION, KEY, PASSAGE, claim_reply, problem, serving
from ibidem import Answer, Ibidem, Problem, Sentence, UnexpectedReply, Unreachable
from ibidem import client as client_module


def event(name, body):
    return f"event: {name}\ndata: {json.dumps(body)}\n\n".encode()


SENTENCE = {"text": ANSWER["answer"], "citations": [CITATION]}
STREAM = b": alive\n\n" + event("sentence", SENTENCE) + b"\n" + event("answer", ANSWER)


class Asking(unittest.TestCase):
    def test_an_answer_comes_typed_and_whole(self):
        with serving(lambda _: (200, ANSWER)) as (url, asked):
            answer = Ibidem(url + "/", KEY).ask("What may dinner cost?", collections=["Handbook"])
        self.assertEqual((answer.text, answer.refused, answer.citations[0].source_id), (ANSWER["answer"], False, PASSAGE))
        self.assertEqual(answer.raw["a_later_field"], [1])
        path, headers, body = asked[0]
        self.assertEqual((path, headers["Authorization"]), ("/v1/answers", f"Bearer {KEY}"))
        self.assertEqual(body, {"query": "What may dinner cost?", "collections": ["Handbook"]})

    def test_a_stream_brings_sentences_and_then_the_answer(self):
        for stream in (STREAM, STREAM.replace(b"\n", b"\r\n")):
            with serving(lambda _: (200, stream)) as (url, asked):
                parts = list(Ibidem(url, KEY).stream("What may dinner cost?"))
            self.assertEqual([type(part) for part in parts], [Sentence, Answer])
            self.assertEqual(parts[0].text, ANSWER["answer"])
            self.assertIs(asked[0][2]["stream"], True)

    def test_a_stream_that_ends_early_or_in_an_error_raises(self):
        failing = event("sentence", SENTENCE) + event("error", problem(503, "Unavailable", "later"))
        for stream, error in ((event("sentence", SENTENCE), Unreachable), (failing, Problem)):
            with serving(lambda _: (200, stream)) as (url, _):
                parts = Ibidem(url, KEY).stream("?")
                self.assertIsInstance(next(parts), Sentence)
                with self.assertRaises(error):
                    next(parts)

    def test_claims_are_checked_one_by_one(self):
        with serving(lambda _: (200, claim_reply("supported"))) as (url, asked):
            checks = Ibidem(url, KEY).check(["One.", "Two."], sources=[PASSAGE])
            [alone] = Ibidem(url, KEY).check("Three.")
        self.assertEqual([(check.claim, check.verdict) for check in checks], [("One.", "supported"), ("Two.", "supported")])
        self.assertEqual((alone.claim, alone.passages[0].source_id), ("Three.", PASSAGE))
        self.assertEqual(asked[1][2], {"claim": "Two.", "sources": [PASSAGE], "collections": []})


class Errors(unittest.TestCase):
    def test_a_problem_carries_its_body(self):
        with serving(lambda _: (429, problem(429), {"Retry-After": "7"})) as (url, _):
            with self.assertRaises(Problem) as raised:
                Ibidem(url, KEY).ask("?")
        error = raised.exception
        self.assertEqual((error.status, error.detail, error.retry_after), (429, "`claim` is too long", 7.0))
        self.assertEqual(error.body, problem(429))
        self.assertIn("too long", str(error))

    def test_replies_that_are_no_replies_of_the_api(self):
        deep = b"[" * 200_000
        odd = [b"", b"<html>", b"null", b"[]", b"{}", deep, b"\xff", json.dumps({**ANSWER, "citations": [1]}).encode()]
        for reply in odd:
            with serving(lambda _: (200, reply)) as (url, _):
                with self.assertRaises(UnexpectedReply, msg=reply[:20]):
                    Ibidem(url, KEY).ask("?")
        for reply in odd:
            with serving(lambda _: (500, reply)) as (url, _):
                with self.assertRaises(Problem, msg=reply[:20]):
                    Ibidem(url, KEY).ask("?")

    def test_nobody_there_and_too_late(self):
        with serving(lambda _: (200, ANSWER)) as (url, _):
            pass
        with self.assertRaises(Unreachable):
            Ibidem(url, KEY).ask("?")
        wake = threading.Event()
        with serving(lambda _: (wake.wait(5), (200, ANSWER))[1]) as (url, _):
            began = time.monotonic()
            with self.assertRaises(Unreachable):
                Ibidem(url, KEY, timeout=0.2).ask("?")
            self.assertLess(time.monotonic() - began, 3)
            wake.set()

    def test_a_reply_without_end_is_not_read_to_its_end(self):
        largest, client_module.LARGEST_REPLY = client_module.LARGEST_REPLY, 1000
        self.addCleanup(setattr, client_module, "LARGEST_REPLY", largest)
        with serving(lambda _: (200, b": alive\n" * 1000)) as (url, _):
            with self.assertRaises(UnexpectedReply):
                Ibidem(url, KEY).ask("?")
            with self.assertRaises(UnexpectedReply):
                list(Ibidem(url, KEY).stream("?"))

    def test_the_key_goes_nowhere_else_and_is_not_shown(self):
        with serving(lambda _: (200, ANSWER)) as (other, asked_other):
            with serving(lambda _: (302, b"", {"Location": other + "/v1/answers"})) as (url, _):
                with self.assertRaises(UnexpectedReply) as raised:
                    Ibidem(url, KEY).ask("?")
        self.assertEqual(asked_other, [])
        self.assertNotIn(KEY, str(raised.exception))
        self.assertNotIn(KEY, repr(Ibidem("http://127.0.0.1:1", KEY)))
        for key in ("", "a b", "ibk_x\nHost: evil", "ibk_é"):
            with self.assertRaises(ValueError) as refused:
                Ibidem("http://127.0.0.1:1", key)
            self.assertNotIn(key or "ibk", str(refused.exception))
        for url in ("ftp://host", "file:///etc/passwd", "host:80", "http://", "http://user:secret@host"):
            with self.assertRaises(ValueError) as refused:
                Ibidem(url, KEY)
            self.assertNotIn("secret@", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
