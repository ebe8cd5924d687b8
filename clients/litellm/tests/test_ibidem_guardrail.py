import asyncio
import os
import sys
import types
import unittest
from pathlib import Path
from types import SimpleNamespace as Thing

HERE = Path(__file__).resolve().parent
CLIENTS = HERE.parent.parent
sys.path[:0] = [str(CLIENTS / "python" / "src"), str(CLIENTS / "python" / "tests"), str(HERE.parent)]
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from fake_server import KEY, PASSAGE, by_words, serving  # noqa: E402

try:
    import litellm
except ImportError:
    litellm = None
    # As much of it as the guardrail needs, where the machine has none.
    names = ("litellm", "litellm.exceptions", "litellm.integrations", "litellm.integrations.custom_guardrail", "litellm.types", "litellm.types.guardrails")
    stubs = {name: types.ModuleType(name) for name in names}

    class CustomGuardrail:
        def __init__(self, guardrail_name=None, **_):
            self.guardrail_name = guardrail_name

    class GuardrailRaisedException(Exception):
        def __init__(self, guardrail_name=None, message=""):
            super().__init__(message)

    stubs["litellm.exceptions"].GuardrailRaisedException = GuardrailRaisedException
    stubs["litellm.integrations.custom_guardrail"].CustomGuardrail = CustomGuardrail
    stubs["litellm.types.guardrails"].GuardrailEventHooks = Thing(post_call="post_call")
    sys.modules.update(stubs)

from ibidem_guardrail import GuardrailRaisedException, IbidemGuardrail  # noqa: E402

TEXT = "Dinner costs 50 euros. Lunch costs 60 euros. Breakfast is free."
MARKED = (
    "> Checked by Ibidem: the documents bear out 1 of 3 sentences.\n\nDinner costs 50 euros. "
    "**(the documents say otherwise)** Lunch costs 60 euros. **(not found in the documents)** Breakfast is free."
)


def chat(*texts, tool_calls=None):
    if litellm:
        choices = [{"index": index, "message": {"role": "assistant", "content": text, "tool_calls": tool_calls}} for index, text in enumerate(texts)]
        return litellm.ModelResponse(choices=choices)
    return Thing(choices=[Thing(index=index, message=Thing(content=text, tool_calls=tool_calls)) for index, text in enumerate(texts)])


def chunk(text, index=0):
    if litellm:
        from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

        return ModelResponseStream(choices=[StreamingChoices(index=index, delta=Delta(content=text))])
    return Thing(choices=[Thing(index=index, delta=Thing(content=text))])


async def stream(chunks):
    for one in chunks:
        yield one


class Guardrails(unittest.TestCase):
    def guard(self, use, reply=by_words, **settings):
        with serving(reply) as (url, asked):
            settings = {"api_base": url, "api_key": KEY, "guardrail_name": "ibidem", "event_hook": "post_call", **settings}
            result = asyncio.run(use(IbidemGuardrail(**settings)))
        return result, [body for _, _, body in asked]

    def whole(self, response, data=None, **settings):
        return self.guard(lambda guardrail: guardrail.async_post_call_success_hook(data or {}, None, response), **settings)

    def streamed(self, chunks, **settings):
        async def use(guardrail):
            return [one async for one in guardrail.async_post_call_streaming_iterator_hook(None, stream(chunks), {})]

        return self.guard(use, **settings)[0]

    def test_a_reply_is_marked_and_passages_of_tools_are_what_it_is_held_against(self):
        messages = [{"role": "user", "content": "a" + PASSAGE[1:]}, {"role": "tool", "content": '{"source_id": "%s"}' % PASSAGE}]
        result, asked = self.whole(chat(TEXT, None), {"messages": messages}, collections=["Handbook"])
        self.assertEqual([choice.message.content for choice in result.choices], [MARKED, None])
        self.assertEqual({(*body["sources"], *body["collections"]) for body in asked}, {(PASSAGE, "Handbook")})

    def test_texts_of_tools_count_where_the_settings_say_so_and_none_names_a_passage(self):
        messages = [
            {"role": "user", "content": "Dinner costs 60 euros."}, {"role": "tool", "content": "Dinner costs 50 euros."},
            {"role": "assistant", "content": "Hm."}, {"role": "function", "content": [{"type": "text", "text": "Lunch."}, {"type": "x"}]},
            {"role": "tool", "content": " "}, {"role": "tool", "content": None}, None,
        ]  # fmt: skip
        result, asked = self.whole(chat(TEXT), {"messages": messages}, against="texts")
        texts = [{"name": None, "text": "Lunch."}, {"name": None, "text": "Dinner costs 50 euros."}]
        self.assertEqual([(body["sources"], body["texts"]) for body in asked], [([], texts)] * 3)
        self.assertIn("sources of this conversation, not documents of Ibidem, bear out 1 of 3", result.choices[0].message.content)
        with self.assertRaises(GuardrailRaisedException) as raised:
            self.whole(chat(TEXT), {"messages": messages}, against="texts", on_unsupported="block")
        self.assertIn("The sources do not bear out 2 of 3", str(raised.exception))
        named = [*messages, {"role": "tool", "content": PASSAGE}]
        for given, settings in ((messages, {}), (named, {"against": "texts"}), (messages[:1], {"against": "texts"})):
            result, asked = self.whole(chat(TEXT), {"messages": given}, **settings)
            self.assertEqual({"texts" in body for body in asked}, {False})
            self.assertEqual(result.choices[0].message.content, MARKED)

    def test_a_reply_may_be_blocked(self):
        with self.assertRaises(GuardrailRaisedException) as raised:
            self.whole(chat(TEXT), on_unsupported="block")
        self.assertIn("2 of 3 sentences", str(raised.exception))
        result, _ = self.whole(chat("Dinner costs 50 euros."), on_unsupported="block")
        self.assertTrue(result.choices[0].message.content.endswith("1 of 1 sentences.\n\nDinner costs 50 euros."))

    def test_without_ibidem_nothing_goes_out_unless_it_may(self):
        away = {"api_base": "http://127.0.0.1:1"}
        result, _ = self.whole(chat(TEXT), **away)
        self.assertNotIn("euros", result.choices[0].message.content)
        result, _ = self.whole(chat(TEXT), fail_closed=False, **away)
        self.assertTrue(result.choices[0].message.content.endswith(TEXT))
        with self.assertRaises(GuardrailRaisedException) as raised:
            self.whole(chat(TEXT), on_unsupported="block", **away)
        self.assertNotIn(KEY, str(raised.exception))

    def test_other_kinds_of_replies(self):
        responses = {"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": TEXT}]}]}
        messages = {"role": "assistant", "content": [{"type": "text", "text": TEXT}, {"type": "tool_use"}]}
        self.assertEqual(self.whole(responses)[0]["output"][1]["content"][0]["text"], MARKED)
        self.assertEqual(self.whole(messages)[0]["content"][0]["text"], MARKED)
        self.assertEqual(self.whole({"choices": [{"text": TEXT}]})[0]["choices"][0]["text"], MARKED)
        for other in (None, {}, [], "x", {"data": [{"embedding": [0.1]}]}, {"choices": None}, {"choices": [None, {"message": None}]}, chat("", " ", tool_calls=[])):
            self.whole(other, data={"messages": [None, 3, {"role": "tool"}]})

    def test_a_stream_goes_out_checked_and_not_before(self):
        chunks = [chunk(None), *(chunk(part) for part in (TEXT[:10], TEXT[10:30], TEXT[30:])), chunk("Dinner costs 50 euros.", 1), chunk("")]
        result = self.streamed(chunks)
        self.assertEqual(len(result), 6)
        texts = [one.choices[0].delta.content or "" for one in result if one.choices[0].index == 0]
        self.assertEqual("".join(texts), MARKED)
        with self.assertRaises(GuardrailRaisedException):
            self.streamed(chunks, on_unsupported="block")

    def test_a_stream_of_an_unknown_kind_goes_out_only_where_it_may(self):
        with self.assertRaises(GuardrailRaisedException):
            self.streamed([b"event: message_start"])
        self.assertEqual(self.streamed([b"event: message_start"], fail_closed=False), [b"event: message_start"])

    def test_settings_that_cannot_be_meant_are_refused_without_the_key(self):
        for settings in ({"on_unsupported": "hide"}, {"against": "hearsay"}, {"api_base": ""}, {"api_key": KEY + "\n"}):
            with self.assertRaises(ValueError) as raised:
                self.whole(chat(TEXT), **settings)
            self.assertNotIn(KEY, str(raised.exception))


print("LiteLLM is", getattr(litellm, "__file__", None) or "not installed: a stand-in takes its place", file=sys.stderr)
if __name__ == "__main__":
    unittest.main()
