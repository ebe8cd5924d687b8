"""Words, sentences and windows of text, the same for making sets, for measuring and for the product."""

import re

WORD = re.compile(r"[^\W_]+")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])|\n+")
ABBREVIATION = re.compile(r"(?:\b[A-Z]|\b(?:Mr|Mrs|Ms|Dr|St|Prof|Gen|Col|Lt|No|vs|etc|al|e\.g|i\.e|Jr|Sr|Inc|approx|Fig))\.$")
STOP = set(
    "a an the of in on at to for by with from as is are was were be been being it its this that these those and or but "
    "not no he she they them his her their we you your our i do does did has have had will would can could may might "
    "shall should must than then there here what which who whom whose when where why how if so such into over under "
    "about after before also more most other some any all each".split()
)


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def content(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP]


def sentences(text: str) -> list[str]:
    """Sentences in their order; a full stop after an initial or an abbreviation ends none."""
    parts, begin = [], 0
    for end in SENTENCE_END.finditer(text):
        if ABBREVIATION.search(text[begin : end.start()].strip()) and "\n" not in end.group():
            continue
        parts.append(text[begin : end.start()].strip())
        begin = end.end()
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def window(premise: str, claim: str, most: int = 260) -> str:
    """As much of a premise as fits into `most` words: the sentences nearest to the claim by its words, in their order.

    A sentence scores the rarity-weighted words it shares with the claim, and half of what its neighbours share: what a
    pronoun stands for is often in the sentence before.
    """
    if len(premise.split()) <= most:
        return premise
    parts = [part for sentence in sentences(premise) for part in pieces(sentence, max(most // 3, 45))]
    wanted = set(content(claim))
    bags = [set(content(part)) & wanted for part in parts]
    found = {word: sum(word in bag for bag in bags) for word in wanted}
    own = [sum(1 / found[word] for word in bag) for bag in bags]
    scores = [
        own[at] + 0.5 * ((own[at - 1] if at else 0) + (own[at + 1] if at + 1 < len(own) else 0)) for at in range(len(own))
    ]
    kept, used = set(), 0
    for at in sorted(range(len(parts)), key=lambda at: (-scores[at], at)):
        length = len(parts[at].split())
        if used + length <= most:
            kept.add(at)
            used += length
    return " ".join(parts[at] for at in sorted(kept))


def pieces(sentence: str, most: int) -> list[str]:
    split = sentence.split()
    if len(split) <= most:
        return [sentence]
    return [" ".join(split[at : at + most]) for at in range(0, len(split), most)]
