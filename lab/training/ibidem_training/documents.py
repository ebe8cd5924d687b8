"""Questions on tables, limits, decisions and lists of documents that are composed here: what handbooks and records of
decisions are made of, and no public set of questions has.

A case lies in one row or one clause ("an order of 7,400 euros"), so that no figure of the question stands in the passage.
What is not answered has the frame of what is: the same column for a thing that is not listed, another column of a thing
that is, another choice than the one that was made.
"""

import random
from collections.abc import Iterator

from .rules import GROUPS, TITLES, Asked, plural

# title, section, what a row is about, the rows, and the columns: name, values, questions.
TABLES = [
    ("Car hire", "Classes", "Class", ["economy", "estate", "van", "convertible", "truck", "camper", "electric", "luxury"],
     [("Price a day", ["29 euros", "41 euros", "55 euros", "63 euros", "78 euros", "90 euros", "120 euros"], ["What does the {} class cost a day?", "How much is a {} per day?", "I want to rent a {} for one day. What do I pay?"]),
      ("Seats", ["2", "3", "4", "5", "7", "9"], ["How many people fit in a {}?", "How many seats does the {} class have?"]),
      ("Deposit", ["none", "200 euros", "350 euros", "500 euros", "800 euros"], ["How high is the deposit for a {}?", "What must I leave as a deposit for a {}?"]),
      ("Minimum age", ["18", "21", "23", "25"], ["How old must I be to drive a {}?", "From what age can a {} be rented?"])]),
    ("Server list", "Machines", "Host", ["heron", "plover", "curlew", "osprey", "dunlin", "godwit", "siskin", "wigeon"],
     [("Purpose", ["mail", "file storage", "payroll", "test runs", "web shop", "door control", "time recording"], ["What is {} used for?", "What runs on {}?", "What is the job of the host {}?"]),
      ("Owner", ["storage team", "web team", "personnel office", "facility office", "quality team", "finance office"], ["Who owns {}?", "Which team is responsible for {}?", "Whom do I ask about the machine {}?"]),
      ("Memory", ["8 GB", "16 GB", "32 GB", "64 GB", "128 GB"], ["How much memory does {} have?", "How many gigabytes of memory are in {}?"]),
      ("Restart window", ["Sunday night", "Tuesday at noon", "Friday evening", "any time", "first Saturday of the month"], ["When may {} be restarted?", "In which window is {} restarted?"])]),
    ("Retention plan", "Periods", "Record", ["visitor lists", "tax papers", "training records", "inspection sheets", "accident reports", "tender files", "shift plans", "complaint letters"],
     [("Kept for", ["4 weeks", "6 months", "1 year", "3 years", "5 years", "10 years", "30 years"], ["How long are {} kept?", "For how long do we have to store {}?", "When can {} be thrown away?"]),
      ("Place", ["cellar archive", "document system", "cabinet of the team", "safe", "outside store"], ["Where are {} stored?", "Where do I find {}?"]),
      ("Responsible", ["registry", "safety officer", "team lead", "legal office", "accounting"], ["Who is responsible for {}?", "Who looks after {}?"])]),
    ("Courses", "Programme", "Course", ["first aid", "welding", "project planning", "public speaking", "spreadsheets", "fire safety", "negotiation", "photography"],
     [("Length", ["half a day", "1 day", "2 days", "3 days", "a week"], ["How long is the course on {}?", "How many days does {} take?"]),
      ("Teacher", ["outside firm", "fire brigade", "training centre", "colleague", "college"], ["Who teaches {}?", "Who gives the course on {}?"]),
      ("Next date", ["3 March", "17 April", "9 May", "22 June", "14 September", "5 November"], ["When is the next course on {}?", "I would like to learn {}. When is the next date?"]),
      ("Places", ["6", "8", "10", "12", "15", "20"], ["How many people can take part in {}?", "How many places are there for {}?"])]),
    ("Price list", "Services of the workshop", "Service", ["tyre change", "oil change", "brake check", "bodywork", "battery test", "windscreen repair", "cleaning", "storage of tyres"],
     [("Price", ["15 euros", "25 euros", "38 euros", "49 euros", "70 euros", "95 euros", "by effort"], ["What does {} cost?", "How much do I pay for {}?", "What is the price of {}?"]),
      ("Time needed", ["10 minutes", "30 minutes", "1 hour", "2 hours", "a day"], ["How long does {} take?", "How much time is needed for {}?"]),
      ("Appointment", ["needed", "not needed", "by telephone"], ["Do I need an appointment for {}?", "Is an appointment necessary for {}?"])]),
    ("Roles and rights", "Who may do what", "Role", ["reader", "editor", "auditor", "trainee", "administrator", "guest", "publisher", "approver"],
     [("Delete pages", ["yes", "no", "own pages"], ["May a {} delete pages?", "Can somebody with the role {} remove pages?"]),
      ("Invite people", ["yes", "no", "with approval"], ["Can a {} invite other people?", "Is a {} allowed to invite somebody?"]),
      ("Sees drafts", ["all", "none", "own", "of the team"], ["Which drafts does a {} see?", "Can a {} see drafts?"]),
      ("Sign-in", ["password", "token", "password and token", "badge"], ["How does a {} sign in?", "What does a {} need to sign in?"])]),
    ("Error codes", "Machine display", "Code", ["E11", "E14", "E20", "E27", "E33", "E41", "F2", "F7"],
     [("Meaning", ["door open", "water filter full", "motor too hot", "no connection", "sensor dirty", "paper missing", "low pressure"], ["What does {} mean?", "The display shows {}. What is wrong?", "What is the meaning of code {}?"]),
      ("What to do", ["close the door", "replace the filter", "wait twenty minutes", "restart the machine", "wipe the sensor", "refill the tray", "call the service"], ["What should I do when {} appears?", "How do I get rid of {}?", "My machine says {}. How can I fix it?"]),
      ("Goes on by itself", ["yes", "no", "after a restart"], ["Does {} go away by itself?", "Does the machine go on by itself after {}?"])]),
    ("Sites", "Addresses and hours", "Site", ["Norden", "Altmoor", "Seeburg", "Kirchfeld", "Lindau yard", "Westhafen", "Brook Lane", "Mill Street"],
     [("Open", ["6 to 14", "7 to 19", "8 to 16", "9 to 17", "round the clock"], ["When is {} open?", "What are the opening hours of {}?", "Until when can I go to {}?"]),
      ("Contact", ["extension 210", "extension 345", "extension 478", "extension 512", "extension 660"], ["How do I reach {} by telephone?", "What is the number of {}?"]),
      ("Parking", ["yes", "no", "for visitors only", "20 places"], ["Can I park at {}?", "Is there parking at {}?"]),
      ("Manager", ["head of logistics", "head of sales", "plant manager", "office manager"], ["Who manages {}?", "Who is in charge of {}?"])]),
    ("Interfaces", "Limits", "Interface", ["orders", "stock", "prices", "customers", "shipments", "invoices", "returns", "events"],
     [("Calls a minute", ["30", "60", "100", "120", "300", "600"], ["How many calls a minute does the interface for {} allow?", "What is the rate limit of {}?"]),
      ("Format", ["JSON", "XML", "CSV", "binary"], ["Which format does the {} interface use?", "In what format are {} delivered?"]),
      ("Version", ["1", "2", "3", "4"], ["Which version of the {} interface is current?", "What is the current version for {}?"]),
      ("Key needed", ["yes", "no", "for writing"], ["Do I need a key for {}?", "Is a key required to call {}?"])]),
    ("Waste guide", "What goes where", "Waste", ["light bulbs", "paint", "cardboard", "batteries", "glass", "plastic film", "old clothes", "cooking oil"],
     [("Container", ["grey bin", "blue bin", "green box", "collection point", "yellow sack", "cage in the yard"], ["Where do {} go?", "Where can I throw away {}?", "In which container do {} belong?"]),
      ("Collected", ["Mondays", "every two weeks", "monthly", "on request", "never: bring it yourself"], ["When are {} collected?", "How often are {} picked up?"])]),
    ("Substances", "Safety data", "Substance", ["acetone", "ammonia", "ethanol", "chlorine", "methanol", "sulphuric acid", "toluene", "hydrogen"],
     [("Gloves", ["nitrile", "butyl", "leather", "none"], ["Which gloves do I need for {}?", "What gloves are worn when handling {}?"]),
      ("Storage", ["fume cupboard", "cold room", "outside cage", "safety cabinet"], ["Where is {} stored?", "Where do I put {} after use?"]),
      ("In case of spills", ["ventilate", "absorb with sand", "leave the room", "rinse with water"], ["What do I do when {} is spilled?", "I spilled {}. What now?"])]),
    ("Holiday calendar", "Closing days", "Site", ["head office", "factory", "call centre", "laboratory", "shop", "warehouse"],
     [("Closed between the years", ["yes", "no", "half staffed"], ["Is the {} closed between the years?", "Does the {} work between Christmas and New Year?"]),
      ("Summer break", ["none", "1 to 14 August", "last two weeks of July", "first week of September"], ["When is the summer break of the {}?", "Does the {} have a summer break?"]),
      ("On public holidays", ["open", "closed", "open until noon"], ["Is the {} open on public holidays?", "What applies to the {} on a public holiday?"])]),
]  # fmt: skip

# What is measured, its unit before or behind, bounds, what a case may be, what is decided, questions, outcomes.
BANDS = [
    ("Purchasing", "Approval", "{} euros", (200, 60000), ["an order", "a purchase", "an investment", "a contract", "a delivery"],
     "Value", "Approved by", ["Who approves {} of {}?", "Who has to sign {} of {}?", "Whose approval do I need for {} of {}?", "I plan {} of {}. Who must agree?"],
     ["the team lead", "the buyer", "the head of the department", "the finance director", "the board", "the supervisory board"], "approved by {}"),
    ("Travel", "Choice of transport", "{} km", (100, 1500), ["a trip", "a journey", "a distance"],
     "Distance", "Means of transport", ["How do I travel for {} of {}?", "What means of transport is used for {} of {}?", "Which transport is paid for {} of {}?"],
     ["bus", "train, second class", "train, first class", "rental car", "plane", "sleeper train"], "made by {}"),
    ("Parcels", "Prices", "{} kg", (2, 60), ["a parcel", "a package", "a box"],
     "Weight", "Price", ["What does {} of {} cost?", "How much do I pay to send {} of {}?"],
     ["4 euros", "6.50 euros", "9 euros", "14 euros", "22 euros", "31 euros"], "sent for {}"),
    ("Incidents", "Reporting", "{} customers", (10, 9000), ["an outage", "a disturbance", "an incident"],
     "Customers affected", "Reported to", ["Who is told about {} with {}?", "To whom is {} with {} reported?"],
     ["the shift lead", "the duty manager", "the head of operations", "the press office", "the regulator"], "reported to {}"),
    ("Personnel", "Notice periods", "{} years", (1, 25), ["a service", "an employment", "a time in the company"],
     "Years of service", "Notice period", ["How long is the notice period after {} of {}?", "I have {} of {}. How much notice must I give?"],
     ["two weeks", "one month", "two months", "three months", "five months", "seven months"], "ended with a notice of {}"),
    ("Personnel", "Bonus", "{} years", (2, 40), ["a membership", "a service", "a career"],
     "Years", "Days off", ["How many extra days off are there after {} of {}?", "I have {} of {}. How many additional days do I get?"],
     ["no extra day", "one day", "two days", "three days", "five days"], "rewarded with {}"),
    ("Events", "Security", "{} guests", (30, 4000), ["an event", "a party", "a concert", "a meeting"],
     "Guests", "Security staff", ["How many guards are needed for {} with {}?", "What security does {} with {} need?"],
     ["nobody", "one guard", "two guards", "six guards", "a security firm"], "watched by {}"),
    ("Storage", "Cooling", "{} degrees", (2, 60), ["a room", "a store", "a cabinet"],
     "Temperature", "What is done", ["What is done in {} with {}?", "The thermometer in {} shows {}. What do I do?"],
     ["nothing", "open the flaps", "switch on the fan", "call the technician", "move the goods"], "handled so: {}"),
    ("Discounts", "Scale", "{} pieces", (10, 5000), ["an order", "a delivery", "a batch"],
     "Quantity", "Discount", ["What discount is there for {} of {}?", "How much do we save with {} of {}?"],
     ["no discount", "2 percent", "4 percent", "7 percent", "11 percent", "15 percent"], "invoiced with {}"),
    ("Water", "Wind warnings", "{} km/h", (20, 140), ["a wind", "a storm", "a gust"],
     "Wind speed", "Measure", ["What happens at {} of {}?", "Which measure applies for {} of {}?"],
     ["no restriction", "cranes stop", "the pier is closed", "ships stay in port", "the site is cleared"], "answered so: {}"),
]  # fmt: skip

# What was chosen, and what it is for in other words.
CHOICES = [
    ("message broker", "passing messages between systems", "let our systems talk to each other"), ("search engine", "searching documents", "find documents"),
    ("forum software", "discussions among customers", "let customers discuss"), ("wiki", "writing down knowledge", "write down what we know"),
    ("ticket system", "tracking requests", "keep track of requests"), ("payment provider", "taking payments", "take payments in the shop"),
    ("map service", "showing maps", "show where vehicles are"), ("time recording", "recording working hours", "record our hours"),
    ("document scanner", "digitising paper", "turn paper into files"), ("video system", "meetings at a distance", "meet without travelling"),
    ("password manager", "keeping passwords", "store passwords"), ("monitoring tool", "watching the servers", "notice that a server is down"),
    ("backup software", "making copies of data", "secure our data"), ("translation service", "translating texts", "get texts into other languages"),
    ("newsletter tool", "mailing to subscribers", "write to our subscribers"), ("cash register", "selling at the counter", "sell at the counter"),
    ("route planner", "planning tours", "plan the drivers' tours"), ("survey tool", "asking employees and customers", "ask people for their opinion"),
    ("accounting program", "keeping the books", "do the bookkeeping"), ("design tool", "drafting screens", "draft how screens look"),
    ("font", "texts in print", "set our printed texts"), ("cloud provider", "renting computing power", "run what does not fit in our own centre"),
    ("telephone system", "calls", "make calls"), ("chat program", "short messages among colleagues", "write short messages to each other"),
    ("code host", "keeping source code", "keep our source code"), ("data warehouse", "reports over many years", "evaluate figures of many years"),
    ("badge reader", "opening doors", "open doors without keys"), ("printer model", "printing in the offices", "print in the offices"),
    ("cleaning firm", "cleaning the offices", "have the offices cleaned"), ("energy supplier", "buying electricity", "get our electricity"),
]  # fmt: skip
NAMES = [
    "Larkspur", "Quillon", "Bramwell", "Tessaly", "Orlop", "Fennimore", "Castor Nine", "Wrenfield", "Mossbit", "Pellucid", "Hartline", "Ovenbird",
    "Saltmarsh", "Trillium", "Gannet", "Ivywood", "Juniper Desk", "Kestrelbase", "Limestone", "Marlowe", "Nettle", "Osier", "Pipit", "Ravelin", "Sedge",
    "Thornback", "Umbra", "Vellum", "Willowherb", "Yarrow", "Zephyrine", "Aldermoor", "Blackcap", "Cinquefoil", "Dabchick", "Eiderdown", "Foxglove",
]  # fmt: skip
REASONS = ["it can run in our own data centre", "it needs no licence for each user", "two teams know it already", "it keeps data in the country", "its supplier answers at night too", "it was the fastest in the test", "it works without a network", "it has an open interface"]
DECIDERS = ["the architecture board", "the management", "the works council and the management", "the head of operations", "the steering group", "the IT council"]
WHEN = ["in March", "on 4 June", "in the autumn of last year", "on 12 January", "at the meeting in May", "on 30 September"]
UNSAID = [
    ("why", "Why was {name} chosen?"), ("when", "When was {name} chosen?"), ("who", "Who decided for {name}?"), ("cost", "What does {name} cost?"),
    ("replaced", "What did {name} replace?"), ("others", "Which alternatives to {name} were examined?"), ("how long", "How long does the contract for {name} run?"),
    ("users", "How many people use {name}?"), ("trained", "Who trains the users of {name}?"),
]  # fmt: skip


def table(dice: random.Random) -> Iterator[Asked]:
    title, section, first, keys, columns = dice.choice(TABLES)
    keys = dice.sample(keys, len(keys))
    listed, absent = keys[: dice.randint(3, len(keys) - 2)], keys[-2:]
    columns = dice.sample(columns, len(columns))
    shown = columns[: max(1, len(columns) - 1)] if len(columns) > 2 or dice.random() < 0.5 else columns
    hidden = [one for one in columns if one not in shown]
    values = {(key, column[0]): dice.choice(column[1]) for key in listed for column in shown}
    passage = f"{title}: {section}\n" + dice.choice(["", "", f"{section}\n", f"{section}\n\n"])
    cells, style = {}, dice.random()
    if style < 0.75:
        passage += " | ".join([first, *(column[0] for column in shown)])
        for key in listed:
            passage += f"\n{key}"
            for column in shown:
                passage += " | "
                cells[key, column[0]] = (len(passage), len(passage) + len(values[key, column[0]]))
                passage += values[key, column[0]]
    else:  # a row at a time, each cell with its column's name
        for key in listed:
            passage += f"{'' if passage.endswith(chr(10)) else chr(10)}{dice.choice(['- ', ''])}{key}"
            for at, column in enumerate(shown):
                passage += (": " if at == 0 else ", ") + f"{column[0].lower()} "
                cells[key, column[0]] = (len(passage), len(passage) + len(values[key, column[0]]))
                passage += values[key, column[0]]
    for _ in range(2):
        key, column = dice.choice(listed), dice.choice(shown)
        yield Asked(passage, dice.choice(column[2]).format(key), True, cells[key, column[0]], "table: a cell")
    yield Asked(passage, dice.choice(dice.choice(shown)[2]).format(dice.choice(absent)), False, None, "table: no such row")
    if hidden:
        yield Asked(passage, dice.choice(hidden[0][2]).format(dice.choice(listed)), False, None, "table: no such column")


def rounded(value: float) -> int:
    size = 10 ** max(0, len(str(int(value))) - 2)
    return max(1, int(value / size) * size)


def written(value: int, dice: random.Random) -> str:
    return f"{value:,}" if value >= 1000 and dice.random() < 0.7 else str(value)


def many(thing: str) -> str:
    head, *rest = thing.split(" ", 1)
    if head.endswith(("x", "ch", "y")) and head not in ("journey", "party"):
        head = head + "es" if not head.endswith("y") else head[:-1] + "ies"
    else:
        head = "parties" if head == "party" else head + "s"
    return " ".join([head, *rest])


def bands(dice: random.Random) -> Iterator[Asked]:
    title, section, unit, (low, high), cases, measure, decided, ways, outcomes, clause = dice.choice(BANDS)
    asked_unit = unit
    if unit == "{} euros":
        unit, asked_unit = (dice.choice(["{} euros", "EUR {}", "€{}", "{} EUR"]) for _ in range(2))
    steps = dice.randint(2, min(4, len(outcomes) - 1))
    bounds = sorted({rounded(low * (high / low) ** dice.random()) for _ in range(steps)})
    if len(bounds) < 2:
        return
    chosen = sorted(dice.sample(range(len(outcomes)), len(bounds) + 1 if len(bounds) + 1 <= len(outcomes) else len(outcomes)))
    bounds = bounds[: len(chosen) - 1]
    results = [outcomes[at] for at in chosen]
    case = dice.choice(cases)
    shown = [unit.format(written(bound, dice)) for bound in bounds]
    over = dice.choice(["above", "more than", "over"])
    ranges = [f"up to {shown[0]}", *(f"{before} to {after}" for before, after in zip(shown, shown[1:], strict=False)), f"{over} {shown[-1]}"]
    passage = f"{title}: {section}\n" + dice.choice(["", f"{section}\n"])
    spans = []
    if dice.random() < 0.5:
        passage += f"{measure} | {decided}"
        for one, result in zip(ranges, results, strict=True):
            passage += f"\n{one} | "
            spans.append((len(passage), len(passage) + len(result)))
            passage += result
    else:
        before, after = clause.split("{}")
        what = many(case.split(" ", 1)[1])
        between = "with" if "customers" in unit or "guests" in unit or "degrees" in unit else "of"
        passage += f"{what.capitalize()} {between} "
        for at, (one, result) in enumerate(zip(ranges, results, strict=True)):
            passage += f"{one} are {before}"
            spans.append((len(passage), len(passage) + len(result)))
            passage += result + after + (dice.choice([f", those {between} ", f"; those {between} "]) if at + 1 < len(results) else ".")
    at = dice.randrange(len(results))
    least = bounds[at - 1] if at else bounds[0] // 4
    most = bounds[at] if at < len(bounds) else bounds[-1] * 4
    value = dice.randint(least + 1, max(least + 1, most - 1))
    value = rounded(value) if rounded(value) > least and dice.random() < 0.7 else value
    way = dice.choice(ways)
    yield Asked(passage, way.format(case, asked_unit.format(written(value, dice))), True, spans[at], "limits: a case")
    if at + 1 == len(results):  # beyond the last limit a second time: any figure will do
        far = rounded(bounds[-1] * dice.choice([1.5, 2, 3, 5, 10]))
        yield Asked(passage, dice.choice(ways).format(case, asked_unit.format(written(far, dice))), True, spans[at], "limits: a case")
    other = dice.choice([one for one in BANDS if one[6] != decided])
    for question in (
        dice.choice(other[7]).format(dice.choice(other[4]), other[2].format(written(dice.randint(*other[3]), dice))),
        dice.choice(["How long does it take to decide about {} of {}?", "Where is {} of {} recorded?", "Who pays for {} of {}?", "Which form is used for {} of {}?", "Why is there a rule for {} of {}?"]).format(case, asked_unit.format(written(value, dice))),
    ):
        yield Asked(passage, question, False, None, "limits: another matter")


def decision(dice: random.Random) -> Iterator[Asked]:
    (thing, purpose, wish), *others = dice.sample(CHOICES, 4)
    name, second, third = dice.sample(NAMES, 3)
    number = dice.randint(3, 90)
    said: dict[str, str] = {}
    parts = [dice.choice([
        f"We use {name} as our {thing}.", f"{name} was selected as the {thing}.", f"{name} becomes the {thing} of the whole company.",
        f"For {purpose} we use {name} from now on.", f"The {thing} {name} was chosen.", f"All teams use {name} for {purpose}.",
    ])]  # fmt: skip
    if dice.random() < 0.4:
        said["why"] = dice.choice(REASONS)
        parts.append(f"It was chosen because {said['why']}.")
    if dice.random() < 0.3:
        said["who"], said["when"] = dice.choice(DECIDERS), dice.choice(WHEN)
        parts.append(f"{said['who'][:1].upper()}{said['who'][1:]} decided so {said['when']}.")
    if dice.random() < 0.35:
        said["others"] = f"{second} and {third}"
        parts.append(f"{said['others']} were examined as well.")
    if dice.random() < 0.3:
        said["replaced"] = second if "others" not in said else dice.choice([one for one in NAMES if one not in (name, second, third)])
        parts.append(f"It replaces {said['replaced']}, which is switched off at the end of the year.")
    if dice.random() < 0.5:
        parts.append(dice.choice(["The teams move by the summer.", "Exceptions need a reason in writing.", "The old data stays readable for two years.", "Further tools of this kind are not introduced."]))
    tail = parts[1:]
    dice.shuffle(tail)
    heading = dice.choice([f"ADR-{number:04} {thing[:1].upper()}{thing[1:]}: Decision\n", f"Decision {number}: {purpose[:1].upper()}{purpose[1:]}\n", f"Record {number}\n", "", f"DR-{number} {name}: Decision\nDecision\n"])
    passage = heading + " ".join([parts[0], *tail])

    def span(words: str):
        at = passage.find(words, len(heading))
        return (at, at + len(words)) if at >= 0 else None

    asks = [
        f"Which {thing} was selected?", f"Which {thing} do we use?", f"What was chosen for {purpose}?", f"What do we use to {wish}?", f"Is there a decision about the {thing}?",
        f"Which tool should I take to {wish}?", f"What did we decide on for {purpose}?", f"What is our {thing} called?",
    ]  # fmt: skip
    if name in passage:
        for question in dice.sample(asks, 2):
            yield Asked(passage, question, True, span(name), "decision: what was chosen")
    other, used_for, want = dice.choice(others)
    question = dice.choice([f"Which {other} was selected?", f"Which {other} do we use?", f"What was chosen for {used_for}?", f"What do we use to {want}?", f"Why was the {other} chosen?", f"What is our {other} called?"])
    yield Asked(passage, question, False, None, "decision: another thing")
    for what, ask in dice.sample(UNSAID, 4):
        if what in said:
            yield Asked(passage, ask.format(name=name), True, span(said[what]), "decision: more about it")
        elif dice.random() < 0.45:
            yield Asked(passage, ask.format(name=name), False, None, "decision: not said about it")


def listed(dice: random.Random) -> Iterator[Asked]:
    """Two lists with opposite headings, or one of them."""
    verb, yes, no, about = dice.choice(GROUPS)
    items = dice.sample(about, 8)
    good, bad, absent = items[:3], items[3:6], items[6:]
    title = dice.choice(TITLES)
    both = dice.random() < 0.5
    sign = dice.random() < 0.5
    passage = f"{title}: {dice.choice(['Overview', 'Rules', 'List'])}\n"
    places = {}
    for holds, heading, of in ((True, dice.choice(yes), good), (False, dice.choice(no), bad)):
        if both or holds is sign:
            passage += f"{heading}\n"
            begin = len(passage)
            for item in of:
                passage += "- "
                places[item] = (len(passage), len(passage) + len(item))
                passage += item + "\n"
            places[holds] = (begin + 2, len(passage) - 1)
    passage = passage.rstrip("\n")

    def ask(item: str) -> str:
        be = "Are" if plural(item) else "Is"
        return dice.choice({
            "paid for": [f"{be} {item} paid for?", f"Who pays for {item}?", f"I have a bill for {item}. Do I get the money back?", f"Do I have to pay for {item} myself?"],
            "allowed": [f"{be} {item} allowed?", f"May I bring {item}?", f"{be} {item} forbidden?"],
            "required": [f"Do I need {item}?", f"Can I start without {item}?", f"{be} {item} optional?"],
            "included": [f"{be} {item} included?", f"Do we pay extra for {item}?", f"{be} {item} part of the contract?"],
            "kept": [f"{be} {item} stored?", f"Do you delete {item}?", f"What happens to {item}?"],
        }[verb])  # fmt: skip

    for item in dice.sample([one for one in places if isinstance(one, str)], 2):
        yield Asked(passage, ask(item), True, places[item], "list: an item")
    yield Asked(passage, ask(dice.choice(absent)), False, None, "list: no such item")
    asked = dice.choice([True, False])
    question = dice.choice([f"What is {'' if asked else 'not '}{verb}?", f"Which things are {'' if asked else 'not '}{verb}?"])
    if asked in places:
        yield Asked(passage, question, True, places[asked], "list: all of it")
    else:
        yield Asked(passage, question, False, None, "list: the other list")


MADE = (table, table, bands, bands, decision, decision, listed)


def questions(dice: random.Random) -> list[Asked]:
    return list(dice.choice(MADE)(dice))
