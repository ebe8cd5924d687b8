"""Makes handbook/travel-and-expenses.pdf and handbook/information-security.docx from the text below.

    python3 -m venv v && v/bin/pip install reportlab==5.1.0 python-docx==1.2.0 && v/bin/python make_handbook.py

Both files come out the same every time but for the DOCX archive's timestamps.
"""

import datetime
import os
from pathlib import Path

from docx import Document
from docx.shared import Pt
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Frame, ListFlowable, ListItem, PageTemplate, Paragraph, Spacer, Table
from reportlab.lib import colors

# What reportlab takes for the present: 2026-09-21 08:00 UTC.
os.environ["SOURCE_DATE_EPOCH"] = "1789977600"

HERE = Path(__file__).parent / "handbook"
ORGANISATION = "Tidewater Institute"

# One tuple a block: ("h1" | "h2" | "p" | "ul" | "ol" | "table", content).
TRAVEL = [
    ("h1", "1 Purpose and scope"),
    ("p", "This handbook says how staff of the Tidewater Institute plan, book and claim business travel. It applies to employees, to doctoral candidates with a contract of the Institute, and to invited guests whose travel the Institute has agreed to pay in writing. It does not apply to the daily way to work, nor to remote work from another place."),
    ("p", "The principle is simple: the Institute pays what a careful person would spend with their own money, and nobody should be out of pocket for long. Where this handbook is silent, ask before you book; afterwards is too late."),
    ("h1", "2 Before you travel"),
    ("h2", "2.1 Approval"),
    ("p", "Every trip needs approval in the travel portal before anything is booked. Your team lead approves trips within the country that cost up to EUR 800 in total. The head of department approves all other trips within Europe, and the director of administration approves trips to other continents. Approval takes at most three working days; a trip that has not been answered by then is not approved, and you should telephone."),
    ("p", "Trips to a country for which the Foreign Office has issued a travel warning are not approved. If a warning is issued while you are there, return by the next possible connection; the Institute pays the difference in full."),
    ("h2", "2.2 Booking"),
    ("p", "Flights, trains and hotels are booked through the travel portal, which is paid by the Institute directly. You may book elsewhere if the price is at least 10 % lower on the same day for the same service; keep a screenshot of the portal's price. Loyalty points earned on business trips may be used only for business trips."),
    ("h1", "3 Transport"),
    ("h2", "3.1 Rail"),
    ("p", "Rail is the normal means of transport for journeys of up to six hours. Second class is paid; first class is paid if the journey takes longer than three hours or if the ticket costs no more than a flexible one in second class. A discount card is paid if it saves its price within twelve months of business trips; you may use it privately."),
    ("h2", "3.2 Air"),
    ("p", "Flights are allowed if the same journey by rail would take longer than six hours, or if an overnight stay is saved. Economy class is paid. Premium economy is paid for a single flight of more than eight hours; business class is paid only on medical grounds, confirmed by the company doctor. One checked bag of up to 23 kg is paid for trips of three nights or more."),
    ("p", "Each flight is charged to the travelling department at EUR 95 for a tonne of carbon dioxide. The money goes to the Institute's own insulation programme and is not part of your claim."),
    ("h2", "3.3 Private car and rental car"),
    ("p", "For the use of a private car the Institute pays EUR 0.34 for each kilometre, and EUR 0.06 for each passenger who also travels on business. The rate covers fuel, wear and insurance excess; parking and tolls are paid in addition. The mileage rate is limited to EUR 150 for a trip unless you carry equipment of more than 25 kg or there is no reasonable public transport."),
    ("p", "Rental cars are booked in the compact class, with full insurance and no excess. Fill the tank before you return the car: refuelling charges of the rental company are not reimbursed."),
    ("h2", "3.4 Taxi and local transport"),
    ("p", "Local public transport is always paid. Taxis are paid between 22:00 and 06:00, with luggage of more than 20 kg, for people with reduced mobility, or when two or more colleagues share one. Tips for taxis are paid up to 10 % of the fare."),
    ("h1", "4 Accommodation"),
    ("p", "Hotels are paid up to the limits in the table, breakfast included. If no room within the limit can be found less than 30 minutes from the place of work, the head of department may approve up to 40 % more. Private accommodation with friends or relatives is paid with a flat EUR 25 a night, without receipt."),
    ("table", [
        ["Destination", "Hotel limit (EUR)", "Daily allowance (EUR)"],
        ["Within the country", "115", "28"],
        ["Belgium, France, Netherlands", "150", "47"],
        ["Nordic countries", "175", "58"],
        ["Switzerland, United Kingdom", "190", "62"],
        ["Other European countries", "135", "42"],
        ["North America", "230", "64"],
        ["All other countries", "165", "50"],
    ]),
    ("h1", "5 Meals and daily allowance"),
    ("h2", "5.1 Full and partial days"),
    ("p", "The daily allowance covers meals and small expenses; receipts are neither needed nor accepted. It is paid in full for each calendar day of 24 hours away. On the days of departure and return, and for trips of more than eight hours on a single day, half of the allowance is paid. Trips of eight hours or less have no allowance."),
    ("h2", "5.2 Meals that are provided"),
    ("p", "If a meal is included in the hotel price, the conference fee or an invitation, the allowance is reduced: by 20 % for breakfast, and by 40 % each for lunch and dinner. The reduction is made whether or not you eat the meal, except for medical or religious reasons that you state in the claim."),
    ("h2", "5.3 Entertaining guests"),
    ("p", "Meals with guests of the Institute are paid up to EUR 45 a person, drinks and tip included, if at least as many guests as staff are present. Name the occasion and the organisations on the receipt. Staff at such a meal have no allowance for it."),
    ("h1", "6 What is not paid"),
    ("ul", [
        "Fines, including parking fines and fines for speeding, whoever caused the delay.",
        "Minibar, films, fitness rooms and laundry; laundry is paid from the sixth night on, up to EUR 20 a week.",
        "Travel insurance: the Institute has a contract for all business trips, luggage up to EUR 2,500 included.",
        "Upgrades, lounge access and seat reservations on aircraft, except seats booked for reasons of health.",
        "Costs of a partner or child who comes along. Care for a child under twelve at home is paid up to EUR 60 a night.",
        "Any extra cost of private days before or after the trip.",
    ]),
    ("p", "Private days may be added if they do not make the trip more expensive and are shorter than the business part. Attach a quotation, made on the day of booking, for the same journey without private days."),
    ("h1", "7 Claims"),
    ("h2", "7.1 Deadline"),
    ("p", "Submit the claim in the travel portal within 30 days after the end of the trip. Claims that come later are paid only with the consent of the finance director, and after six months the claim is lost. A complete claim is paid within ten working days, with the next payment run on a Tuesday or Friday."),
    ("h2", "7.2 Receipts"),
    ("p", "Photographs of receipts are accepted if date, amount, tax and supplier can be read. A lost receipt of up to EUR 30 may be replaced by a signed statement, three times a year at most. Receipts are kept by the Institute for ten years; you may throw the paper away once the claim has been paid."),
    ("h2", "7.3 Foreign currency"),
    ("p", "Amounts paid by card are converted at the rate on the card statement. Cash is converted at the reference rate of the European Central Bank on the first day of the trip. Fees of up to 2 % for cash withdrawals are reimbursed."),
    ("h2", "7.4 Advances"),
    ("p", "An advance of up to 80 % of the expected costs is paid for trips that cost more than EUR 500 of your own money. Ask at least ten working days before departure. An advance that has not been settled 45 days after the trip is deducted from the next salary."),
    ("h1", "8 Exceptions"),
    ("p", "The director of administration decides on exceptions, in writing and before the cost arises. In an emergency, act sensibly, keep every receipt, and report within five working days. Questions go to the travel desk, extension 340, Monday to Friday from 08:30 to 16:00."),
]

SECURITY = [
    ("h1", "Why this matters"),
    ("p", "The Institute holds unpublished measurements, personal data of some 4,000 study participants, and contracts with partners who expect discretion. This policy sets the few rules that protect them. It applies to staff, guests and contractors, and to every device and service that touches the Institute's data."),
    ("h1", "Classification"),
    ("p", "Whoever creates a document chooses its class. Without a mark, a document is Internal."),
    ("table", [
        ["Class", "Examples", "May be stored in", "May be sent to"],
        ["Public", "published papers, job advertisements", "anywhere", "anyone"],
        ["Internal", "minutes, drafts, this policy", "managed devices and drives", "staff and contracted partners"],
        ["Confidential", "personal data, salaries, unpublished results", "encrypted drives only", "named persons, encrypted"],
        ["Restricted", "health data of study participants", "the research vault", "nobody outside the study team"],
    ]),
    ("p", "Confidential documents may not be printed outside the office. Restricted data may not leave the research vault in any form; results are released by the data steward after a check for re-identification, within five working days."),
    ("h1", "Passwords and sign-in"),
    ("ul", [
        "Passwords have at least 14 characters and are changed only after an incident, not by the calendar.",
        "A second factor is required everywhere: a security key for administrators, an app or a key for everybody else. Text messages are not accepted.",
        "Accounts are locked for 15 minutes after eight failed attempts.",
        "Passwords are kept in the Institute's password manager. Shared accounts need the consent of Information Security and are reviewed every six months.",
    ]),
    ("h1", "Devices"),
    ("h2", "Managed devices"),
    ("p", "Laptops and telephones of the Institute are encrypted, updated automatically and can be erased from afar. Updates are installed within seven days; critical updates within 48 hours, after which the device restarts by itself."),
    ("h2", "Private devices"),
    ("p", "Private telephones may be used for the calendar, chat and the second factor, in the managed container only. E-mail on private computers is allowed through the browser; downloads are blocked. Private USB storage may not be connected at all."),
    ("h2", "Loss"),
    ("p", "Report a lost or stolen device to the service desk within one hour, at any time of day (extension 300, out of hours extension 399). Devices are erased as soon as the loss is reported. Nobody is blamed for losing a device; failing to report one is a breach of duty."),
    ("h1", "E-mail and phishing"),
    ("p", "Forward suspicious messages with the button in the mail program; do not reply and do not delete them. You have an answer within two hours on working days. Twice a year the Institute sends test messages. Results are reported by department, never by person. Automatic forwarding to outside addresses is blocked."),
    ("h1", "Incidents"),
    ("ol", [
        "Report at once: to the service desk, or to your team lead if you cannot reach it.",
        "Leave the device switched on, but disconnect it from the network.",
        "Do not investigate on your own, and do not inform partners yourself.",
        "Information Security decides within four hours whether personal data is concerned.",
    ]),
    ("p", "A breach of personal data is reported to the supervisory authority within 72 hours by the data protection officer. The persons concerned are informed without delay if the risk for them is high."),
    ("h1", "Keeping and deleting"),
    ("p", "E-mail is deleted after three years unless it is filed. Log files with personal data are kept for 90 days. Accounts of people who leave are closed on their last day at 18:00; their files are kept for six months for the team lead and then deleted. Backups are kept for 35 days."),
    ("h1", "Exceptions and consequences"),
    ("p", "Exceptions are granted by the head of Information Security for at most twelve months, in writing, with a compensating measure. Deliberate breaches may have consequences under employment law. Mistakes that are reported do not."),
]


def travel_pdf(path):
    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=10.5, leading=14.5, spaceAfter=7, alignment=TA_LEFT)
    styles = {
        "title": ParagraphStyle("title", parent=body, fontName="Helvetica-Bold", fontSize=22, leading=27, spaceAfter=4),
        "subtitle": ParagraphStyle("subtitle", parent=body, fontName="Helvetica", fontSize=10.5, textColor=colors.HexColor("#555555"), spaceAfter=16),
        "h1": ParagraphStyle("h1", parent=body, fontName="Helvetica-Bold", fontSize=15, leading=19, spaceBefore=10, spaceAfter=5, keepWithNext=1),
        "h2": ParagraphStyle("h2", parent=body, fontName="Helvetica-Bold", fontSize=11.8, leading=15, spaceBefore=5, spaceAfter=3, keepWithNext=1),
        "p": body,
    }

    class Handbook(BaseDocTemplate):
        def afterFlowable(self, flowable):
            level = {"h1": 0, "h2": 1}.get(getattr(getattr(flowable, "style", None), "name", None))
            if level is not None:
                words = flowable.getPlainText()
                self.canv.bookmarkPage(words)
                self.canv.addOutlineEntry(words, words, level=level)

    def furniture(canvas, document):
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        canvas.drawString(25 * mm, 285 * mm, f"{ORGANISATION} – Travel and Expenses Handbook")
        canvas.drawRightString(185 * mm, 12 * mm, f"Page {document.page}")
        canvas.restoreState()

    document = Handbook(str(path), pagesize=A4, title="Travel and Expenses Handbook", author=ORGANISATION, subject="FIN-01")
    document.addPageTemplates(PageTemplate(frames=[Frame(25 * mm, 20 * mm, 160 * mm, 258 * mm)], onPage=furniture))
    story = [
        Paragraph("Travel and Expenses Handbook", styles["title"]),
        Paragraph("FIN-01, in force from 1 October 2026", styles["subtitle"]),
    ]
    for kind, content in TRAVEL:
        if kind == "table":
            table = Table(content, colWidths=[70 * mm, 42 * mm, 48 * mm], hAlign="LEFT")
            table.setStyle([
                ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9.5),
                ("FONT", (0, 1), (-1, -1), "Times-Roman", 10.5),
                ("LINEBELOW", (0, 0), (-1, 0), 0.6, colors.black),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
            ])
            story += [table, Spacer(1, 8)]
        elif kind in ("ul", "ol"):
            items = [ListItem(Paragraph(words, body), bulletColor=colors.black) for words in content]
            story.append(ListFlowable(items, bulletType="bullet", start="•", leftIndent=14, bulletFontSize=10))
        else:
            story.append(Paragraph(content, styles[kind]))
    document.build(story)


def security_docx(path):
    document = Document()
    properties = document.core_properties
    properties.title = "Information Security"
    properties.author = ORGANISATION
    properties.subject = "SEC-01"
    properties.created = properties.modified = datetime.datetime(2026, 8, 24, 9, 0)
    document.styles["Normal"].font.size = Pt(10.5)
    document.add_paragraph("Information Security", style="Title")
    document.add_paragraph("SEC-01. In force from 1 September 2026.")
    for kind, content in SECURITY:
        if kind == "p":
            document.add_paragraph(content)
        elif kind in ("h1", "h2"):
            document.add_heading(content, level=int(kind[1]))
        elif kind in ("ul", "ol"):
            for words in content:
                document.add_paragraph(words, style="List Bullet" if kind == "ul" else "List Number")
        else:
            table = document.add_table(rows=0, cols=len(content[0]), style="Light Grid Accent 1")
            for row in content:
                for cell, words in zip(table.add_row().cells, row):
                    cell.text = words
    # The template's picture of itself is half of the file.
    relations = document.part.package.rels
    for name in [name for name, relation in relations.items() if relation.reltype.endswith("/thumbnail")]:
        del relations[name]
    document.save(path)


travel_pdf(HERE / "travel-and-expenses.pdf")
security_docx(HERE / "information-security.docx")
