"""Questions in German on notes in English, the other way round, and German on German: composed of a small dictionary of
what offices talk about. The base encoder knows English; of German it can learn no more than such words."""

import random
from collections.abc import Iterator

from .facts import opened
from .rules import Asked

THINGS = [
    ("invoices", "Rechnungen"), ("travel requests", "Reiseanträge"), ("leave requests", "Urlaubsanträge"), ("passwords", "Passwörter"), ("backups", "Sicherungen"),
    ("contracts", "Verträge"), ("visitors' badges", "Besucherausweise"), ("company cars", "Dienstwagen"), ("bicycles", "Fahrräder"), ("keys", "Schlüssel"),
    ("orders", "Bestellungen"), ("complaints", "Beschwerden"), ("accidents", "Unfälle"), ("illnesses", "Krankheiten"), ("overtime hours", "Überstunden"),
    ("meeting rooms", "Besprechungsräume"), ("laptops", "Laptops"), ("telephones", "Telefone"), ("documents", "Dokumente"), ("training courses", "Schulungen"),
    ("business trips", "Dienstreisen"), ("hotel bills", "Hotelrechnungen"), ("train tickets", "Fahrkarten"), ("flights", "Flüge"), ("meals", "Mahlzeiten"),
    ("parking spaces", "Parkplätze"), ("spare parts", "Ersatzteile"), ("meters", "Zähler"), ("outages", "Störungen"), ("servers", "Server"),
    ("log files", "Protokolle"), ("databases", "Datenbanken"), ("interfaces", "Schnittstellen"), ("updates", "Aktualisierungen"), ("user accounts", "Benutzerkonten"),
    ("customer data", "Kundendaten"), ("photographs", "Fotos"), ("letters", "Briefe"), ("parcels", "Pakete"), ("gifts", "Geschenke"),
    ("applications", "Bewerbungen"), ("salaries", "Gehälter"), ("bonuses", "Prämien"), ("meals for guests", "Essen für Gäste"), ("safety shoes", "Sicherheitsschuhe"),
    ("fire drills", "Brandschutzübungen"), ("printers", "Drucker"), ("software licences", "Softwarelizenzen"), ("cancellations", "Kündigungen"), ("deliveries", "Lieferungen"),
    ("returns", "Rücksendungen"), ("routers", "Router"), ("repairs", "Reparaturen"), ("certificates", "Zertifikate"), ("minutes of meetings", "Sitzungsprotokolle"),
]  # fmt: skip
PEOPLE = [
    ("the team lead", "der Teamleitung"), ("the personnel office", "der Personalabteilung"), ("the managing director", "der Geschäftsführung"), ("the caretaker", "dem Hausmeister"),
    ("accounting", "der Buchhaltung"), ("the works council", "dem Betriebsrat"), ("the security desk", "der Sicherheitszentrale"), ("the head of department", "der Abteilungsleitung"),
    ("purchasing", "dem Einkauf"), ("the front office", "dem Empfang"), ("customer service", "dem Kundendienst"), ("the workshop", "der Werkstatt"),
    ("the data protection officer", "der Datenschutzbeauftragten"), ("the company doctor", "der Betriebsärztin"), ("the network team", "dem Netzwerkteam"),
]  # fmt: skip
UNITS = [("days", "Tage"), ("weeks", "Wochen"), ("months", "Monate"), ("years", "Jahre")]
# Said and asked, in both languages.
SAID = [
    (("are approved by {who}", "werden von {who} genehmigt"), (["Who approves {x}?", "Who has to agree to {x}?"], ["Wer genehmigt {x}?", "Wer muss {x} zustimmen?"])),
    (("are kept for {n} {unit}", "werden {n} {unit} aufbewahrt"), (["How long are {x} kept?", "When are {x} deleted?"], ["Wie lange werden {x} aufbewahrt?", "Wie lange bewahren wir {x} auf?"])),
    (("are checked every {n} {unit}", "werden alle {n} {unit} geprüft"), (["How often are {x} checked?"], ["Wie oft werden {x} geprüft?", "In welchem Abstand prüft man {x}?"])),
    (("cost {n} euros", "kosten {n} Euro"), (["What do {x} cost?", "How much are {x}?"], ["Was kosten {x}?", "Wie teuer sind {x}?", "Wie viel kosten {x}?"])),
    (("are not paid for", "werden nicht bezahlt"), (["Are {x} paid for?", "Who pays for {x}?"], ["Werden {x} bezahlt?", "Übernimmt die Firma {x}?", "Wer bezahlt {x}?"])),
    (("are paid by the company", "werden von der Firma bezahlt"), (["Are {x} paid for?", "Who pays for {x}?"], ["Werden {x} bezahlt?", "Übernimmt die Firma {x}?", "Muss ich {x} selbst bezahlen?"])),
    (("must be reported within {n} days", "müssen innerhalb von {n} Tagen gemeldet werden"), (["By when must {x} be reported?"], ["Bis wann müssen {x} gemeldet werden?", "Wie schnell muss ich {x} melden?"])),
    (("are allowed only with a permit", "sind nur mit Genehmigung erlaubt"), (["Are {x} allowed?", "Do I need a permit for {x}?"], ["Sind {x} erlaubt?", "Brauche ich eine Genehmigung für {x}?"])),
    (("are deleted by {who}", "werden von {who} gelöscht"), (["Who deletes {x}?"], ["Wer löscht {x}?"])),
    (("are ordered {n} weeks in advance", "werden {n} Wochen vorher bestellt"), (["How early are {x} ordered?"], ["Wie lange vorher werden {x} bestellt?", "Wie früh muss man {x} bestellen?"])),
    (("are handed out by {who}", "werden von {who} ausgegeben"), (["Who hands out {x}?", "Where do I get {x}?"], ["Wer gibt {x} aus?", "Wo bekomme ich {x}?", "Von wem bekomme ich {x}?"])),
    (("are stored in the cellar", "liegen im Keller"), (["Where are {x} stored?", "Where do I find {x}?"], ["Wo liegen {x}?", "Wo finde ich {x}?"])),
    (("are sent to {who}", "werden an die Adresse von {who} geschickt"), (["Where are {x} sent?", "Who receives {x}?"], ["Wohin werden {x} geschickt?", "Wer bekommt {x}?"])),
    (("can be cancelled until {n} days before", "können bis {n} Tage vorher storniert werden"), (["Until when can {x} be cancelled?"], ["Bis wann kann man {x} stornieren?"])),
    (("are replaced every {n} {unit}", "werden alle {n} {unit} ersetzt"), (["How often are {x} replaced?", "When do I get new {x}?"], ["Wie oft werden {x} ersetzt?", "Wann gibt es neue {x}?"])),
]  # fmt: skip
PAID = {"are not paid for", "are paid by the company"}  # asked in the same words
ENGLISH, GERMAN = 0, 1


def questions(dice: random.Random) -> Iterator[Asked]:
    """A note of three to five sentences in one language, asked about in the other, or German in both."""
    note, ask = dice.choice([(ENGLISH, GERMAN), (ENGLISH, GERMAN), (ENGLISH, GERMAN), (GERMAN, GERMAN), (GERMAN, GERMAN), (GERMAN, ENGLISH)])
    things = dice.sample(THINGS, 4)
    told, passage, spans = [], "", {}
    for _ in range(dice.randint(3, 5)):
        thing, said = dice.choice(things[:3]), dice.choice(SAID)
        if (thing, said[0]) in spans or said[0][0] in PAID and any(other == thing and one[0][0] in PAID for other, one in told):
            continue
        unit, who = dice.choice(UNITS), dice.choice(PEOPLE)
        words = said[0][note].format(who=who[note], n=dice.choice([2, 3, 4, 5, 6, 8, 10, 12, 14, 20, 30]), unit=unit[note])
        passage += " " if passage else ""
        begin = len(passage) + len(thing[note]) + 1
        passage += f"{opened(thing[note])} {words}."
        spans[thing, said[0]] = (begin, begin + len(words))
        told.append((thing, said))
    kind = "German" if note == ask else "German on English" if ask == GERMAN else "English on German"
    thing, said = dice.choice(told)
    yield Asked(passage, dice.choice(said[1][ask]).format(x=thing[ask]), True, spans[thing, said[0]], f"words: {kind}")
    for thing, among in ((dice.choice(told)[0], SAID), (things[3], [one[1] for one in told])):
        about = [one for one in among if (thing, one[0]) not in spans and not (one[0][0] in PAID and any(other == thing and said[0][0] in PAID for other, said in told))]
        if about:
            yield Asked(passage, dice.choice(dice.choice(about)[1][ask]).format(x=thing[ask]), False, None, f"words: {kind}, not said")
