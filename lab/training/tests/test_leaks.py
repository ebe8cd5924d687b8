"""No text that is learned from shares a run of twelve words, or a whole text, with what is measured on."""

from ibidem_training import folders, leaks


def texts(row):
    return [row[field] for field in ("premise", "claim", "question", "passage", "query", "positive") if row.get(field)]


def test_a_run_of_twelve_words_is_found_and_eleven_are_not():
    spelled = [f"w{at}" for at in range(20)]
    found = leaks.Known([("a test set", " ".join(spelled))])
    assert found.find("Before, " + " ".join(spelled[3:15]) + " and after") == "a test set"
    assert found.find("Before, " + " ".join(spelled[3:14]) + " and after") is None


def test_rows_of_the_smoke_run_are_in_no_test_set_of_the_repository():
    found = leaks.Leaks.of_repository()
    rows = [row for path in (folders.REPOSITORY / "lab/training/smoke/training").rglob("*.jsonl") for row in leaks.rows(path)]
    assert len(rows) > 100
    assert [text for row in rows for text in texts(row) if found.find(text)] == []
