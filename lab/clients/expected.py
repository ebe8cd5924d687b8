"""What every client must get: POST /v1/answers, in the form in which chat programs are told it.

usage: expected.py > FILE   (environment: IBIDEM_URL, IBIDEM_KEY)
"""

import json
import os
import re
import urllib.request

URL, KEY = os.environ["IBIDEM_URL"], os.environ["IBIDEM_KEY"]
QUESTIONS = {
    "answered": "How many days of annual leave may be carried over?",
    "table": "How much is reimbursed for meals on a business trip?",
    "unicode": "How many days of annual leave may be carried over – “roughly”, naïvely put? 🌍",
    "refused": "At which temperature does tungsten melt?",
}


def answer_to(question):
    body = json.dumps({"query": question}).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/v1/answers", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


def page_of(citation):
    """Where our pages show what is cited."""
    if not citation.get("status"):
        return citation["link"]
    document, index = citation["source_id"].split(":")
    return f"{URL}/#/passage/{document}/{index}?of={citation['document_sha256'][:12]}"


def shown(answer):
    """The answer with markers counted from 1, then its sources; and what each marker is a link to."""
    order, cited = [], {citation["marker"]: citation for citation in answer["citations"]}

    def number(marker):
        if marker not in order:
            order.append(marker)
        return order.index(marker) + 1

    links = []

    def renumbered(match):
        marker = int(match[1])
        if marker not in cited:
            return match[0]
        links.append(page_of(cited[marker]))
        return f"[{number(marker)}]"

    text = re.sub(r"\[(\d+)\]", renumbered, answer["answer"])
    for marker in cited:
        number(marker)
    if order:
        text += "\n\nSources:"
    for marker in order:
        source = cited[marker]
        page = source.get("page_number")
        named = [source["document_name"], source.get("section"), f"p. {page}" if page else None]
        text += f"\n[{number(marker)}] {', '.join(part for part in named if part)}"
    # A refusal quotes nothing: that it would have been quoted is nothing to know.
    for warning in [] if answer["refused"] else answer["warnings"]:
        text += f"\n\nNote: {warning}"
    return text, links


def main():
    expected = {}
    for name, question in QUESTIONS.items():
        answer = answer_to(question)
        text, links = shown(answer)
        expected[name] = {
            "question": question,
            "text": text,
            "links": links,
            "answer": answer["answer"],
            "action": answer["action"],
            "refused": answer["refused"],
        }
    assert expected["answered"]["links"] and not expected["answered"]["refused"], expected["answered"]
    assert expected["refused"]["refused"] and not expected["refused"]["links"], expected["refused"]
    print(json.dumps(expected, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
