"""Runs that are compared come forward together, and what is finished is not begun again."""

from ibidem_training.schedule import wanted

QUEUE = [{"recipes": ["a", "b"], "cpu minutes": [2, 5]}, {"recipes": ["c"], "cpu minutes": [1]}]


def test_every_recipe_reaches_a_mark_before_any_goes_on():
    used = {"a": 0.0, "b": 0.0, "c": 0.0}
    order = []
    while following := wanted(QUEUE, used.get):
        order.append(following)
        used[following[0]] = following[1] + 0.1
    assert order == [("a", 2), ("b", 2), ("a", 5), ("b", 5), ("c", 1)]


def test_what_was_interrupted_goes_on_before_anything_later():
    assert wanted(QUEUE, {"a": 5.0, "b": 3.1, "c": 0.0}.get) == ("b", 5)
    assert wanted(QUEUE, {"a": 5.0, "b": 5.0, "c": 1.0}.get) is None
