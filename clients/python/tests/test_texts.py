import random
import threading
import time
import unittest

from ibidem.texts import WORDS, Limits, Stop, check_text, pieces_of, rendered, unmarked

TEXT = """# Meals

Dinner costs at most 50 euros [1]. Lunch costs 60 euros. Breakfast is free.
- The hotel, e.g. in No. 5, costs 50 euros.
- **Bold** claim[2].

| Meal | Euros |
|---|---|
| Dinner | 50 |
"""


def by_words(claim, _seconds):
    return "supported" if "50" in claim else "contradicted" if "60" in claim else "unsupported"


class Cutting(unittest.TestCase):
    def test_claims_are_sentences_without_markup(self):
        claims = [piece.claim for piece in pieces_of(TEXT) if piece.claim]
        self.assertEqual(claims, [
            "Meals", "Dinner costs at most 50 euros.", "Lunch costs 60 euros.", "Breakfast is free.",
            "The hotel, e.g. in No. 5, costs 50 euros.", "Bold claim.", "Meal, Euros", "Dinner, 50",
        ])  # fmt: skip

    def test_what_holds_words_is_a_claim_wherever_it_stands(self):
        for text in (
            "```\nThe CEO was fired\n```", "<the CEO was fired>", "[](the-CEO-was-fired)", "~~~\nThe CEO was fired",
            "> 1. The CEO was fired", "| The CEO was fired", "[x]: http://a/the-CEO-was-fired", "**The CEO was fired**",
        ):  # fmt: skip
            [claim] = [piece.claim for piece in pieces_of(text) if piece.claim]
            self.assertIn("CEO", claim, text)

    def test_any_text_is_its_pieces_again(self):
        chosen = random.Random(1)
        parts = ["A", "b ", ". ", "! ", "\n", "\n\n", "- ", "| ", "```\n", "1. ", "[1]", "**", "> ", "。", "\r\n", "\u2028", "\ud800"]
        for _ in range(2000):
            text = "".join(chosen.choice(parts) for _ in range(chosen.randrange(50)))
            self.assertEqual("".join(piece.lead + piece.text for piece in pieces_of(text)), text)

    def test_hostile_texts_take_no_long_time(self):
        for part in ("[", "!", "*", "| ", "> ", "a.\n", "`", "A. ", "It is. ", "</b", "\n", "![", "e.g. ", ". ", "1. ", "*a"):
            began = time.monotonic()
            list(pieces_of(part * (40_000 // len(part))))
            self.assertLess(time.monotonic() - began, 2, part)


class Checking(unittest.TestCase):
    def test_marks_and_what_is_taken_out(self):
        checked = check_text(by_words, TEXT)
        marked = rendered(checked)
        self.assertTrue(marked.startswith("> Checked by Ibidem: the documents bear out 3 of 8 sentences.\n\n"), marked)
        self.assertIn("**(the documents say otherwise)** Lunch costs 60 euros.", marked)
        self.assertIn("- **(not found in the documents)** **Bold** claim[2].", marked)
        self.assertEqual(unmarked(marked), TEXT)
        taken = rendered(checked, remove=True)
        self.assertIn("Taken out: 5.", taken)
        self.assertIn("- The hotel, e.g. in No. 5, costs 50 euros.", taken)
        for gone in ("Lunch", "Breakfast", "Bold", "# ", "Meals"):
            self.assertNotIn(gone, taken)

    def test_a_text_that_says_nothing_stays_as_it_is(self):
        for text in ("", "\n\n", "---\n", "[1]", "🙂"):
            self.assertEqual(rendered(check_text(by_words, text), remove=True), text)

    def test_without_a_server_nothing_goes_out_unless_it_may(self):
        asked = []

        def away(claim, _):
            asked.append(claim)
            raise Stop("unreachable")

        checked = check_text(away, TEXT, Limits(parallel=1))
        self.assertEqual((len(asked), checked.count("unchecked")), (1, 8))
        closed = rendered(checked)
        self.assertIn("Ibidem cannot be reached", closed)
        self.assertNotIn("euros", closed)
        opened = rendered(checked, fail_closed=False, remove=True, language="de")
        self.assertIn("Ibidem ist nicht erreichbar", opened)
        self.assertTrue(opened.endswith(TEXT))

    def test_time_and_size_are_bounded(self):
        wake = threading.Event()
        began = time.monotonic()
        checked = check_text(lambda *_: wake.wait(5) and "supported", TEXT, Limits(seconds=0.2))
        self.assertLess(time.monotonic() - began, 2)
        wake.set()
        self.assertEqual((checked.count("unchecked"), checked.why_unchecked), (8, "time"))
        many = "".join(f"Number {number} costs 50 euros. " for number in range(100))
        checked = check_text(by_words, many, Limits(sentences=3))
        self.assertEqual((checked.count("supported"), checked.count("unchecked"), checked.why_unchecked), (3, 97, "size"))
        checked = check_text(by_words, TEXT * 10, Limits(characters=len(TEXT)))
        self.assertNotIn("Lunch costs 60 euros.", rendered(checked, remove=True))
        self.assertEqual(checked.why_unchecked, "size")
        long = check_text(by_words, "50 " * 1000)
        self.assertEqual((long.count("unchecked"), long.why_unchecked), (1, "size"))

    def test_a_sentence_that_fails_or_an_unknown_verdict_is_unchecked(self):
        def odd(claim, _):
            return {"One.": "proven", "Two.": None}.get(claim) or 1 / 0

        checked = check_text(odd, "One. Two. Three.")
        self.assertEqual(checked.count("unchecked"), 3)
        self.assertIn("3 could not be checked.", rendered(checked))

    def test_every_language_has_every_word(self):
        self.assertEqual({tuple(words.why) for words in WORDS.values()}, {tuple(WORDS["en"].why)})


if __name__ == "__main__":
    unittest.main()
