"""The sets that were made from the data folder, held against every test set."""

import os

import pytest
from test_leaks import texts

from ibidem_training import folders, leaks


@pytest.mark.skipif(not os.environ.get(folders.DATA_VARIABLE), reason=f"needs the data folder: set {folders.DATA_VARIABLE}")
def test_nothing_learned_from_is_in_a_test_set():
    found = leaks.Leaks(folders.data())
    sets = sorted((folders.runs() / "sets").rglob("*.jsonl"))
    assert sets, "make the sets first"
    assert len(found.runs) > 100_000
    leaked = []
    for path in sets:
        for row in leaks.rows(path):
            leaked += [(path.name, name, text[:80]) for text in texts(row) if (name := found.find(text))]
    assert leaked == []
