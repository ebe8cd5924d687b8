import unittest

from fake_server import KEY, PASSAGE, by_words, claim_reply, problem, serving
from ibidem import Ibidem, check_text, rendered, verdicts_by

TEXT = "Dinner costs 50 euros. Lunch costs 60 euros. Breakfast is free."


class WholeTexts(unittest.TestCase):
    def checked(self, reply, **among):
        with serving(reply) as (url, asked):
            return check_text(verdicts_by(Ibidem(url, KEY), **among), TEXT), [body for _, _, body in asked]

    def test_a_text_is_checked_against_what_is_named(self):
        checked, asked = self.checked(by_words, sources=[PASSAGE] * 20, collections=["Handbook"])
        self.assertEqual([checked.count(verdict) for verdict in ("supported", "contradicted", "unsupported")], [1, 1, 1])
        self.assertEqual({(len(body["sources"]), *body["collections"]) for body in asked}, {(16, "Handbook")})

    def test_where_a_source_is_gone_the_documents_are_searched(self):
        reply = lambda body: (404, problem(404)) if body["sources"] else by_words(body)  # noqa: E731
        checked, asked = self.checked(reply, sources=[PASSAGE])
        self.assertEqual((checked.count("supported"), len(asked)), (1, 6))

    def test_texts_that_come_along_are_what_a_text_is_checked_against(self):
        checked, asked = self.checked(by_words, texts=[("Travel", "Dinner costs 50 euros.")])
        self.assertEqual(checked.count("supported"), 1)
        self.assertEqual([body["texts"] for body in asked], [[{"name": "Travel", "text": "Dinner costs 50 euros."}]] * 3)
        reply = lambda body: (404, problem(404)) if body["sources"] else by_words(body)  # noqa: E731
        checked, asked = self.checked(reply, sources=[PASSAGE], texts="Dinner costs 50 euros.")
        self.assertEqual((checked.count("supported"), [len(body["texts"]) for body in asked]), (1, [1] * 6))

    def test_a_limit_is_waited_for_once(self):
        times = []

        def reply(body):
            times.append(body)
            return (429, problem(429), {"Retry-After": "0"}) if len(times) == 1 else (200, claim_reply("supported"))

        checked, asked = self.checked(reply)
        self.assertEqual((checked.count("supported"), len(asked)), (3, 4))

    def test_what_cannot_be_asked_is_said(self):
        for status, words in ((401, "refused the request"), (404, "refused the request"), (500, "cannot be reached"), (422, "could not")):
            checked, _ = self.checked(lambda _: (status, problem(status)))
            self.assertEqual(checked.count("unchecked"), 3)
            text = rendered(checked)
            self.assertIn(words, text)
            self.assertNotIn(KEY, text)
            self.assertNotIn("euros", text)
        checked, _ = self.checked(lambda _: (422, {**problem(422), "type": "unknown_collection"}))
        self.assertIn("refused the request", rendered(checked))


if __name__ == "__main__":
    unittest.main()
