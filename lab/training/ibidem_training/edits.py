"""Changes to a sentence: those that make it false, knowing which words, and those that leave it true.

An edit takes a sentence and gives the new one with the stretches (begin, end) of characters that are no longer borne
out, or None where it does not apply. Faithful edits give no stretches. The two kinds touch text in the same ways, so
that a model cannot learn that what was edited is a lie.
"""

import random
import re

Edited = tuple[str, list[tuple[int, int]]]

NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety".split()
)
VALUES = {word: at + 2 if at < 19 else (at - 18) * 10 + 20 for at, word in enumerate(NUMBER_WORDS)}
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b(?!,)")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|[.,]\d)")
NUMBER_WORD = re.compile(r"\b(" + "|".join(NUMBER_WORDS) + r")\b", re.IGNORECASE)
DATE_WORD = re.compile(r"\b(" + "|".join(MONTHS + DAYS) + r")\b")
NAME = re.compile(r"\b(?:[A-Z][\w’'.-]*[a-z][\w’'-]*|[A-Z]{2,})(?: (?:of |the |de |van |von |al-)?[A-Z][\w’'-]*)*")
NOT_NAMES = set(
    "The A An In On At By For From With After Before During Since While When Where If It Its He She They His Her Their "
    "This That These Those There Here However Although Though Because As But And Or So Yet Also Both Each Some Many "
    "Most All Any No Not Another Other Such Several One Two Three First Second To Of Under Over Between Among Through "
    "Despite Unlike Like Yes We You I Our Your My What Who Which How Why Is Are Was Were Do Does Did Can Could Would "
    "Should May Might Must Will Have Has Had Once Until Upon Within Without According Then Thus Therefore Today Now".split()
)

UNITS = [
    ["seconds", "minutes", "hours", "days", "weeks", "months", "years", "decades"],
    ["second", "minute", "hour", "day", "week", "month", "year", "decade"],
    ["metres", "kilometres", "miles", "feet", "yards", "centimetres"],
    ["meters", "kilometers", "miles", "feet", "inches", "centimeters"],
    ["km", "m", "cm", "mm", "mi", "ft"],
    ["kg", "g", "mg", "tonnes", "lb"],
    ["kilograms", "grams", "tons", "pounds", "ounces"],
    ["litres", "millilitres", "gallons", "pints"],
    ["KB", "MB", "GB", "TB"],
    ["W", "kW", "MW", "GW"],
    ["Hz", "kHz", "MHz", "GHz"],
    ["V", "kV", "mV"],
    ["thousand", "million", "billion", "trillion"],
    ["hundreds", "thousands", "millions", "billions"],
    ["dollars", "euros", "pounds", "francs", "yen"],
    ["percent", "percentage points", "per thousand"],
    ["daily", "weekly", "monthly", "annually"],
    ["per day", "per week", "per month", "per year"],
    ["centuries", "decades", "years"],
    ["Celsius", "Fahrenheit"],
    ["square miles", "square kilometres", "acres", "hectares"],
]

OPPOSITES = """more/less more/fewer most/least higher/lower highest/lowest larger/smaller largest/smallest greater/lesser
bigger/smaller longer/shorter longest/shortest older/younger oldest/youngest earlier/later early/late before/after
first/last increase/decrease increased/decreased increases/decreases increasing/decreasing rise/fall rose/fell rising/falling
above/below over/under inside/outside north/south northern/southern east/west eastern/western left/right upper/lower
always/never often/rarely usually/seldom frequently/rarely maximum/minimum at_least/at_most more_than/less_than
not_more_than/more_than up_to/more_than with/without allowed/forbidden permitted/prohibited required/optional
mandatory/voluntary must/need_not may/must_not can/cannot should/should_not accept/reject accepted/rejected
approve/reject approved/rejected support/oppose supported/opposed include/exclude includes/excludes including/excluding
included/excluded internal/external public/private open/closed opened/closed begin/end began/ended beginning/end
start/stop started/stopped win/lose won/lost victory/defeat success/failure successful/unsuccessful succeeded/failed
positive/negative good/bad better/worse best/worst strong/weak stronger/weaker high/low fast/slow faster/slower
hot/cold warm/cold wet/dry rich/poor male/female men/women man/woman boys/girls father/mother brother/sister
husband/wife son/daughter king/queen buy/sell bought/sold import/export imports/exports enabled/disabled enable/disable
active/inactive visible/hidden permanent/temporary major/minor majority/minority common/rare easy/difficult
simple/complex possible/impossible legal/illegal formal/informal domestic/foreign local/national urban/rural
ancient/modern new/old young/old full/empty wide/narrow heavy/light deep/shallow near/far rapid/slow
directly/indirectly similar/different same/different equal/unequal many/few all/none_of everyone/nobody
everything/nothing both/neither only/not_only gained/lost gain/lose joined/left arrived/departed entered/left
added/removed add/remove agree/disagree agreed/disagreed attack/defend attacked/defended attracted/repelled
expanded/contracted improve/worsen improved/worsened reduced/increased reduce/increase reduces/increases
raised/lowered strengthened/weakened encouraged/discouraged prevent/cause prevents/causes prevented/caused
failed_to/managed_to born/died life/death war/peace friend/enemy employer/employee teacher/student senior/junior
primary/secondary northwards/southwards upstream/downstream supply/demand profit/loss income/expense paid/unpaid
free/paid sender/receiver client/server input/output read/write upload/download""".split()
ANTONYMS: dict[str, list[str]] = {}
for pair in OPPOSITES:
    left, right = (word.replace("_", " ") for word in pair.split("/"))
    ANTONYMS.setdefault(left, []).append(right)
    ANTONYMS.setdefault(right, []).append(left)
ANTONYM = re.compile(r"\b(" + "|".join(sorted(map(re.escape, ANTONYMS), key=len, reverse=True)) + r")\b", re.IGNORECASE)

# Means the same in nearly every sentence: in both directions (a/b), or in one alone (a>b).
SAME = """around>about nearly/almost many/numerous many/a_lot_of
because>since because>as although/even_though however>but therefore>so begin/start began/started begins/starts
end>finish ended/finished buy/purchase bought/purchased help/assist helped/assisted show/demonstrate showed/demonstrated
shows/demonstrates use>employ used>employed uses>employs big/large small/little made/produced make/produce
become>turn_into became>turned_into get>receive got/received give/provide gave/provided gives/provides need/require
needs/requires needed/required must>has_to must>is_required_to cannot>is_not_able_to can>is_able_to
called/named known_as>called located_in/situated_in in_order_to>to prior_to/before following>after during>in_the_course_of
more_than/in_excess_of at_least/no_fewer_than at_most/no_more_than up_to>at_most 
whole/entire often/frequently usually/normally mainly/primarily mostly/mainly especially/particularly quickly/rapidly
important/significant famous/well-known finally/in_the_end people/persons children/kids
employees/staff_members company/firm companies/firms country/nation countries/nations city/town house>home
film/movie films/movies car/automobile cars/automobiles doctor/physician doctors/physicians illness/disease
area/region areas/regions parts/portions kind/type kinds/types way>manner idea/concept
problem/issue problems/issues result/outcome results/outcomes change/alter changed/altered
changes/alterations increase/rise increased/rose decrease/decline decreased/declined grow/expand grew/expanded
build/construct built/constructed builds/constructs create/produce created/produced said/stated think/believe thought/believed said_that/stated_that not_allowed/forbidden
not_permitted/prohibited not_required/optional not_possible/impossible not_legal/illegal did_not/didn't does_not/doesn't
is_not/isn't was_not/wasn't were_not/weren't cannot/can't do_not/don't has_not/hasn't had_not/hadn't will_not/won't
only>just each/every per_year/annually every_year/annually every_day/daily every_week/weekly every_month/monthly
died/passed_away won/was_the_winner_of include/comprise includes/comprises such_as>like for_example/for_instance
in_addition/additionally as_a_result/consequently due_to/because_of because_of/owing_to despite/in_spite_of
percent/per_cent 60_minutes/one_hour 24_hours/one_day seven_days/one_week
14_days/two_weeks two_weeks/14_days 12_months/one_year twice/two_times half>50_percent
a_quarter/25_percent dozen>twelve decade/ten_years century/hundred_years""".split()
SYNONYMS: dict[str, list[str]] = {}
for pair in SAME:
    left, right = (word.replace("_", " ") for word in pair.replace(">", "/").split("/"))
    SYNONYMS.setdefault(left, []).append(right)
    if "/" in pair:
        SYNONYMS.setdefault(right, []).append(left)
SYNONYM = re.compile(r"\b(" + "|".join(sorted(map(re.escape, SYNONYMS), key=len, reverse=True)) + r")\b", re.IGNORECASE)

AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|may|might|has been|have been|had been|has|have|had)\b(?! not)"
)
NEGATED = re.compile(r"\b(is|are|was|were|can|could|will|would|should|must|may|might|has|have|had|did|does|do)(n't| not)\b")
PREDICATE = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|should|must|may|might|has|have|had|became|becomes|did|does|made|won|"
    r"wrote|led|began|includes|included|contains|uses|used|gave|took|held|moved|built|created|received|remains|"
    r"[a-z]{3,}ed)\b"
)
LEADING = re.compile(r"^((?:In|On|By|During|After|Before|Since|At|For|With|Although|While|As|When|Because|Under)\b[^,]{3,70}), (?=\w)")
PARENTHESIS = re.compile(r" ?\([^()]{2,80}\)| ?\[[^\[\]]{1,40}\]")
RELATIVE = re.compile(r", (?:which|who|where|whose)\b[^,.;]{6,90}(?=,|\.$|$)(,?)")
LIST = re.compile(r"\b([\w’'-]+(?: [\w’'-]+)?), ([\w’'-]+(?: [\w’'-]+)?),? (and|or) ([\w’'-]+)(?=[.,;]| (?:in|on|at|to|for|of|by|from|with|are|were|is|was)\b)")
CLAUSE = re.compile(
    r"(?:, |\s)((?:which|who|where|including|such as|making|leading to|resulting in|allowing|because|due to|according to|"
    r"as part of|despite|although|while|so that|in order to|thanks to|mainly|especially|particularly|after|before|until|"
    r"during|within|throughout|along with|together with|as well as|instead of|rather than|except)\s[^,.;()]{12,110})(?=[,.;]|$)"
)
ADDITIONS = re.compile(r"\b((?:in|on|at|by|for|from|with|near|under|through) (?:the |a |an )?[A-Za-z0-9][^,.;()]{5,60})(?=[,.;])")


def cased(like: str, word: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def replaced(text: str, begin: int, end: int, new: str) -> Edited:
    return text[:begin] + new + text[end:], [(begin, begin + len(new))]


def names(text: str) -> list[tuple[int, int, str]]:
    """Stretches that look like names. A word that opens a sentence counts where it is no ordinary opener."""
    found = []
    for match in NAME.finditer(text):
        begin, end, name = match.start(), match.end(), match.group().rstrip(".'’-")
        while (head := name.split(" ")[0]) in NOT_NAMES and " " in name:
            name = name[len(head) + 1 :]
            begin += len(head) + 1
        opens = begin == 0 or text[:begin].rstrip()[-1:] in ".!?:"
        single = " " not in name
        if name in NOT_NAMES or name in MONTHS or name in DAYS or len(name) < 3 or (opens and single):
            continue
        found.append((begin, begin + len(name), name))
    return found


class Pool:
    """Names, additions and clauses gathered from many passages, to borrow from."""

    def __init__(self, passages, random_: random.Random):
        self.names, self.clauses, self.additions = [], [], []
        for passage in passages:
            self.names += [name for _, _, name in names(passage)][:6]
            self.clauses += [match.group(1) for match in CLAUSE.finditer(passage)][:4]
            self.additions += [match.group(1) for match in ADDITIONS.finditer(passage)][:4]
        for borrowed in (self.names, self.clauses, self.additions):
            random_.shuffle(borrowed)


def number(text: str, dice: random.Random, passage: str) -> Edited | None:
    found = [match for match in NUMBER.finditer(text) if not YEAR.fullmatch(match.group())]
    spelled = list(NUMBER_WORD.finditer(text))
    if not found and not spelled:
        return None
    match = dice.choice(found + spelled)
    written = match.group()
    if written.lower() in VALUES:
        near = [word for word in NUMBER_WORDS if word != written.lower() and abs(VALUES[word] - VALUES[written.lower()]) <= 20]
        return replaced(text, match.start(), match.end(), cased(written, dice.choice(near)))
    value = float(written.replace(",", ""))
    others = [m.group() for m in NUMBER.finditer(passage) if m.group() != written and not YEAR.fullmatch(m.group())]
    if others and dice.random() < 0.35:
        return replaced(text, match.start(), match.end(), dice.choice(others))
    kind = dice.random()
    if kind < 0.3:
        new = value * dice.choice([2, 3, 10, 0.5, 0.1])
    elif kind < 0.7:
        new = value + dice.choice([-1, 1]) * max(1, round(value * dice.uniform(0.05, 0.5)))
    else:
        new = value + dice.choice([1, 2, 3, 5, 10, -1, -2])
    new = abs(new)
    decimals = len(written.split(".")[1]) if "." in written else 0
    shown = f"{new:,.{decimals}f}" if "," in written else f"{new:.{decimals}f}"
    return None if shown == written else replaced(text, match.start(), match.end(), shown)


def date(text: str, dice: random.Random, passage: str) -> Edited | None:
    found = list(YEAR.finditer(text)) + [m for m in DATE_WORD.finditer(text) if m.group() not in ("May", "March")]
    if not found:
        return None
    match = dice.choice(found)
    written = match.group()
    if written in MONTHS or written in DAYS:
        among = MONTHS if written in MONTHS else DAYS
        return replaced(text, match.start(), match.end(), dice.choice([other for other in among if other != written]))
    others = [m.group() for m in YEAR.finditer(passage) if m.group() != written]
    if others and dice.random() < 0.5:
        return replaced(text, match.start(), match.end(), dice.choice(others))
    return replaced(text, match.start(), match.end(), str(int(written) + dice.choice([-20, -10, -7, -3, -2, -1, 1, 2, 3, 5, 10, 30])))


def unit(text: str, dice: random.Random, passage: str) -> Edited | None:
    found = []
    for family in UNITS:
        for name in family:
            # Before a short unit there must be a figure: "m" and "V" are also other things.
            before = r"(?<=\d )|(?<=\d)" if len(name) <= 2 else r"(?<=\b)"
            found += [(m.start(), m.end(), name, family) for m in re.finditer(rf"(?:{before}){re.escape(name)}\b", text)]
    if not found:
        return None
    begin, end, name, family = dice.choice(found)
    return replaced(text, begin, end, dice.choice([other for other in family if other != name]))


def entity(text: str, dice: random.Random, passage: str, pool: Pool) -> Edited | None:
    found = names(text)
    if not found:
        return None
    begin, end, name = dice.choice(found)
    mine = set(name.lower().split())
    here = [other for _, _, other in names(passage) if not mine & set(other.lower().split())]
    borrowed = [other for other in dice.sample(pool.names, min(6, len(pool.names))) if not mine & set(other.lower().split())]
    among = here if here and dice.random() < 0.55 else borrowed
    alike = [other for other in among if len(other.split()) == len(name.split())] or among
    return replaced(text, begin, end, dice.choice(alike)) if alike else None


def negation(text: str, dice: random.Random, passage: str) -> Edited | None:
    if match := NEGATED.search(text):
        kept = match.group(1)
        return replaced(text, match.start(), match.end(), kept)
    found = list(AUXILIARY.finditer(text))
    if not found:
        if match := re.search(r"\b([A-Za-z]+[a-z]) ([a-z]{3,}ed)\b (?=the|a|an|to|in|by|its|their|his|her)", text):
            if match.group(1) in ("be", "been", "being", "to", "and", "that", "which", "of", "the", "a"):
                return None
            new, spans = replaced(text, match.start(2), match.start(2), "never ")
            return new, [(spans[0][0], spans[0][1] - 1)]
        return None
    match = found[0]
    words_ = match.group(1).split()
    new = words_[0] + " " + dice.choice(["not", "not", "not", "never", "no longer"]) + (" " + words_[1] if len(words_) > 1 else "")
    return replaced(text, match.start(), match.end(), new)


def opposite(text: str, dice: random.Random, passage: str) -> Edited | None:
    found = list(ANTONYM.finditer(text))
    if not found:
        return None
    match = dice.choice(found)
    return replaced(text, match.start(), match.end(), cased(match.group(), dice.choice(ANTONYMS[match.group().lower()])))


def invented(text: str, dice: random.Random, passage: str, pool: Pool) -> Edited | None:
    """A detail that the passage does not have, borrowed from somewhere else."""
    stop = text[-1] if text[-1:] in ".!?" else ""
    body = text.removesuffix(stop) if stop else text
    kind = dice.random()
    known = set(passage.lower().split())
    # Stock endings are soon known by heart: hardly any of them.
    for _ in range(6):
        if kind < 0.5 and pool.clauses:
            added = dice.choice(pool.clauses)
            mark = ", " if added.split()[0] in ("which", "who", "where", "making", "although", "while", "despite") else " "
            addition = mark + added
        elif kind < 0.93 and pool.additions:
            addition = " " + dice.choice(pool.additions)
        else:
            addition = dice.choice([", and ", " and ", ", and it ", ", which "]) + dice.choice(TAILS)
        new = [word for word in addition.lower().split() if word not in known and len(word) > 3]
        if len(new) >= 2:
            break
    else:
        return None
    if dice.random() < 0.2 and (match := PREDICATE.search(body, 8)) and addition.startswith(" "):
        at = match.end()
        later = dice.choice([" by a wide margin", " at the request of its members", " after long debate", " for the first time",
                             " almost entirely", " without any delay", " at no extra cost", " twice a year", " in most cases",
                             " on the advice of experts", " with great success", " in only a few days", " under strict rules"])
        return body[:at] + later + body[at:] + stop, [(at + 1, at + len(later))]
    return body + addition + stop, [(len(body) + 1, len(body) + len(addition))]


PRONOUNS = set("it he she they this these that those its his her their there".split())

TAILS = [
    "was widely welcomed at the time", "has been copied many times since", "can be renewed once", "is free of charge",
    "costs extra", "requires a written request", "must be confirmed by a manager", "was paid for by the state",
    "took several years to complete", "made it popular with visitors", "is reviewed every two years",
    "was the first of its kind", "is known for its high quality", "won several awards", "is still in use today",
    "led to a sharp rise in costs", "improves performance", "reduces the risk of failure", "was opposed by many",
    "helps to prevent errors", "is recommended by experts", "should be done before the end of the month",
    "is available in most regions", "has been proven safe", "can cause serious problems", "was later repealed",
    "is considered the best choice", "applies to everyone without exception", "was funded by a private donor",
    "employs several hundred people", "is twice as fast as before", "takes about ten minutes",
    "is stored for five years", "can be done online", "is mainly used at night", "was designed by the same team",
    "remains controversial", "has no side effects", "is sold worldwide", "was completed ahead of schedule",
]


def merged(text: str, other: str, dice: random.Random) -> Edited | None:
    """The subject of one sentence with what is said of the subject of another."""
    mine, theirs = PREDICATE.search(text, 3), PREDICATE.search(other, 3)
    if not mine or not theirs or mine.start() > 90 or theirs.start() > 90 or len(other) - theirs.start() < 15:
        return None
    subject, said = text[: mine.start()].strip(), other[theirs.start() :].strip().rstrip(".")
    whose = other[: theirs.start()].strip()
    # What "they" stands for may be this very subject: then nothing is false.
    if subject.lower() == whose.lower() or "," in subject or len(subject) < 3 or whose.split(" ")[0].lower() in PRONOUNS:
        return None
    kind = dice.random()
    if kind < 0.45:
        new = f"{subject} {said}."
        return new, [(len(subject) + 1, len(new) - 1)]
    body = text.rstrip(".!? ")
    if len(body) + len(said) > 260:
        return None
    joint = dice.choice([", which ", " and ", ", and also "]) if kind < 0.8 else dice.choice([", so it ", " because it ", " after it "])
    new = f"{body}{joint}{said}."
    return new, [(len(body) + len(joint), len(new) - 1)]


def joined(text: str, other: str, dice: random.Random) -> Edited | None:
    """Two true sentences as one true sentence."""
    body, tail = text.rstrip(".!? "), other.rstrip(".!? ")
    if len(body) + len(tail) > 280 or not tail:
        return None
    head = tail.split(" ")[0]
    joint = dice.choice([", and ", "; ", ", while ", ". "])
    tail = tail[:1].lower() + tail[1:] if head in NOT_NAMES and head != "I" and joint != ". " else tail
    return body + joint + tail + ".", []


def relation(text: str, other: str, dice: random.Random) -> Edited | None:
    """Two true sentences with a false bond between them."""
    body, tail = text.rstrip(".!? "), other.rstrip(".!? ")
    if len(body) + len(tail) > 260 or not tail or body[:1].islower():
        return None
    head = tail.split(" ")[0]
    tail = tail[:1].lower() + tail[1:] if head in NOT_NAMES and head != "I" else tail
    bond = dice.choice([" because ", " as a result of which ", ", which is why ", " even though ", " only if ", " unless "])
    return f"{body}{bond}{tail}.", [(len(body) + 1, len(body) + len(bond) - 1)]


def swapped(text: str, dice: random.Random, passage: str) -> Edited | None:
    """Two names, or two figures, change places: every word stands in the passage, and the sentence is false."""
    found = names(text)
    pairs = [(a, b) for at, a in enumerate(found) for b in found[at + 1 :] if not set(a[2].lower().split()) & set(b[2].lower().split())]
    figures = [(m.start(), m.end(), m.group()) for m in NUMBER.finditer(text)]
    pairs += [(a, b) for at, a in enumerate(figures) for b in figures[at + 1 :] if a[2] != b[2] and bool(YEAR.fullmatch(a[2])) == bool(YEAR.fullmatch(b[2]))]
    # "A and B", "between A and B", "A, B": the order says nothing there.
    pairs = [(a, b) for a, b in pairs if len(text[a[1] : b[0]].split()) >= 2 and text[a[1] : b[0]].count(",") <= 1 and not re.search(r"\b(?:and|or|between|both)\b|^,", text[max(0, a[0] - 9) : b[0]])]
    if not pairs:
        return None
    a, b = dice.choice(pairs)
    new = text[: a[0]] + b[2] + text[a[1] : b[0]] + a[2] + text[b[1] :]
    later = b[0] + len(b[2]) - len(a[2])
    return new, [(a[0], a[0] + len(b[2])), (later, later + len(a[2]))]


STRONGER = """some>all many>all most>all several>all often>always usually>always sometimes>always generally>always typically>always
may>will might>will could>will about>exactly around>exactly approximately>exactly nearly>more_than almost>more_than
at_least>exactly up_to>more_than mainly>exclusively mostly>entirely primarily>exclusively partly>entirely partially>completely
likely>certainly probably>certainly suggests>proves suggest>prove suggested>proved associated_with>caused_by
thought_to_be>proven_to_be believed_to_be>proven_to_be considered>proven_to_be few>no rarely>never seldom>never
can_help>will_always helps_to>always_manages_to tends_to>always_does tend_to>always including>consisting_only_of
one_of_the>by_far_the recommended>required should>must allowed_to>required_to can_be>is_always in_some_cases>in_every_case""".split()
STRONG = {left.replace("_", " "): right.replace("_", " ") for left, right in (pair.split(">") for pair in STRONGER)}
WEAK = re.compile(r"\b(" + "|".join(sorted(map(re.escape, STRONG), key=len, reverse=True)) + r")\b", re.IGNORECASE)


def overstated(text: str, dice: random.Random, passage: str) -> Edited | None:
    """More than the passage says: "may" becomes "will", "some" becomes "all"."""
    found = list(WEAK.finditer(text))
    if not found:
        return None
    match = dice.choice(found)
    return replaced(text, match.start(), match.end(), cased(match.group(), STRONG[match.group().lower()]))


def spliced(text: str, dice: random.Random, near: list[str], passage: str) -> Edited | None:
    """A sentence of another passage on the same matter, or what it says, hung on a true one."""
    told = [part for part in near if 5 <= len(part.split()) <= 24 and part.split(" ")[0].lower() not in PRONOUNS]
    if not told:
        return None
    other = dice.choice(told).rstrip(".!? ")
    body = text.rstrip(".!? ")
    known = set(words_of(passage))
    predicate = PREDICATE.search(other, 3)
    if dice.random() < 0.5 and predicate and predicate.start() < 80:
        other, joint = other[predicate.start() :], dice.choice([" and ", ", and ", ", which ", ", and also "])
    else:
        head = other.split(" ")[0]
        other = other[:1].lower() + other[1:] if head in NOT_NAMES and head != "I" else other
        joint = dice.choice([", and ", "; ", ", while ", ", and ", ". "])
        other = other[:1].upper() + other[1:] if joint == ". " else other
    if len(body) + len(other) > 300 or sum(word not in known and len(word) > 3 for word in words_of(other)) < 2:
        return None
    new = f"{body}{joint}{other}."
    return new, [(len(body) + len(joint), len(new) - 1)]


def told_otherwise(text: str, other: str, dice: random.Random, passage: str) -> Edited | None:
    """The subject of this sentence with what another passage says of something else."""
    mine, theirs = PREDICATE.search(text, 3), PREDICATE.search(other, 3)
    if not mine or not theirs or mine.start() > 90 or theirs.start() > 90 or len(other) - theirs.start() < 15:
        return None
    subject, said = text[: mine.start()].strip(), other[theirs.start() :].strip().rstrip(".")
    known = set(words_of(passage))
    if "," in subject or len(subject) < 3 or sum(word not in known and len(word) > 3 for word in words_of(said)) < 2:
        return None
    new = f"{subject} {said}."
    return new, [(len(subject) + 1, len(new) - 1)]


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


# Edits that leave a sentence true.


def synonym(text: str, dice: random.Random, passage: str) -> Edited | None:
    # A capital inside a sentence is a name: "United States" states nothing.
    found = [match for match in SYNONYM.finditer(text) if match.start() == 0 or match.group()[0].islower()]
    if not found:
        return None
    for match in sorted(dice.sample(found, min(len(found), dice.choice([1, 1, 2, 3]))), key=lambda m: -m.start()):
        new = cased(match.group(), dice.choice(SYNONYMS[match.group().lower()]))
        text = text[: match.start()] + new + text[match.end() :]
    return text, []


def clause_moved(text: str, dice: random.Random, passage: str) -> Edited | None:
    match = LEADING.match(text)
    if not match:
        return None
    lead, rest = match.group(1), text[match.end() :]
    stop = rest[-1] if rest[-1:] in ".!?" else ""
    rest = rest.removesuffix(stop) if stop else rest
    return f"{rest[:1].upper()}{rest[1:]} {lead[:1].lower()}{lead[1:]}{stop}", []


def dropped(text: str, dice: random.Random, passage: str) -> Edited | None:
    """Less said is still true: a parenthesis, a relative clause or an opening clause goes."""
    for pattern, by in dice.sample([(PARENTHESIS, ""), (RELATIVE, ""), (LEADING, "")], 3):
        match = pattern.search(text)
        if match and len(text) - len(match.group()) > 25:
            new = (text[: match.start()] + by + text[match.end() :]).strip()
            return new[:1].upper() + new[1:], []
    return None


def list_turned(text: str, dice: random.Random, passage: str) -> Edited | None:
    match = LIST.search(text)
    if not match:
        return None
    items = [match.group(1), match.group(2), match.group(4)]
    dice.shuffle(items)
    return text[: match.start()] + f"{items[0]}, {items[1]} {match.group(3)} {items[2]}" + text[match.end() :], []


def figure_respelled(text: str, dice: random.Random, passage: str) -> Edited | None:
    spelled = list(NUMBER_WORD.finditer(text))
    figures = [m for m in NUMBER.finditer(text) if m.group() in {str(value) for value in VALUES.values()}]
    signs = list(re.finditer(r"(?<=\d)(?:%| percent\b)", text))
    days = list(re.finditer(r"\b(\d{1,2}) (" + "|".join(MONTHS) + r")\b", text))
    found = spelled + figures + signs + days
    if not found:
        return None
    match = dice.choice(found)
    written = match.group()
    if match in days:
        new = f"{match.group(2)} {match.group(1)}"
    elif written.lower() in VALUES:
        new = str(VALUES[written.lower()])
    elif written in ("%", " percent"):
        new = " percent" if written == "%" else "%"
    else:
        new = next(word for word, value in VALUES.items() if str(value) == written)
    return text[: match.start()] + new + text[match.end() :], []


APPOSITION = re.compile(r"^(?P<who>[A-Z][^,;()]{2,50}), (?P<what>(?:an?|the) [^,;()]{5,80}), ")
EXTRA = re.compile(r"^(?P<who>[^,;()]{3,60}), (?:which|who) (?P<what>(?:is|was|are|were|has|had|can|could|will|[a-z]{3,}ed|[a-z]{3,}s)\b[^,.;()]{6,110})[,.]")
ADJUNCT = re.compile(r",? (?:in|on|at|by|during|after|since|near|with|through|throughout|around|within) [^,.;]{4,45}(?=\.$)")
NO_LESS = re.compile(r"\b(?:no|not|never|only|if|unless|than|most|first|least|none|without|except|until|all|every|any)\b|n't\b", re.IGNORECASE)


def drawn_out(text: str, dice: random.Random, passage: str) -> Edited | None:
    """What a sentence says by the way, as a sentence of its own."""
    if (match := EXTRA.match(text)) and not PREDICATE.search(match["who"]):
        return f"{match['who']} {match['what'].strip()}.", []
    match = APPOSITION.match(text)
    if match and match["who"].split()[0] not in NOT_NAMES - {"The"} and not PREDICATE.search(match["what"]):
        past = re.search(r"\b(?:was|were|had|[a-z]{3,}ed)\b", text[match.end() :])
        return f"{match['who']} {'was' if past else 'is'} {match['what'].strip()}.", []
    return None


def shortened(text: str, dice: random.Random, passage: str) -> Edited | None:
    """A last "in the spring of that year" goes; where something is denied or limited, that would change the sense."""
    if NO_LESS.search(text):
        return None
    found = [m for at in range(len(text)) if text[at] in " ," and (m := ADJUNCT.match(text, at))]
    found = [m for m in found if m.start() > 30]
    return (text[: found[-1].start()] + ".", []) if found else None


def rounded(text: str, dice: random.Random, passage: str) -> Edited | None:
    """53,241 as "about 53,000", "more than 53,000"."""
    found = [m for m in NUMBER.finditer(text) if not YEAR.fullmatch(m.group()) and float(m.group().replace(",", "")) >= 100]
    # Only what counts something: "53,241 people", not "Highway 2342" or "$1,250".
    found = [m for m in found if re.match(r" [a-z]{3,}", text[m.end() :]) and re.search(r"(?:^|\b(?!about|than|around|nearly|almost|least|to|over|approximately|some|and|of|positions?)[a-z]+ )$", text[: m.start()])]
    if not found:
        return None
    match = dice.choice(found)
    value = float(match.group().replace(",", ""))
    step = 10 ** (len(str(int(value))) - 2)
    low, near = int(value // step * step), int(round(value / step) * step)
    if value == low:
        return None
    new = dice.choice([f"about {near:,}", f"around {near:,}", f"more than {low:,}", f"over {low:,}", f"approximately {near:,}", f"almost {low + int(step):,}"])
    return text[: match.start()] + new + text[match.end() :], []


def resolved(text: str, before: str, passage: str) -> Edited | None:
    """A sentence that opens with "He" or "It", with the name that opens the sentence before."""
    head = re.match(r"(He|She|It|They|His|Her|Its|Their) (?!(?:is|was) (?:\w+ )?(?:that|to)\b)", text)
    name = NAME.match(before)
    if not head or not name or name.group().split(" ")[0] in NOT_NAMES | {"In"} or len(name.group()) < 4:
        return None
    who = re.sub(r"['’]s?$", "", name.group().rstrip(".'’-"))
    if " " not in who and len(re.findall(rf"\b{re.escape(who)}\b", passage)) < 2:
        return None  # any word can open a sentence; a name comes back
    whose = head.group(1) in ("His", "Her", "Its", "Their")
    return f"{who}{chr(39) + 's' if whose else ''} {text[head.end() :]}", []


OPENERS = [
    "According to the passage, ", "According to the document, ", "Based on the passages, ", "The text says that ",
    "The document states that ", "As the passage explains, ", "In short, ", "In other words, ", "Yes, ", "Specifically, ",
    "Based on the given information, ", "To answer the question: ", "The passage mentions that ", "Note that ", "Overall, ",
    "According to passage 1, ", "Passage 2 says that ", "Additionally, ", "However, ", "- ", "1. ",
]


def opened(text: str, dice: random.Random, passage: str) -> Edited | None:
    opener = dice.choice(OPENERS)
    head = text.split(" ")[0]
    body = text[:1].lower() + text[1:] if head in NOT_NAMES and head != "I" and opener.strip()[-1:] not in ".-" else text
    return opener + body, []


def shifted(edited: Edited, by: int) -> Edited:
    return edited[0], [(begin + by, end + by) for begin, end in edited[1]]


FAITHFUL = {
    "synonym": synonym,
    "clause moved": clause_moved,
    "less said": dropped,
    "list turned": list_turned,
    "figure respelled": figure_respelled,
    "rounded": rounded,
    "shortened": shortened,
    "drawn out": drawn_out,
}
FALSE = {"number": number, "date": date, "unit": unit, "negation": negation, "opposite": opposite, "swapped": swapped, "overstated": overstated}


def paraphrased(text: str, dice: random.Random, passage: str, most: int = 3) -> tuple[str, list[str]]:
    """Up to `most` faithful edits, one after another, and which."""
    done = []
    for name in dice.sample(list(FAITHFUL), dice.randint(0, most)):
        edited = FAITHFUL[name](text, dice, passage)
        if edited and edited[0] != text and len(edited[0]) > 15:
            text, done = edited[0], done + [name]
    return text, done
