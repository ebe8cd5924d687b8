"""Asks a real server with the demo handbook. usage: real_server.py, with IBIDEM_URL and IBIDEM_KEY"""

import asyncio
import importlib.util
import os
import sys
from pathlib import Path

from ibidem import Ibidem, Problem, Sentence, check_text, rendered, verdicts_by

HERE = Path(__file__).resolve().parent
QUESTION = "What is the daily limit for meals on a business trip?"

ibidem = Ibidem(os.environ["IBIDEM_URL"], os.environ["IBIDEM_KEY"])
answer = ibidem.ask(QUESTION, collections=["Handbook"])
assert answer.citations and not answer.refused, answer
*sentences, last = ibidem.stream(QUESTION, collections=["Handbook"])
assert all(isinstance(part, Sentence) for part in sentences) and last.text == answer.text, (sentences, last)
assert "".join(sentence.text for sentence in sentences).split() == answer.text.split(), (sentences, answer)
refusal = ibidem.ask("Who painted the ceiling of the chapel?")
assert refusal.refused and refusal.reason, refusal

quoted = "The daily allowance covers meals and small expenses; receipts are neither needed nor accepted."
wrong = "The daily allowance for Nordic countries is 999 euros."
checks = ibidem.check([quoted, wrong, "Dogs may be brought to the moon."], collections=["Handbook"])
assert [check.verdict == "supported" for check in checks] == [True, False, False], checks
cited = answer.citations[0].source_id
[against] = ibidem.check(quoted, sources=[cited])
assert against.verdict == "supported" and [passage.source_id for passage in against.passages] == [cited], against
# What is in no document counts as a text, and nothing else does.
elsewhere = "Dogs may be brought to the moon on Fridays."
brought = [("Parking", "Cars are parked behind the house."), ("Moon", f"{'About the moon. ' * 3000}\n\n{elsewhere}\x00")]
[of_texts] = ibidem.check(elsewhere, texts=brought)
assert of_texts.verdict == "supported" and not of_texts.passages, of_texts
assert [text.name for text in of_texts.texts if text.verdict == "supported"] == ["Moon"] and len(of_texts.texts) > 2, of_texts
[not_searched] = ibidem.check(quoted, texts=brought)
assert not_searched.verdict != "supported", not_searched
[of_both] = ibidem.check(quoted, texts=brought, sources=[cited])
assert of_both.verdict == "supported" and {text.verdict for text in of_both.texts} == {"unsupported"}, of_both
assert len(ibidem.check(elsewhere, texts=["\x01\U0001f9c0" * 100_000] * 20)[0].texts) == 16
for wrong_key, call, status in (
    (True, lambda one: one.ask("?"), 401),
    (False, lambda one: one.check("x" * 2001), 422),
    (False, lambda one: one.check("A.", collections=["No such collection"]), 422),
):
    try:
        call(Ibidem(ibidem.url, "ibk_wrong") if wrong_key else ibidem)
    except Problem as problem:
        assert problem.status == status and problem.detail and problem.request_id, problem
    else:
        raise AssertionError(status)

text = f"{quoted} {wrong}"
checked = check_text(verdicts_by(ibidem), text)
assert checked.count("supported") == 1 and not checked.why_unchecked, checked
assert rendered(checked, remove=True).endswith(f"\n\n{quoted} "), rendered(checked, remove=True)

spec = importlib.util.spec_from_file_location("ibidem_filter", HERE / "open_webui" / "ibidem_filter.py")
try:
    module = importlib.util.module_from_spec(spec)
    sys.modules["ibidem_filter"] = module
    spec.loader.exec_module(module)
except ModuleNotFoundError as error:
    print(f"the Open WebUI filter is not asked with: {error.name} is not installed")
else:
    the_filter = module.Filter()
    the_filter.valves = module.Filter.Valves(url=ibidem.url, key=os.environ["IBIDEM_KEY"], remove=True)
    sources = [{"source": {"url": f"{ibidem.url}/#/passage/{cited.replace(':', '/')}?of=0"}}]
    body = {"messages": [{"role": "assistant", "content": text, "sources": sources}]}
    content = asyncio.run(the_filter.outlet(body))["messages"][0]["content"]
    assert content.endswith(f"\n\n{quoted} "), content
    sources = [{"source": {"name": "Knowledge"}, "document": [wrong], "metadata": [{"name": "Elsewhere"}]}]
    body = {"messages": [{"role": "assistant", "content": text, "sources": sources}]}
    content = asyncio.run(the_filter.outlet(body))["messages"][0]["content"]
    assert "not documents of Ibidem" in content and content.endswith(f"\n\n{wrong}"), content
print("Python: asked, streamed, checked and refused as the API says")
