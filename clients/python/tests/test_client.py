import json
import threading
import time
import unittest

from fake_server import ANSWER, CITATION, KEY, PASSAGE, claim_reply, problem, serving
from ibidem import Answer, Ibidem, Problem, Sentence, UnexpectedReply, Unreachable
from ibidem import asking, client


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

    def checked(self, texts):
        with serving(lambda body: (200, claim_reply("supported", texts=body["texts"]))) as (url, asked):
            [check] = Ibidem(url, KEY).check("One.", texts=texts)
        self.assertEqual([(one.name, one.text) for one in check.texts], [(one["name"], one["text"]) for one in asked[0][2]["texts"]])
        return check.texts

    def test_texts_come_along_with_and_without_names(self):
        texts = self.checked([("Travel" * 100, "Dinner."), (None, "Lunch."), "Käse"])
        self.assertEqual([one.text for one in texts], ["Dinner.", "Lunch.", "Käse"])
        self.assertEqual([len(one.name or "") for one in texts], [200, 0, 0])
        self.assertEqual((texts[0].verdict, texts[0].support, texts[0].raw["by"]), ("supported", 0.9, "verbatim"))
        self.assertEqual([one.text for one in self.checked("Alone.")], ["Alone."])

    def test_long_texts_come_in_pieces_and_no_more_than_are_taken(self):
        paragraph = "Dinner costs 50 euros. " * 100 + "\n\n"
        texts = self.checked([("Travel", paragraph * 4)])
        self.assertEqual([one.text for one in texts], [paragraph] * 4)
        self.assertEqual({one.name for one in texts}, {"Travel"})
        for text, pieces, longest in (("x" * 4_001, 2, 4_000), ("a b " * 1_001, 2, 4_000), ("x" * 100_000, 10, 10_000), ("x" * 999_999, 16, 10_000)):
            cut = [one.text for one in self.checked([text])]
            self.assertEqual((len(cut), max(map(len, cut))), (pieces, longest))
            self.assertTrue(text.startswith("".join(cut)))
            self.assertEqual(text[:160_000], "".join(cut))
        self.assertEqual(len(self.checked(["x"] * 99)), 16)
        with serving(lambda body: (200, claim_reply("supported", texts=body["texts"]))) as (url, asked):
            Ibidem(url, KEY).check("\ud800", texts=["\x01" * 999_999] * 20)
            self.assertLess(int(asked[0][1]["Content-Length"]), 1024 * 1024)
            Ibidem(url, KEY).check("One.", texts=["\U0001f9c0" * 999_999] * 20)
            self.assertLess(int(asked[1][1]["Content-Length"]), 1024 * 1024)

    def test_a_reply_says_of_each_text_what_it_says(self):
        for texts in ([], [1], "x", None, [{"verdict": "supported"}]):
            with serving(lambda _: (200, {**claim_reply("supported"), "texts": texts})) as (url, _):
                with self.assertRaises(UnexpectedReply):
                    Ibidem(url, KEY).check("One.", texts=["A."])
        older = {name: value for name, value in claim_reply("supported").items() if name != "texts"}
        with serving(lambda _: (200, older)) as (url, asked):
            self.assertEqual(Ibidem(url, KEY).check("One.")[0].texts, ())


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
        for module in (asking, client):
            self.addCleanup(setattr, module, "LARGEST_REPLY", module.LARGEST_REPLY)
            module.LARGEST_REPLY = 1000
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
