"""Measures a model. What is chosen (head, threshold, weights) is chosen on data that is not reported on."""

import argparse
import csv
import json
import math
import re
import string
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import torch

from . import folders, leaks
from .near import Near
from .scoring import Scorer, answering, support
from .texts import sentences, window, words
from .train import area_under_curve

# A statement about what the documents do not say, a question or an offer is no claim: the product never takes such from
# a model. The rule is the same for every set.
NO_CLAIM = re.compile(
    r"\?$|\b(?:passages?|document|text|context|information|sources?) (?:provided |given )?(?:do(?:es)? not|don't|doesn't|did not)\b"
    r"|\bunable to answer\b|\b(?:no|not enough|insufficient) information\b|^(?:i hope|let me know|please (?:note|consult|let)|sorry)\b",
    re.IGNORECASE,
)


def claims(answer: str) -> list[str]:
    found = [part for part in sentences(answer) if len(words(part)) >= 3]
    told = [part for part in found if not NO_CLAIM.search(part.strip())]
    return told or found[:1] or [answer]


def answers_of(name: str, data: Path):
    """(premise, answer, faithful) for each answer of a set."""
    chosen_on = {"mtrag": "mtrag_responses", "begin_dev": "begin_dev"}
    if name in chosen_on:
        for row in leaks.rows(data / f"training/verifier/{chosen_on[name]}.jsonl"):
            yield row["premise"], row["claim"], row["label"] == 1
    else:
        for row in leaks.rows(data / "data/hallucination/ragtruth_qa_test_829.jsonl"):
            yield re.sub(r"passage \d+:", "", row["passages"]), row["response"], not spans_of(row)


def spans_of(row) -> list:
    return row.get("labels") or row.get("hallucination_spans") or row.get("spans") or []


def by_answer(scorer: Scorer, name: str, data: Path, every: int, most: int = 260):
    pairs, whose, truth = [], [], []
    for number, (premise, answer, faithful) in enumerate(list(answers_of(name, data))[::every]):
        truth.append(faithful)
        for claim in claims(answer):
            pairs.append((window(premise, claim, most), claim))
            whose.append(number)
    found = support(scorer, pairs)
    return found, np.array(whose), np.array(truth)


# How much the word head and strange words weigh beside the label head: every pair is compared.
WORDS = (0, 0.25, 0.5, 1)
STRANGE = (0, 0.5, 1, 1.5, 2, 3, 4, 6)


def readings():
    """Every way to read the model that is compared: name, weights of the three parts, score."""
    for share in WORDS:
        for strange in STRANGE:
            weights = (1.0, share, strange)
            yield "labels" + (f", words x {share}" if share else "") + (f", strange words x {strange}" if strange else ""), weights
    yield "words", (0.0, 1.0, 0.0)
    yield "strange words", (0.0, 0.0, 1.0)


def scored(found: np.ndarray, weights: tuple[float, float, float]) -> np.ndarray:
    return found @ np.array([weights[0], -weights[1], -weights[2]])


def worst(scores: np.ndarray, whose: np.ndarray, count: int) -> np.ndarray:
    lowest = np.full(count, np.inf)
    np.minimum.at(lowest, whose, scores)
    return lowest


def f1(scores, truth, threshold) -> tuple[float, float, float]:
    """Of finding what is unfaithful: F1, precision, recall."""
    flagged, bad = scores < threshold, ~truth
    hits = int((flagged & bad).sum())
    precision, recall = hits / max(1, int(flagged.sum())), hits / max(1, int(bad.sum()))
    return (2 * precision * recall / (precision + recall) if hits else 0.0), precision, recall


def mean_best(curves: dict[str, tuple[np.ndarray, np.ndarray]]) -> tuple[float, float]:
    """The threshold with the highest mean F1 over several sets, and that mean. Fifty unfaithful answers alone make a jagged
    curve, so what neighbours have counts too."""
    points = np.unique(np.concatenate([np.quantile(scores, np.linspace(0.01, 0.9, 90)) for scores, _ in curves.values()]))
    heights = np.array([np.mean([f1(scores, truth, point)[0] for scores, truth in curves.values()]) for point in points])
    smooth = np.convolve(np.pad(heights, 4, mode="edge"), np.ones(9) / 9, "valid")
    at = int(smooth.argmax())
    return float(points[at]), float(smooth[at])


def pairs_held_out(sets: str, every: int, most: int = 40) -> list[dict]:
    """Of each kind a few rows of groups that no model learned from: constructed changes, faithful rewordings, people's claims."""
    path = folders.runs() / "sets" / sets / "held_out.jsonl"
    kinds = defaultdict(list)
    for row in leaks.rows(path) if path.exists() else []:
        kinds[row["kind"].split("+")[0]].append(row)
    return [row for kind in sorted(kinds) for row in kinds[kind][:most]][::every]


def gathered(scorer: Scorer, data: Path, every: int, choices_only: bool, sets: str = "verifier", most: int = 260) -> dict[str, np.ndarray]:
    """What the model says about every pair of every set, so that reading it in other ways costs nothing."""
    found = {}
    for name in ("mtrag", "begin_dev") if choices_only else ("mtrag", "begin_dev", "ragtruth"):
        found[f"{name} parts"], found[f"{name} whose"], found[f"{name} truth"] = by_answer(scorer, name, data, every, most)
    rows = pairs_held_out(sets, every)
    if rows:
        found["held_out parts"] = support(scorer, [(row["premise"], row["claim"]) for row in rows])
        found["held_out truth"] = np.array([row["label"] == 0 for row in rows])
        found["held_out kinds"] = np.array([row["kind"].split("+")[0] for row in rows])
    if choices_only:
        return found
    with open(data / "data/hallucination/begin_test_wow.tsv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["begin_label"] != "Generic"][::every]
    found["begin_test parts"] = support(scorer, [(row["knowledge"], row["response"]) for row in rows])
    found["begin_test truth"] = np.array([row["begin_label"] == "Fully attributable" for row in rows])
    rows = list(leaks.rows(folders.REPOSITORY / "lab/data/adversarial/pairs.jsonl"))
    found["adversarial parts"] = support(scorer, [(window("\n".join(row["passages"]), row["sentence"], most), row["sentence"]) for row in rows])
    found["adversarial truth"] = np.array([bool(row["supported"]) for row in rows])
    found["adversarial kinds"] = np.array([row["class"] for row in rows])
    return found


# Of the faithful pairs of held-out groups, so many may be stopped at the second threshold that is reported: a verifier
# that stops what is true is switched off.
FAITHFUL_STOPPED = 0.05


def lenient(scores: np.ndarray, truth: np.ndarray, kinds: np.ndarray) -> float:
    """Where one in twenty faithful pairs is stopped, every kind of them counting alike."""
    weights = np.array([1 / (truth & (kinds == kind)).sum() for kind in kinds[truth]])
    order = np.argsort(scores[truth])
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(scores[truth][order][int(np.searchsorted(reached, FAITHFUL_STOPPED))])


def verifier(found: dict[str, np.ndarray]) -> dict:
    """Weights with the best mean AUC, and the threshold with the best mean F1, over three sets that are not reported on:
    answers (mtrag), replies (BEGIN dev), and pairs of held-out groups. Of an answer the worst sentence counts."""
    report: dict = {"mtrag": {}}
    compared = dict(readings())

    def of(name: str, weights) -> tuple[np.ndarray, np.ndarray]:
        scores, truth = scored(found[f"{name} parts"], weights), found[f"{name} truth"]
        return (worst(scores, found[f"{name} whose"], len(truth)) if f"{name} whose" in found else scores), truth

    for name, weights in compared.items():
        chosen_on = {which: of(which, weights) for which in ("mtrag", "begin_dev", "held_out") if f"{which} parts" in found}
        point, height = mean_best(chosen_on)
        report["mtrag"][name] = {"threshold": point, "f1": f1(*chosen_on["mtrag"], point)[0], "mean f1": height, "auc": area_under_curve(*chosen_on["mtrag"])}
        report["mtrag"][name] |= {f"auc on {which}": area_under_curve(*one) for which, one in chosen_on.items() if which != "mtrag"}
        report["mtrag"][name]["mean auc"] = float(np.mean([area_under_curve(*one) for one in chosen_on.values()]))
    chosen = max(compared, key=lambda name: report["mtrag"][name]["mean auc"])
    threshold, weights = report["mtrag"][chosen]["threshold"], compared[chosen]
    report["chosen on mtrag"] = {"reading": chosen, "weights": weights, "threshold": threshold}

    def by_kind(name: str) -> dict:
        scores, truth = of(name, weights)
        kinds = found[f"{name} kinds"]
        table = {}
        for kind in sorted(set(kinds.tolist())):
            for side in (True, False):
                here = (kinds == kind) & (truth == side)
                if here.any():
                    table[f"{kind}, {'faithful' if side else 'not'}"] = {"rows": int(here.sum()), "stopped": int((scores[here] < threshold).sum())}
        return table

    if "held_out kinds" in found:
        report["held out, by kind"] = by_kind("held_out")
        report["lenient"] = {name: {"threshold": lenient(scored(found["held_out parts"], one), found["held_out truth"], found["held_out kinds"])} for name, one in compared.items()}
    if "ragtruth parts" not in found:
        return report
    truth = found["ragtruth truth"]
    report["ragtruth"] = {"answers": len(truth), "unfaithful": int((~truth).sum())}
    truth = found["begin_test truth"]
    report["begin_test"] = {"rows": len(truth), "supported": int(truth.sum())}
    for name, one in compared.items():
        point = report["mtrag"][name]["threshold"]
        scores, truth = of("ragtruth", one)
        value, precision, recall = f1(scores, truth, point)
        ceiling = max(f1(scores, truth, point)[0] for point in np.quantile(scores, np.linspace(0.01, 0.7, 140)))
        report["ragtruth"][name] = {"f1": value, "precision": precision, "recall": recall, "auc": area_under_curve(scores, truth), "ceiling of any threshold": ceiling}
        scores, truth = of("begin_test", one)
        report["begin_test"][name] = {"auc": area_under_curve(scores, truth), "accuracy": float(((scores >= point) == truth).mean())}
        scores, truth = of("adversarial", one)
        kinds = found["adversarial kinds"]
        faithful = np.array([kind.startswith("faithful") for kind in kinds])
        report.setdefault("adversarial, by reading", {})[name] = {"stopped": int((scores[~faithful] < point).sum()), "of": int((~faithful).sum()), "faithful stopped": int((scores[faithful] < point).sum())}
    for name, one in report.get("lenient", {}).items():
        scores, truth = of("ragtruth", compared[name])
        one["ragtruth f1"], one["precision"], one["recall"] = f1(scores, truth, one["threshold"])
        scores, _ = of("adversarial", compared[name])
        kinds = found["adversarial kinds"]
        one["stopped, of 30 each"] = {kind: int((scores[kinds == kind] < one["threshold"]).sum()) for kind in sorted(set(kinds.tolist()))}
    scores, truth = of("adversarial", weights)
    report["adversarial"] = {
        "stopped, of 30 each": {kind: int((scores[found["adversarial kinds"] == kind] < threshold).sum()) for kind in sorted(set(found["adversarial kinds"].tolist()))},
        "auc": area_under_curve(scores, truth),
    }
    return report


def squad(data: Path):
    with open(data / "data/answer_refuse/squad2_dev_half.json", encoding="utf-8") as file:
        return json.load(file)["data"]


def normal(text: str) -> list[str]:
    text = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return [word for word in text.split() if word not in ("a", "an", "the")]


def overlap(found: str, wanted: list[str]) -> tuple[float, float]:
    best = (0.0, 0.0)
    for answer in wanted:
        left, right = normal(found), normal(answer)
        same = sum((Counter(left) & Counter(right)).values())
        value = 2 * same / (len(left) + len(right)) if same else 0.0
        best = max(best, (value, float(left == right)))
    return best


def refusing(scores, truth, refused: float) -> tuple[float, float]:
    """The threshold that refuses this share of the answerable, and the share of the unanswerable that it lets through."""
    threshold = float(np.quantile(scores[truth], refused))
    return threshold, float((scores[~truth] >= threshold).mean())


LIKE_SQUAD = ("squad2 pairs", "squad1_44", "squad2_part", "flan_squad", "adversarialqa", "clapnq", "covidqa", "qed", "kou_squad")


def asked_elsewhere(sets: str, every: int) -> list[tuple[str, str]]:
    """People's answerable questions with their passages, of groups that no model learned from."""
    path = folders.runs() / "sets" / sets / "held_out.jsonl"
    rows = list(leaks.rows(path)) if path.exists() else []
    return [(row["question"], row["passage"]) for row in rows if row["answerable"] and row["kind"].split(":")[0] in LIKE_SQUAD][::every]


def refusing_in_both(here, elsewhere, refused: float) -> float:
    """The threshold that refuses this share on average over two samples of answerable questions: eight articles alone are
    harder or easier than the next eight."""
    if not len(elsewhere):
        return float(np.quantile(here, refused))
    points = np.sort(np.concatenate([here, elsewhere]))
    shares = (np.searchsorted(np.sort(here), points) / len(here) + np.searchsorted(np.sort(elsewhere), points) / len(elsewhere)) / 2
    return float(points[min(len(points) - 1, int(np.searchsorted(shares, refused)))])


def reader(scorer: Scorer, data: Path, every: int, choices_only: bool = False, sets: str = "reader") -> dict:
    articles = squad(data)
    report: dict = {}
    rows = []
    for number, article in enumerate(articles):
        title = article["title"].replace("_", " ")
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                rows.append((number, asked["question"], f"{title}\n{paragraph['context']}", not asked["is_impossible"], [a["text"] for a in asked["answers"]]))
    rows = [row for row in rows if row[0] < 8 or not choices_only][::every]
    found = answering(scorer, [(row[1], row[2]) for row in rows])
    logits, margins = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    truth, first = np.array([row[3] for row in rows]), np.array([row[0] < 8 for row in rows])
    # How much the span's margin weighs is chosen on the first eight articles.
    tried = {weight: area_under_curve((logits + weight * margins)[first], truth[first]) for weight in (0, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0)}
    weight = max(tried, key=tried.get)
    scores = logits + weight * margins
    other = np.array([] if choices_only else [logit + weight * margin for logit, margin, _ in answering(scorer, asked_elsewhere(sets, every))])
    report["chosen on the first eight articles"] = {"weight of the span": weight, "auc by weight": tried}
    if choices_only:
        return report
    second = ~first
    report["squad2, second eight"] = {"questions": int(second.sum()), "auc": area_under_curve(scores[second], truth[second]), "auc of the logit alone": area_under_curve(logits[second], truth[second])}
    for refused in (0.05, 0.1, 0.2, 0.3):
        for where, threshold in (("the first eight", refusing(scores[first], truth[first], refused)[0]), ("the first eight and other sets", refusing_in_both(scores[first & truth], other, refused))):
            report["squad2, second eight"][f"threshold for {refused:.0%} false refusals on {where}"] = {
                "threshold": threshold,
                "false refusals": float((scores[second & truth] < threshold).mean()),
                "false answers": float((scores[second & ~truth] >= threshold).mean()),
                "false answers at exactly this share": refusing(scores[second], truth[second], refused)[1],
            }
    spans = [overlap(row[2][begin:end], row[4]) for row, (_, _, (begin, end)) in zip(rows, found, strict=True) if row[3] and row[0] >= 8]
    report["squad2, second eight"] |= {"span f1": float(np.mean([one[0] for one in spans])), "span exact": float(np.mean([one[1] for one in spans]))}
    report["absent article"] = absent(scorer, articles, weight, 160 // every)
    report["reranking"] = reranking(scorer, articles, weight, 120 // every)
    return report


def absent(scorer: Scorer, articles, weight: float, most: int) -> dict:
    """Questions whose article is not in the corpus: the best of BM25's five nearest passages must not seem to answer."""
    found = {}
    for part, chosen in (("first", articles[:8]), ("second", articles[8:])):
        present, gone = chosen[::2], chosen[1::2]
        corpus = [f"{a['title'].replace('_', ' ')}\n{p['context']}" for a in present for p in a["paragraphs"]]
        near = Near(corpus)
        dice = np.random.default_rng(3)
        here = [q["question"] for a in present for p in a["paragraphs"] for q in p["qas"] if not q["is_impossible"]]
        there = [q["question"] for a in gone for p in a["paragraphs"] for q in p["qas"]]
        here = [here[at] for at in dice.permutation(len(here))[:most]]
        there = [there[at] for at in dice.permutation(len(there))[:most]]
        pairs, whose = [], []
        for number, question in enumerate(here + there):
            for at in near.best(question, 5, rarest=None) or [0]:
                pairs.append((question, corpus[at]))
                whose.append(number)
        best = np.full(len(here) + len(there), -np.inf)
        for number, (logit, margin, _) in zip(whose, answering(scorer, pairs), strict=True):
            best[number] = max(best[number], logit + weight * margin)
        found[part] = (best[: len(here)], best[len(here) :])
    report: dict = {"questions": {part: [len(here), len(there)] for part, (here, there) in found.items()}}
    for refused in (0.02, 0.05, 0.1):
        threshold = float(np.quantile(found["first"][0], refused))
        report[f"{refused:.0%} false refusals on the first eight"] = {
            "threshold": threshold, "false refusals": float((found["second"][0] < threshold).mean()), "false answers": float((found["second"][1] >= threshold).mean()),
            "false answers at exactly this share": float((found["second"][1] >= np.quantile(found["second"][0], refused)).mean()),
        }  # fmt: skip
    return report


def reranking(scorer: Scorer, articles, weight: float, most: int) -> dict:
    """BM25's ten best of all paragraphs, put in order by the reader: alone, and with the rank BM25 gave."""
    corpus, title = [], []
    for article in articles:
        for paragraph in article["paragraphs"]:
            corpus.append(paragraph["context"])
            title.append(article["title"].replace("_", " "))
    near = Near([f"{name}\n{text}" for name, text in zip(title, corpus, strict=True)])
    asked, at = [], 0
    for number, article in enumerate(articles):
        for paragraph in article["paragraphs"]:
            asked += [(number, at, q["question"]) for q in paragraph["qas"] if not q["is_impossible"]]
            at += 1
    asked = [asked[one] for one in np.random.default_rng(4).permutation(len(asked))[: 2 * most]]
    pairs, lists = [], []
    for _, _, question in asked:
        best = near.best(question, 10, rarest=None)
        lists.append(best)
        pairs += [(question, f"{title[one]}\n{corpus[one]}") for one in best]
    scores = iter(logit + weight * margin for logit, margin, _ in answering(scorer, pairs))
    measured = defaultdict(lambda: defaultdict(list))
    for (number, right, _), best in zip(asked, lists, strict=True):
        own = [next(scores) for _ in best]
        part = "first" if number < 8 else "second"
        for name, key in [("bm25", lambda rank: -rank), ("reader", lambda rank: own[rank])] + [
            (f"reader x {share} and rank", lambda rank, share=share: share * own[rank] - math.log(rank + 1)) for share in (0.1, 0.2, 0.35, 0.5, 1.0)
        ]:
            order = sorted(range(len(best)), key=key, reverse=True)
            place = next((at for at, rank in enumerate(order) if best[rank] == right), None)
            measured[part][name].append((place == 0, 0 if place is None else 1 / math.log2(place + 2)))
    table = {part: {name: {"top-1": float(np.mean([v[0] for v in values])), "ndcg@10": float(np.mean([v[1] for v in values]))} for name, values in names.items()} for part, names in measured.items()}
    chosen = max(table["first"], key=lambda name: table["first"][name]["ndcg@10"])
    return {"questions": {part: len(names["bm25"]) for part, names in measured.items()}, "chosen on the first eight": chosen, "second eight": {name: table["second"][name] for name in ("bm25", "reader", chosen)}}


def speed(scorer: Scorer, pairs: int = 40) -> dict:
    """CPU time of one pair, one at a time, at two lengths: the clock on the wall would measure the neighbours."""
    taken = {}
    for length in (128, 256):
        ids, mask, types = (np.ones((1, length), np.int64) for _ in range(3))
        ids[:] = np.random.default_rng(1).integers(1000, 20000, (1, length))
        types[:, : length // 2] = 0
        times = []
        for _ in range(pairs):
            began = time.process_time()
            scorer.run(ids, mask, types)
            times.append((time.process_time() - began) * 1000)
        taken[str(length)] = [float(np.quantile(times, share)) for share in (0.5, 0.95)]
    return taken


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("source", type=Path, help="a run's checkpoint.pt, or an exported folder")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="only every n-th example: to see that it runs")
    parser.add_argument("--choices-only", action="store_true", help="no test set is read: to compare what could be measured")
    parser.add_argument("--sets", help="the folder of sets whose held-out pairs count; the last one made where nothing is said")
    parser.add_argument("--window", type=int, default=260, help="how many words of a long premise the verifier is shown")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    scorer = Scorer(options.task, options.source, options.base)
    kept = options.out.with_suffix(".npz") if options.out else None
    if options.task == "reader":
        report = reader(scorer, folders.data(), options.every, options.choices_only, options.sets or "reader")
    elif kept and kept.exists():  # measured before: only read anew
        report = verifier(dict(np.load(kept)))
    else:
        found = gathered(scorer, folders.data(), options.every, options.choices_only, options.sets or "verifier", options.window)
        if kept:
            np.savez(kept, **found)
        report = verifier(found)
    report = rounded(report | ({"milliseconds of one thread": speed(scorer)} if scorer.onnx and not options.choices_only else {}))
    written = json.dumps(report, indent=1)
    print(written)
    if options.out:
        options.out.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
