import asyncio
import io
import logging
import sys
import types
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python" / "tests"))

from fake_server import KEY, PASSAGE, by_words, serving  # noqa: E402

try:
    import pydantic  # noqa: F401
except ImportError:
    # As much of it as settings of a filter need, where the machine has none.
    class BaseModel:
        def __init__(self, **given):
            for name in type(self).__annotations__:
                setattr(self, name, given.get(name, getattr(type(self), name)))

    stub = types.ModuleType("pydantic")
    stub.BaseModel, stub.Field = BaseModel, lambda default=None, **_: default
    sys.modules["pydantic"] = stub


def loaded():
    """The filter, as Open WebUI loads it: the text of the file run in a module of its own."""
    module = types.ModuleType("function_ibidem_filter_test")
    sys.modules[module.__name__] = module
    exec((HERE.parent / "ibidem_filter.py").read_text(encoding="utf-8"), module.__dict__)
    return module


MODULE = loaded()
logging.getLogger("ibidem_filter").propagate = False
logging.getLogger("ibidem_filter").addHandler(logging.NullHandler())
TEXT = "Dinner costs 50 euros. Lunch costs 60 euros. Breakfast is free."
MARKED = (
    "> Checked by Ibidem: the documents bear out 1 of 3 sentences.\n\nDinner costs 50 euros. "
    "**(the documents say otherwise)** Lunch costs 60 euros. **(not found in the documents)** Breakfast is free."
)


def output_of(*texts):
    items = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]} for text in texts]
    return [{"type": "reasoning", "content": [{"type": "output_text", "text": "Hm."}]}, *items, {"type": "function_call", "name": "x"}]


class Filters(unittest.TestCase):
    def outlet(self, body, reply=by_words, emitter=None, **valves):
        with serving(reply) as (url, asked):
            the_filter = MODULE.Filter()
            the_filter.valves = MODULE.Filter.Valves(**{"url": url, "key": KEY, **valves})
            result = asyncio.run(the_filter.outlet(body, emitter))
            self.filter = the_filter
        return result, [body for _, _, body in asked]

    def test_the_newest_answer_is_marked_and_no_other_message(self):
        said = []

        async def emitter(event):
            said.append(event["data"])

        messages = [
            {"id": "1", "role": "user", "content": "Dinner?"}, {"id": "2", "role": "assistant", "content": "Earlier."},
            {"id": "3", "role": "user", "content": "And lunch?"}, {"id": "4", "role": "assistant", "content": TEXT},
        ]  # fmt: skip
        result, asked = self.outlet({"id": "4", "messages": messages}, emitter=emitter)
        self.assertEqual([message["content"] for message in result["messages"]], ["Dinner?", "Earlier.", "And lunch?", MARKED])
        self.assertEqual(sorted(body["claim"] for body in asked), sorted(["Dinner costs 50 euros.", "Lunch costs 60 euros.", "Breakfast is free."]))
        self.assertEqual([(event["done"], event["hidden"]) for event in said], [(False, False), (True, True)])
        again, asked = asyncio.run(self.filter.outlet({"messages": [{"role": "assistant", "content": MARKED}]})), []
        self.assertEqual(again["messages"][0]["content"], MARKED)
        before = asyncio.run(self.filter.inlet({"messages": [{"role": "assistant", "content": MARKED}, {"role": "user", "content": MARKED}]}))
        self.assertEqual([message["content"] for message in before["messages"]], [TEXT, MARKED])

    def test_what_is_not_borne_out_is_taken_out_where_the_valve_says_so(self):
        result, _ = self.outlet({"messages": [{"role": "assistant", "content": TEXT}]}, remove=True, language="de")
        content = result["messages"][0]["content"]
        self.assertTrue(content.endswith("Herausgenommen: 2.\n\nDinner costs 50 euros. "), content)

    def test_passages_that_the_sources_name_are_what_sentences_are_held_against(self):
        document, index = PASSAGE.split(":")
        for source in (
            {"source": {"name": "x", "url": f"https://ibidem.example.org/#/passage/{document}/{index}?of=12"}, "document": [3]},
            {"document": ['{"source_id": "%s"}' % PASSAGE], "metadata": [{"source": None}]},
            {"metadata": [{"source": f"/v1/documents/{document}/passages/{index}"}]},
        ):
            body = {"messages": [{"role": "assistant", "content": TEXT, "sources": [source]}]}
            _, asked = self.outlet(body)
            self.assertEqual({tuple(body["sources"]) for body in asked}, {(PASSAGE,)})
        _, asked = self.outlet(body, against="documents", collections="Handbook, Rules")
        self.assertEqual({(*body["sources"], *body["collections"]) for body in asked}, {("Handbook", "Rules")})

    def test_the_texts_of_sources_count_where_they_name_no_passages(self):
        def source(text, name="Travel", more=(), **kind):
            return {"source": {"name": "Knowledge", **kind}, "document": [text], "metadata": [{"name": name}], **dict(more)}

        dinner = source("Dinner costs 50 euros.")
        page = {"source": {"name": "https://example.org"}, "document": ["Lunch.", "", 3, None], "metadata": "x"}
        left_out = [
            source("Said the model.", type="tool"), source("Said the model.", more={"tool_result": True}), source(" Travel "),
            {"source": "x", "document": ["A."]}, {"document": ["A."]}, {"source": {}, "document": "A."}, None, 3,
        ]  # fmt: skip
        body = lambda *sources: {"messages": [{"role": "assistant", "content": TEXT, "sources": list(sources)}]}  # noqa: E731
        result, asked = self.outlet(body(*left_out, dinner, page))
        texts = [{"name": "Travel", "text": "Dinner costs 50 euros."}, {"name": "https://example.org", "text": "Lunch."}]
        self.assertEqual([(one["sources"], one["texts"]) for one in asked], [([], texts)] * 3)
        content = result["messages"][0]["content"]
        self.assertTrue(content.startswith("> Checked by Ibidem: the sources of this conversation, not documents of Ibidem, bear out 1 of 3"), content)
        self.assertIn("**(the sources say otherwise)** Lunch", content)
        before = asyncio.run(self.filter.inlet(body() | {"messages": [{"role": "assistant", "content": content}]}))
        self.assertEqual(before["messages"][0]["content"], TEXT)
        # Passages of Ibidem win; tools and titles are no texts; and `documents` wants none.
        for sources, valves in ((left_out, {}), ([dinner], {"against": "documents"}), ([dinner, source(PASSAGE, type="tool")], {})):
            result, asked = self.outlet(body(*sources), **valves)
            self.assertEqual({"texts" in one for one in asked}, {False})
            self.assertEqual(result["messages"][0]["content"], MARKED)
        _, asked = self.outlet(body(*[source("x" * 300_000, "n" * 300, {"document": ["x" * 300_000] * 500})] * 500))
        self.assertEqual([(len(one["texts"]), len(one["texts"][0]["name"])) for one in asked], [(16, 200)] * 3)

    def test_without_ibidem_the_answer_is_withheld_unless_it_may_stay(self):
        for given in ({"url": "http://127.0.0.1:1"}, {"url": "", "key": ""}, {"key": "two words"}):
            result, _ = self.outlet({"messages": [{"role": "assistant", "content": TEXT, "output": output_of(TEXT)}]}, **given)
            message = result["messages"][0]
            self.assertNotIn("euros", str(message), given)
            self.assertIn("Ibidem", message["content"])
            result, _ = self.outlet({"messages": [{"role": "assistant", "content": TEXT}]}, fail_closed=False, **given)
            self.assertTrue(result["messages"][0]["content"].endswith(TEXT), given)

    def test_answers_in_parts_and_items_are_written_in_each_form(self):
        parts = [{"type": "text", "text": "Dinner costs 50 euros."}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "Lunch costs 60 euros."}]
        result, _ = self.outlet({"messages": [{"role": "assistant", "content": parts}]})
        texts = [part.get("text") for part in result["messages"][0]["content"]]
        self.assertEqual(texts[:2], ["", None])
        self.assertIn("**(the documents say otherwise)** Lunch", texts[2])
        message = {"role": "assistant", "content": "Something else.", "output": output_of("Dinner costs 50 euros.", "Lunch costs 60 euros.")}
        result, _ = self.outlet({"messages": [message]})
        self.assertEqual(MODULE.text_of(message).strip(), message["content"])
        self.assertIn("**(the documents say otherwise)** Lunch", message["content"])
        self.assertEqual(message["output"][0]["content"][0]["text"], "Hm.")

    def test_odd_bodies_and_messages_break_nothing(self):
        odd = [
            {}, {"messages": None}, {"messages": "x"}, {"messages": []}, {"messages": [None, 1, "x", [], {}]}, {"id": [], "messages": [{"role": "assistant"}]},
            *({"messages": [{"role": "assistant", **message}]} for message in (
                {"content": None}, {"content": 7}, {"content": []}, {"content": [None, {"type": "text"}, {"text": 3}, "x"]}, {"content": {}},
                {"content": "", "tool_calls": [{"function": None}]}, {"content": "\ud800 A. \x00"}, {"content": None, "output": [None, {"type": "message"}, {"type": "message", "content": "x"}]},
                {"content": "A.", "sources": 3}, {"content": "A.", "sources": [None, {"x": [[[["y"]]]]}]},
            )),
        ]  # fmt: skip
        for body in odd:
            for closed in (True, False):
                result, _ = self.outlet(body, fail_closed=closed)
                self.assertIs(result, body)
                self.assertIs(asyncio.run(self.filter.inlet(body)), body)
        deep = []
        for _ in range(5000):
            deep = [deep]
        self.outlet({"messages": [{"role": "assistant", "content": "A.", "sources": deep}]})

    def test_a_reply_may_hold_anything(self):
        for reply in (b"", b"<html>", b"[" * 100_000, b'{"verdict": "proven", "passages": []}', b'{"verdict": 1, "passages": 2}'):
            result, _ = self.outlet({"messages": [{"role": "assistant", "content": TEXT}]}, reply=lambda _: (200, reply))
            self.assertNotIn("euros", result["messages"][0]["content"])

    def test_the_key_is_in_no_log(self):
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        # The key is searched for in what anything logs.
        for logger in (logging.getLogger(), logging.getLogger("ibidem_filter")):
            logger.addHandler(handler)
            self.addCleanup(logger.removeHandler, handler)
        for given in ({"key": KEY + "\n"}, {"url": "http://127.0.0.1:1"}, {"url": f"http://{KEY}@host"}):
            self.outlet({"messages": [{"role": "assistant", "content": TEXT}]}, **given)
        self.assertIn("a setting of the filter is wrong", log.getvalue())
        self.assertNotIn(KEY, log.getvalue())


if __name__ == "__main__":
    unittest.main()
