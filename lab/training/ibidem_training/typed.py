"""Questions as people type them: without a question mark, without capitals, as a search phrase, and with typing errors.

A typing error is in a word of small letters, so that no figure and hardly a name is touched: what is asked stays the same.
"""

import random
import re

# Left out of what is typed into a search box. What asks (who, when, how) and what denies stay.
SMALL = set(
    "a an the of in on at to for by with is are was were be been do does did has have had can could may might must should will would am i you we my our your "
    "me us it there please that this these those".split()
)
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
BESIDE = {key: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in KEYS for at, key in enumerate(row)}
MISTYPED = re.compile(r"\b[a-z]{4,}\b")


def typed(question: str, dice: random.Random) -> str:
    chance = dice.random()
    if chance < 0.05:
        return question.rstrip("? ")
    if chance < 0.1:
        return question.lower().rstrip("? ")
    if chance < 0.17:
        return as_searched(question)
    if chance < 0.29:
        return mistyped(question, dice)
    return question


def as_searched(question: str) -> str:
    """Without what only grammar needs; a question of which too little would be left stays."""
    words = question.rstrip("? .").split()
    kept = [word for word in words if word.strip(",.;:?'").lower() not in SMALL]
    return " ".join(kept).lower() if len(kept) >= 3 else question


def mistyped(question: str, dice: random.Random) -> str:
    """One typing error, or two in a longer question; half of those who make them do not begin with a capital."""
    for _ in range(1 if len(question.split()) < 7 or dice.random() < 0.5 else 2):
        places = list(MISTYPED.finditer(question))
        if not places:
            return question
        place = dice.choice(places)
        question = question[: place.start()] + slip(place.group(), dice) + question[place.end() :]
    return question[:1].lower() + question[1:].rstrip("? ") if dice.random() < 0.5 else question


def slip(word: str, dice: random.Random) -> str:
    at = dice.randrange(1, len(word) - 1)
    return dice.choice([
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + dice.choice(BESIDE[word[at]]) + word[at + 1 :],
    ])  # fmt: skip
