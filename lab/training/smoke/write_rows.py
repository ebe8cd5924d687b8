"""Writes the smoke run's rows: questions and claims about a made-up grid operator and its handbook, all of our own writing."""

import json
from pathlib import Path

# title, passage, [(question, answer in the passage or None)], [(claim, 1 supported | 0 not, kind)]
NOTES = [
    ("Switching orders", "A switching order is written by the planning desk and released by the duty engineer. The field crew reads the order back before the first step. If one step fails, the crew stops and calls the control room. An order that was not carried out within 48 hours expires.",
     [("Who releases a switching order?", "the duty engineer"), ("After how many hours does an order expire?", "48"), ("Who pays for a switching order?", None), ("What does the crew do if a step fails?", "stops and calls the control room")],
     [("The duty engineer releases switching orders.", 1, "entailment"), ("The field crew releases switching orders.", 0, "contradiction"), ("An order expires after 24 hours.", 0, "contradiction"), ("Expired orders are kept in the archive.", 0, "neutral")]),
    ("Leave", "Staff on shifts have 32 days of leave a year. Leave of more than ten days in a row must be asked for two months ahead. The shift supervisor answers within a week. Days that are left over in March are lost.",
     [("How many days of leave do staff on shifts have?", "32"), ("When are days that are left over lost?", "in March"), ("How many days of leave do trainees have?", None), ("Who answers a request for leave?", "The shift supervisor")],
     [("Shift staff get 32 days off each year.", 1, "entailment"), ("Left-over days can be taken until June.", 0, "contradiction"), ("The shift supervisor replies within seven days.", 1, "entailment"), ("Leave is paid out at the end of a contract.", 0, "neutral")]),
    ("Transformers: inspection", "Every transformer above 10 MVA is inspected once a year, smaller ones every three years. The oil is sampled at each inspection. A sample with more than 30 ppm of water goes to the laboratory. The report is filed under the number of the substation.",
     [("How often are transformers above 10 MVA inspected?", "once a year"), ("What is sampled at each inspection?", "The oil"), ("How much does an oil sample cost?", None), ("Where is the report filed?", "under the number of the substation")],
     [("Large transformers are inspected yearly.", 1, "entailment"), ("Small transformers are inspected once a year.", 0, "contradiction"), ("Samples with over 30 ppm of water are sent to the laboratory.", 1, "entailment"), ("The laboratory answers on the same day.", 0, "neutral")]),
    ("Remote work", "Office staff may work from home on three days a week. The day of the team meeting is a day at the office. Paper files do not leave the building. A second screen is lent out on request by the help desk.",
     [("On how many days may office staff work from home?", "three"), ("Who lends out a second screen?", "the help desk"), ("Who pays for heating at home?", None), ("May paper files leave the building?", "Paper files do not leave the building")],
     [("Office staff can work at home three days each week.", 1, "entailment"), ("Paper files may be taken home.", 0, "contradiction"), ("The help desk lends second screens.", 1, "entailment"), ("Home offices are inspected every year.", 0, "neutral")]),
    ("Outages: telling customers", "Planned outages are announced five working days ahead by letter and on the web page. Hospitals and care homes are called as well. An unplanned outage is shown on the map within 15 minutes. The call centre reads from the same list.",
     [("How many working days ahead are planned outages announced?", "five"), ("Who is called as well?", "Hospitals and care homes"), ("How much is paid for a long outage?", None), ("Within how many minutes is an unplanned outage shown?", "15")],
     [("Planned outages are announced by letter.", 1, "entailment"), ("Planned outages are announced one day ahead.", 0, "contradiction"), ("Care homes get a call before a planned outage.", 1, "entailment"), ("Schools get a call before a planned outage.", 0, "neutral")]),
    ("Meters", "A new meter is read by radio every quarter of an hour. Its readings are kept for three years and then deleted. The customer sees them on the next morning. An old meter is read once a year by card.",
     [("How long are readings kept?", "three years"), ("How is an old meter read?", "once a year by card"), ("Who repairs a broken meter?", None), ("When does the customer see the readings?", "on the next morning")],
     [("Readings of new meters are deleted after three years.", 1, "entailment"), ("Readings are kept for ever.", 0, "contradiction"), ("Old meters are read once every year.", 1, "entailment"), ("Old meters are replaced at no charge.", 0, "neutral")]),
    ("Safety in the substation", "Nobody enters a substation alone. A helmet, safety shoes and a flame-proof coat are worn at all times. Ladders are carried flat by two people. Before work begins the five safety rules are read out by the person in charge.",
     [("How are ladders carried?", "flat by two people"), ("Who reads out the five safety rules?", "the person in charge"), ("How long does the safety course take?", None), ("May somebody enter a substation alone?", "Nobody enters a substation alone")],
     [("Two people carry a ladder flat.", 1, "entailment"), ("One person may enter a substation alone.", 0, "contradiction"), ("A helmet must always be worn.", 1, "entailment"), ("Gloves are handed out at the gate.", 0, "neutral")]),
    ("Purchasing", "Orders up to 1,000 euros are placed by the team itself. Above that, two quotations are needed and the purchasing desk places the order. Orders above 50,000 euros are put out to tender. Software is always bought by the purchasing desk.",
     [("How many quotations are needed above 1,000 euros?", "two"), ("Who buys software?", "the purchasing desk"), ("How long does a tender take?", None), ("From which amount on is an order put out to tender?", "50,000 euros")],
     [("A team can order things for 800 euros itself.", 1, "entailment"), ("A team can order things for 8,000 euros itself.", 0, "contradiction"), ("Software is bought by the purchasing desk.", 1, "entailment"), ("Suppliers are rated once a year.", 0, "neutral")]),
    ("Travel: what is not paid", "Parking fines. Seat upgrades. Drinks from the minibar. Tickets for somebody who comes along. Lost luggage is settled with the airline and not with us.",
     [("Are parking fines paid?", "Parking fines"), ("Are seat upgrades paid?", "Seat upgrades"), ("Are visa fees paid?", None), ("With whom is lost luggage settled?", "with the airline")],
     [("Parking fines are not paid.", 1, "entailment"), ("Parking fines are paid by the company.", 0, "contradiction"), ("Drinks from the minibar are not paid for.", 1, "entailment"), ("Visa fees are paid by the company.", 0, "neutral")]),
    ("Travel: what is paid", "Train tickets in second class. A hotel of up to 130 euros a night. Breakfast where the hotel does not include it. The way from the station to the hotel by bus or, after ten in the evening, by taxi.",
     [("How much may a hotel cost?", "up to 130 euros a night"), ("From what hour on is a taxi paid?", "after ten in the evening"), ("Who books the hotel?", None), ("Which class of train tickets is paid?", "second class")],
     [("Second-class train tickets are paid.", 1, "entailment"), ("First-class train tickets are paid.", 0, "contradiction"), ("A hotel may cost 130 euros a night.", 1, "entailment"), ("Flights within the country are paid.", 0, "neutral")]),
    ("Control room: shifts", "The control room has three shifts of eight hours. Two operators are on duty at night and four by day. The hand-over takes a quarter of an hour and is written down. Nobody works more than six nights in a row.",
     [("How many operators are on duty at night?", "Two"), ("How long does the hand-over take?", "a quarter of an hour"), ("How much is paid for a night shift?", None), ("How many nights in a row may somebody work?", "six")],
     [("Four operators are on duty during the day.", 1, "entailment"), ("Four operators are on duty at night.", 0, "contradiction"), ("The hand-over is written down.", 1, "entailment"), ("Operators choose their own shifts.", 0, "neutral")]),
    ("Connecting a solar roof", "The form for a solar roof is sent in by the installer. We answer within four weeks and say whether the cable is strong enough. Where it is not, we pay for the new one up to the fence. The inverter must be on the list of tested devices.",
     [("Who sends in the form?", "the installer"), ("Within how many weeks do we answer?", "four"), ("What does the installer charge?", None), ("Up to where do we pay for a new cable?", "up to the fence")],
     [("The installer sends in the form for a solar roof.", 1, "entailment"), ("The owner sends in the form for a solar roof.", 0, "contradiction"), ("The inverter has to be on the list of tested devices.", 1, "entailment"), ("Solar roofs on barns need a permit of the council.", 0, "neutral")]),
    ("Passwords", "A password has at least 14 characters and is never sent by mail. It is changed when there is a reason and not by the calendar. After six wrong tries an account is locked for 20 minutes. The security desk never asks for a password.",
     [("How many characters does a password have?", "at least 14"), ("For how long is an account locked?", "20 minutes"), ("Which programs keep passwords?", None), ("After how many wrong tries is an account locked?", "six")],
     [("Accounts are locked after six wrong tries.", 1, "entailment"), ("Passwords are changed every 90 days.", 0, "contradiction"), ("Passwords have 14 characters or more.", 1, "entailment"), ("Old passwords may be used again after a year.", 0, "neutral")]),
    ("Vegetation under lines", "Trees under overhead lines are cut back every four years. Between March and September nothing is cut except where there is danger. The owner of the ground is told three weeks ahead. The wood stays where it fell unless the owner wants it.",
     [("How often are trees cut back?", "every four years"), ("How far ahead is the owner told?", "three weeks"), ("Who measures the trees?", None), ("Where does the wood stay?", "where it fell")],
     [("Trees under lines are cut every four years.", 1, "entailment"), ("Trees are mostly cut in summer.", 0, "contradiction"), ("The owner hears of it three weeks before.", 1, "entailment"), ("The owner is paid for each tree.", 0, "neutral")]),
    ("Visitors", "Visitors sign in at the gate and wear a badge. They are met by their host and are not left alone in the control room. Photographs need the consent of the press desk. Groups of more than twelve come on Fridays.",
     [("Where do visitors sign in?", "at the gate"), ("Whose consent do photographs need?", "the press desk"), ("What do visitors eat?", None), ("On which day do large groups come?", "Fridays")],
     [("Visitors must wear a badge.", 1, "entailment"), ("Visitors may be alone in the control room.", 0, "contradiction"), ("Large groups come on Fridays.", 1, "entailment"), ("Visitors park behind the building.", 0, "neutral")]),
    ("Cables", "A cable fault is found with a pulse from both ends. The joint is opened by two fitters who were trained for that voltage. Before it is closed, somebody else looks at it. The hole is filled on the same day where a road is concerned.",
     [("How many fitters open the joint?", "two"), ("How is a cable fault found?", "with a pulse from both ends"), ("How deep is the hole?", None), ("When is the hole filled where a road is concerned?", "on the same day")],
     [("Cable faults are found with pulses from both ends.", 1, "entailment"), ("One fitter opens the joint.", 0, "contradiction"), ("Somebody else checks the joint before it is closed.", 1, "entailment"), ("The police close the road.", 0, "neutral")]),
]

here = Path(__file__).parent / "training"
(here / "verifier").mkdir(parents=True, exist_ok=True)
(here / "reader").mkdir(parents=True, exist_ok=True)
with open(here / "verifier/mnli.jsonl", "w", encoding="utf-8") as claims, open(here / "reader/squad2_part.jsonl", "w", encoding="utf-8") as asked:
    for title, passage, questions, told in NOTES:
        for question, answer in questions:
            start = passage.index(answer) if answer else None
            row = {"question": question, "passage": passage, "answerable": int(answer is not None), "answer": answer, "answer_start": start, "group": title}
            print(json.dumps(row, ensure_ascii=False), file=asked)
        for claim, label, kind in told:
            row = {"premise": f"{title}\n{passage}", "claim": claim, "label": label, "kind": kind, "group": title}
            print(json.dumps(row, ensure_ascii=False), file=claims)
