"""Passages of rules and lists of our own making, whose headings decide what their items mean.

A list item "parking fines" under "What is not paid" means the opposite of the same item under "What is paid". No public
set has such text, and every handbook does, so it is composed here from parts: a title, a heading with a sign, items, and
figures. Every statement about such a passage is known to be true, false or not said.
"""

import random
from dataclasses import dataclass

TITLES = [
    "Travel handbook", "Expense rules", "Leave rules", "Remote work", "Guide for new staff", "Purchasing rules", "Data handling",
    "Switching orders", "Substation safety", "Control room manual", "Laboratory rules", "Library rules", "Fleet guide",
    "Support terms", "Warranty terms", "Tenant guide", "Membership terms", "Visitor rules", "Backup manual", "Release process",
    "Meter reading guide", "Connection terms", "Outage handling", "Grid code notes", "Workshop rules", "Event guide",
]
GROUPS = [
    # verb in the passive, headings that say yes, headings that say no, what it may be about
    ("paid for", ["What is paid", "Costs we cover", "Paid by the company", "Covered costs"],
     ["What is not paid", "Costs we do not cover", "Not paid by the company", "Excluded costs"],
     ["train tickets", "hotel breakfasts", "taxi rides at night", "parking fees", "speeding tickets", "minibar bills", "visa fees",
      "seat upgrades", "laundry on long trips", "conference fees", "gym passes at hotels", "luggage fees", "gifts for hosts",
      "language courses", "road tolls", "rental car insurance", "phone calls home", "lost luggage", "airport lounges"]),
    ("allowed", ["Allowed", "What is allowed", "You may bring", "Permitted"],
     ["Not allowed", "What is forbidden", "You may not bring", "Prohibited"],
     ["pets", "open flames", "private laptops", "food and drinks", "visitors after six", "bicycles", "cameras", "headphones",
      "extension cords", "glass bottles", "personal heaters", "recording devices", "children under twelve", "ladders",
      "phones with cameras", "metal jewellery", "loose clothing", "portable radios"]),
    ("required", ["Required", "What you must have", "Mandatory", "Needed before you start"],
     ["Not required", "Optional", "What you do not need", "Voluntary"],
     ["a helmet", "a signed form", "safety glasses", "a second approver", "a work permit", "an earthing check", "a photo badge",
      "a quotation", "a receipt", "a medical check", "a risk assessment", "insulating gloves", "a purchase number",
      "a backup copy", "a test report", "a switching schedule", "an escort", "a refresher course"]),
    ("included", ["Included", "What the contract includes", "In scope", "Part of the service"],
     ["Not included", "What the contract excludes", "Out of scope", "Not part of the service"],
     ["weekend support", "spare parts", "on-site visits", "software updates", "training for staff", "data recovery", "cleaning",
      "meter replacement", "cable repairs", "telephone support", "emergency call-outs", "annual inspection", "battery changes",
      "transport", "disposal of old equipment", "translation", "remote monitoring", "tree cutting"]),
    ("kept", ["Records we keep", "What is stored", "Kept", "Retained data"],
     ["Records we delete", "What is not stored", "Not kept", "Data we do not retain"],
     ["meter readings", "call recordings", "door logs", "job applications", "invoices", "chat messages", "search queries",
      "network traces", "visitor names", "payment card numbers", "outage reports", "switching logs", "camera pictures",
      "e-mail addresses", "crash reports", "location data", "test results", "delivery notes"]),
]
WHO = ["the team lead", "the shift supervisor", "the finance office", "the control room", "the site manager", "the security desk",
       "the help desk", "the safety officer", "the head of department", "the data protection officer", "the works council",
       "the duty engineer"]
ACTS = ["approve leave longer than two weeks", "release a locked account", "order spare parts", "open the high-voltage room",
        "confirm a switching order", "sign contracts", "grant access to the archive", "stop a production run", "change the on-call rota",
        "issue visitor badges", "declare a major outage", "extend a deadline", "move a server", "cancel a booking"]
LIMITS = [("Receipts", "must be handed in within", "days"), ("Access cards", "expire after", "months"), ("Passwords", "must be changed every", "days"),
          ("Backups", "are kept for", "weeks"), ("Complaints", "are answered within", "hours"), ("Log files", "are deleted after", "days"),
          ("Fire drills", "take place every", "months"), ("Relay settings", "are reviewed every", "years"), ("Trainees", "stay for", "months"),
          ("Quotations", "are valid for", "weeks"), ("Transformers", "are inspected every", "years"), ("Locked accounts", "are released after", "minutes"),
          ("Spare keys", "may be borrowed for", "hours"), ("Meter data", "is delivered within", "minutes"), ("Deposits", "are returned within", "weeks")]


@dataclass
class Claimed:
    premise: str
    claim: str
    label: int  # 0 supported, 1 contradicted, 2 not said
    spans: list[tuple[int, int]]
    kind: str


@dataclass
class Asked:
    passage: str
    question: str
    answerable: bool
    span: tuple[int, int] | None
    kind: str


def plural(item: str) -> bool:
    return item.split()[0] not in ("a", "an") and item not in ("lost luggage", "cleaning", "transport", "weekend support", "telephone support", "data recovery", "remote monitoring", "tree cutting", "translation", "location data", "annual inspection", "rental car insurance", "meter replacement", "disposal of old equipment", "training for staff", "laundry on long trips")


def section(dice: random.Random):
    verb, yes, no, about = dice.choice(GROUPS)
    items = dice.sample(about, min(len(about), dice.randint(5, 8)))
    listed, absent = items[:-2], items[-2:]
    sign = dice.random() < 0.45
    heading = dice.choice(yes if sign else no)
    title = dice.choice(TITLES)
    style = dice.random()
    if style < 0.5:
        body = "\n".join(f"{dice.choice(['- ', '• ', '* '])}{item}" for item in listed)
    elif style < 0.75:
        body = ", ".join(listed[:-1]) + " and " + listed[-1] + "."
    else:
        body = ". ".join(item[:1].upper() + item[1:] for item in listed) + "."
    line = dice.choice([f"{title}: {heading}", f"{title}: {heading}", f"{title} › {heading}", heading])
    return verb, sign, listed, absent, line, title, heading, body


def statement(item: str, verb: str, sign: bool, dice: random.Random) -> str:
    be = "are" if plural(item) else "is"
    subject = item[:1].upper() + item[1:]
    ways = [f"{subject} {be} {'' if sign else 'not '}{verb}."]
    if verb == "paid for":
        ways += [f"The company {'pays' if sign else 'does not pay'} for {item}.", f"{subject} {be} {'' if sign else 'not '}paid by the company.",
                 f"Employees {'do not ' if sign else ''}have to pay for {item} themselves."]
    elif verb == "allowed":
        ways += [f"You {'may' if sign else 'may not'} bring {item}.", f"{subject} {be} {'permitted' if sign else 'forbidden'}."]
    elif verb == "required":
        ways += [f"You {'need' if sign else 'do not need'} {item}.", f"{subject} {be} {'mandatory' if sign else 'optional'}."]
    elif verb == "included":
        ways += [f"The contract {'covers' if sign else 'does not cover'} {item}.", f"{subject} {be} {'part' if sign else 'not part'} of the service."]
    else:
        ways += [f"{subject} {be} {'stored' if sign else 'not stored'}.", f"We {'keep' if sign else 'do not keep'} {item}."]
    return dice.choice(ways)


def spanned(claim: str, words: str) -> list[tuple[int, int]]:
    at = claim.lower().find(words.lower())
    return [(at, at + len(words))] if at >= 0 else []


def claims(dice: random.Random) -> list[Claimed]:
    verb, sign, listed, absent, line, _, _, body = section(dice)
    extra, facts = figures(dice)
    premise = f"{line}\n{body}" + (f"\n{extra}" if dice.random() < 0.5 else "")
    has_facts = premise.endswith(extra)
    made = []
    item = dice.choice(listed)
    made.append(Claimed(premise, statement(item, verb, sign, dice), 0, [], "heading: as it says"))
    wrong = statement(dice.choice(listed), verb, not sign, dice)
    # Which words turn a whole statement round is a matter of taste: all but the item.
    made.append(Claimed(premise, wrong, 1, [(0, len(wrong))], "heading: the opposite"))
    item = dice.choice(absent)
    unsaid = statement(item, verb, dice.random() < 0.5, dice)
    made.append(Claimed(premise, unsaid, 2, spanned(unsaid, item), "heading: another item"))
    if has_facts:
        true, false, spans = facts
        made.append(Claimed(premise, true, 0, [], "figure in a list"))
        made.append(Claimed(premise, false, 1, spans, "figure in a list, changed"))
    return made


def figures(dice: random.Random):
    who, act = dice.choice(WHO), dice.choice(ACTS)
    what, does, unit = dice.choice(LIMITS)
    value = dice.choice([2, 3, 4, 5, 6, 8, 10, 12, 14, 15, 20, 24, 30, 45, 60, 90])
    text = f"Only {who} may {act}. {what} {does} {value} {unit}."
    if dice.random() < 0.5:
        true = f"{who[:1].upper()}{who[1:]} may {act}."
        other = dice.choice([o for o in WHO if o != who])
        false = f"{other[:1].upper()}{other[1:]} may {act}."
        return text, (true, false, [(0, len(other))])
    true = f"{what} {does} {value} {unit}."
    kind = dice.random()
    if kind < 0.4:
        new, changed = str(value + dice.choice([1, 2, 5, 7, 15])), "value"
        false = f"{what} {does} {new} {unit}."
        return text, (true, false, spanned(false, new))
    if kind < 0.7:
        new = dice.choice([u for u in ("minutes", "hours", "days", "weeks", "months", "years") if u != unit])
        false = f"{what} {does} {value} {new}."
        return text, (true, false, spanned(false, new))
    new = dice.choice([" after approval by the board", " without exception", " and are checked by an outside auditor",
                       " unless a manager objects", " and a fee is charged", " in all countries", " and cannot be renewed"])
    false = f"{what} {does} {value} {unit}{new}."
    return text, (true, false, spanned(false, new.strip()))


def questions(dice: random.Random) -> list[Asked]:
    verb, sign, listed, absent, line, _, _, body = section(dice)
    extra, _ = figures(dice)
    passage = f"{line}\n{body}" + (f"\n{extra}" if dice.random() < 0.5 else "")
    made = []
    for item, known in ((dice.choice(listed), True), (dice.choice(absent), False)):
        be = "Are" if plural(item) else "Is"
        ways = [f"{be} {item} {verb}?", f"{be} {item} {verb} or not?"]
        if verb == "paid for":
            ways += [f"Does the company pay for {item}?", f"Who pays for {item}?", f"{be} {item} paid?"]
        elif verb == "allowed":
            ways += [f"Can I bring {item}?", f"May I bring {item}?"]
        elif verb == "required":
            ways += [f"Do I need {item}?", f"{be} {item} mandatory?"]
        elif verb == "included":
            ways += [f"Does the contract cover {item}?", f"{be} {item} part of the service?"]
        else:
            ways += [f"Do you keep {item}?", f"{be} {item} stored?"]
        span = None
        if known and (at := passage.lower().find(item.lower(), len(line))) >= 0:
            span = (at, at + len(item))
        made.append(Asked(passage, dice.choice(ways), known, span, "heading: " + ("yes or no" if known else "another item")))
    if passage.endswith(extra):
        what, rest = next((w, (d, u)) for w, d, u in LIMITS if f" {w} {d}" in extra)
        others = [(w, d, u) for w, d, u in LIMITS if w != what]
        for (w, d, u), known in (((what, *rest), True), (dice.choice(others), False)):
            question = dice.choice([f"How many {u}: {w.lower()} {d}?", f"What is the limit in {u} for {w.lower()}?", f"{w} {d} how many {u}?"])
            span = None
            if known:
                at = passage.index(f"{w} {d} ") + len(f"{w} {d} ")
                span = (at, len(passage) - 1)
            made.append(Asked(passage, question, known, span, "limit" if known else "another limit"))
    return made
