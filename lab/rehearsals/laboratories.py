"""Documents that are made up: a laboratory each, with facts that nobody can know from elsewhere, and questions about them."""

import json
import random

TREES = "Alder Ash Aspen Beech Birch Cedar Cherry Chestnut Cypress Elder Elm Fir Hazel Holly Juniper Larch Laurel Linden Maple Oak Olive Pine Plum Poplar Rowan Spruce Walnut Willow Yew Acacia".split()
PLACES = "Aarhus Basel Bergen Bilbao Bologna Brno Cadiz Cork Dijon Dresden Espoo Faro Gdansk Ghent Graz Izmir Kaunas Kosice Lille Linz Lyon Malmo Metz Minsk Narvik Nice Odense Oulu Padua Plovdiv Porto Riga Rouen Siena Split Tartu Trento Turku Umea Varna Vilnius Zadar Bari Celle Delft Evora Fulda Gera Hanko Ivrea".split()
KINDS = "laboratory archive workshop greenhouse observatory depot".split()
GOODS = "seed samples|ice cores|glass plates|soil samples|star charts|water probes|herbarium sheets|rock slices".split("|")
PEOPLE = "Maren Holt|Ivo Brandt|Lena Ruiz|Otto Falk|Nora Quist|Pavel Horn|Sara Lindt|Tomas Berg|Ulla Kern|Vito Marsh".split("|")


def laboratories(count):
    """Always the same ones, in the same order."""
    chance = random.Random(21)
    names = [(tree, kind, place) for tree in TREES for kind in KINDS for place in PLACES]
    chance.shuffle(names)
    for number in range(count):
        tree, kind, place = names[number % len(names)]
        name = f"{tree} {kind} in {place}" + (f" of district {number // len(names) + 1}" if number >= len(names) else "")
        yield {"name": name, "goods": chance.choice(GOODS), "many": chance.randrange(200, 9_000), "who": chance.choice(PEOPLE),
               "hour": chance.randrange(6, 11), "cold": chance.randrange(2, 40)}


def document(number, one):
    text = (f"The {one['name']} keeps {one['many']} {one['goods']} at minus {one['cold']} degrees. "
            f"Its supervisor is {one['who']}, who opens it at {one['hour']} o'clock on working days. "
            f"Visitors of the {one['name']} sign the book at the door and leave their bags with the keeper.")
    return {"id": f"lab-{number}", "title": f"The {one['name']}", "text": text}


def asked(count, all_of_them):
    chance = random.Random(16)
    for number, one in enumerate(chance.choices(all_of_them, k=count)):
        yield question(number, one)[0]


def question(number, one):
    """A question about a laboratory, and the fact that answers it: none for every tenth, which is about no place there is."""
    if number % 10 == 9:
        return f"How many {one['goods']} does the Baobab cellar in Quito keep?", None
    if number % 2:
        return f"Who is the supervisor of the {one['name']}?", one["who"]
    return f"How many {one['goods']} does the {one['name']} keep?", str(one["many"])


def write(file, made):
    """As `ibidem ingest` reads them, a document in a line."""
    file.write_text("".join(json.dumps(document(number, one)) + "\n" for number, one in enumerate(made)))


def take_in(stage, installation, made):
    """Into a database that is still empty. Returns what `ibidem ingest` says."""
    corpus = stage.place / "laboratories.jsonl"
    write(corpus, made)
    installation.run("migrate")
    return installation.run("ingest", corpus, "--collection", "Laboratories", "--tags", "public", "--wait", seconds=7200).stdout.strip()


def write_sheds(file, count):
    """Other documents, to be handed in later."""
    lines = [{"id": f"shed-{number}", "title": f"Shed {number}", "text": f"Shed number {number} of the yard is painted in colour {number * 7}."}
             for number in range(count)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def answered_with_facts(ask, made, count=60):
    """Of so many questions those that are answered with their fact, and the fact."""
    found = {}
    for number, one in enumerate(random.Random(16).choices(made, k=count)):
        query, fact = question(number, one)
        reply = ask(query)
        if fact and reply.answered and fact in reply.answer["answer"]:
            found[query] = fact
    return found
