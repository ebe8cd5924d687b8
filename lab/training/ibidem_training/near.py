"""Which texts of many are nearest to one by their words (BM25), to mine what is hard to tell apart."""

import math
from collections import Counter, defaultdict

from .texts import content


class Near:
    def __init__(self, texts: list[str]):
        bags = [Counter(content(text)) for text in texts]
        self.count = len(texts)
        self.lengths = [sum(bag.values()) for bag in bags]
        self.mean = sum(self.lengths) / max(1, self.count)
        self.where: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, bag in enumerate(bags):
            for word, times in bag.items():
                self.where[word].append((at, times))

    def scores(self, query: str, rarest: int | None = None) -> Counter[int]:
        wanted = [word for word in set(content(query)) if word in self.where]
        if rarest:
            wanted = sorted(wanted, key=lambda word: (len(self.where[word]), word))[:rarest]
        found: Counter[int] = Counter()
        for word in wanted:
            where = self.where[word]
            rarity = math.log(1 + (self.count - len(where) + 0.5) / (len(where) + 0.5))
            for at, times in where:
                norm = 0.9 * (1 - 0.4 + 0.4 * self.lengths[at] / self.mean)
                found[at] += rarity * times * 1.9 / (times + norm)
        return found

    def best(self, query: str, most: int, rarest: int | None = 12) -> list[int]:
        found = self.scores(query, rarest)
        return [at for at, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:most]]
