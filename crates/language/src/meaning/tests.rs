use super::*;

/// A rule, and with it for each language a note, a claim that the rule finds something in, and one that it leaves.
const CASES: &[(TurnKind, [[&str; 3]; 2])] = &[
    (
        TurnKind::Negation,
        [
            [
                "Washing does not harm the fabric, but it can shrink it.",
                "Washing harms the fabric.",
                "Washing doesn't harm the fabric.",
            ],
            [
                "Waschen schadet dem Stoff nicht, kann ihn aber verkürzen.",
                "Waschen schadet dem Stoff.",
                "Dem Stoff schadet Waschen nicht.",
            ],
        ],
    ),
    (
        TurnKind::Modality,
        [
            ["Guests can use the sauna.", "Guests must use the sauna.", "The sauna may be used by guests."],
            [
                "Gäste können die Sauna benutzen.",
                "Gäste müssen die Sauna benutzen.",
                "Die Sauna dürfen Gäste benutzen.",
            ],
        ],
    ),
    (
        TurnKind::Bound,
        [
            [
                "The form is handed in two weeks before the trip.",
                "The form is handed in two weeks after the trip.",
                "Before the trip the form is handed in.",
            ],
            [
                "Das Formular ist zwei Wochen vor der Reise abzugeben.",
                "Das Formular ist zwei Wochen nach der Reise abzugeben.",
                "Vor der Reise ist das Formular abzugeben.",
            ],
        ],
    ),
    (
        TurnKind::Bound,
        [
            [
                "The bridge carries at most 12 tonnes.",
                "The bridge carries at least 12 tonnes.",
                "The bridge carries up to 12 tonnes.",
            ],
            [
                "Die Brücke trägt höchstens 12 Tonnen.",
                "Die Brücke trägt mindestens 12 Tonnen.",
                "Die Brücke trägt bis zu 12 Tonnen.",
            ],
        ],
    ),
    (
        TurnKind::Quantifier,
        [
            ["Most rooms have a balcony.", "All rooms have a balcony.", "A balcony is what most rooms have."],
            [
                "Die meisten Zimmer haben einen Balkon.",
                "Alle Zimmer haben einen Balkon.",
                "Einen Balkon haben die meisten Zimmer.",
            ],
        ],
    ),
    (
        TurnKind::Comparison,
        [
            ["Oak burns longer than pine.", "Pine burns longer than oak.", "Pine burns shorter than oak."],
            ["Eiche brennt länger als Kiefer.", "Kiefer brennt länger als Eiche.", "Kiefer brennt kürzer als Eiche."],
        ],
    ),
    (
        TurnKind::Cause,
        [
            [
                "The road is closed because a tree fell. The bus stops at the station.",
                "The road is closed because the bus stops at the station.",
                "Because a tree fell, the road is closed.",
            ],
            [
                "Die Straße ist gesperrt, weil ein Baum umgestürzt ist. Der Bus hält am Bahnhof.",
                "Die Straße ist gesperrt, weil der Bus am Bahnhof hält.",
                "Weil ein Baum umgestürzt ist, ist die Straße gesperrt.",
            ],
        ],
    ),
    (
        TurnKind::Condition,
        [
            [
                "Visitors may enter the hall if a guide accompanies them.",
                "Visitors may enter the hall.",
                "If a guide accompanies them, visitors may enter the hall.",
            ],
            [
                "Besucher dürfen die Halle betreten, wenn ein Führer sie begleitet.",
                "Besucher dürfen die Halle betreten.",
                "Wenn ein Führer sie begleitet, dürfen Besucher die Halle betreten.",
            ],
        ],
    ),
    (
        TurnKind::Roles,
        [
            [
                "The editor praised the printer.",
                "The printer praised the editor.",
                "The printer was praised by the editor.",
            ],
            [
                "Der Redakteur lobte den Drucker.",
                "Der Drucker lobte den Redakteur.",
                "Der Drucker wird vom Redakteur gelobt.",
            ],
        ],
    ),
    (
        TurnKind::Merged,
        [
            [
                "The kitchen closes at nine. The garden is watered by volunteers.",
                "The kitchen is watered by volunteers.",
                "The kitchen closes at nine, and volunteers water the garden.",
            ],
            [
                "Die Küche schließt um neun. Der Garten wird von Freiwilligen gegossen.",
                "Die Küche wird von Freiwilligen gegossen.",
                "Die Küche schließt um neun, und Freiwillige gießen den Garten.",
            ],
        ],
    ),
    (
        TurnKind::Merged,
        [
            [
                "| Hall | Seats | Rent |\n|---|---|---|\n| Blue hall | 40 | 120 euros |\n| Red hall | 90 | 260 euros |",
                "The blue hall has 90 seats.",
                "The red hall has 90 seats.",
            ],
            [
                "| Saal | Plätze | Miete |\n|---|---|---|\n| Blauer Saal | 40 | 120 Euro |\n| Roter Saal | 90 | 260 Euro |",
                "Der blaue Saal hat 90 Plätze.",
                "Der rote Saal hat 90 Plätze.",
            ],
        ],
    ),
];

#[test]
fn each_rule_finds_in_german_what_it_finds_in_english() {
    for (kind, languages) in CASES {
        for [note, turned_round, faithful] in languages {
            assert_eq!(turned(turned_round, &[note], &[]).map(|turn| turn.kind), Some(*kind), "{turned_round}");
            assert_eq!(turned(faithful, &[note], &[]), None, "{faithful}");
        }
    }
}

#[test]
fn a_number_is_the_same_in_words_and_in_digits() {
    for (note, claim) in [
        ("The pump runs for twelve hours after the storm.", "The pump runs for 12 hours after the storm."),
        ("Die Pumpe läuft nach dem Sturm zwölf Stunden.", "Die Pumpe läuft nach dem Sturm 12 Stunden."),
        ("Der Antrag kommt am dritten Tag.", "Der Antrag kommt am 3. Tag."),
    ] {
        assert_eq!(turned(claim, &[note], &[]), None, "{claim}");
    }
}

#[test]
fn a_language_without_tables_is_known_to_have_no_rules() {
    let note = "Les valeurs sont gardées dans les archives pendant dix ans, et elles ne sont pas publiées.";
    let french = language_of("Les valeurs sont gardées dans les archives.", &[note]);
    assert_eq!(french.map(|language| (language.name(), has_rules(language))), Some(("french", false)));
    assert!(["english", "german"].iter().all(|name| WORDS.contains_key(name)));
}

#[test]
fn the_sentence_that_says_most_of_a_claim_is_found_or_none() {
    let sentences =
        ["The kitchen closes at nine.", "The garden is watered by volunteers every morning.", "Dogs sleep."];
    for (claim, expected) in [
        ("The garden is watered by the neighbours.", Some(1)),
        ("The kitchen closes at ten.", Some(0)),
        ("The moon is made of cheese.", None),
        ("Dogs bark loudly at night.", None),
    ] {
        assert_eq!(nearest(claim, &sentences), expected, "{claim}");
    }
}

#[test]
fn anything_may_be_written_without_harm() {
    for text in ["", "|", "a", "…", "not not not", "because", "than than", "über", "1,2,3.4.5", "ſ ß ﬁ"] {
        turned(text, &[text, "The kitchen closes at nine."], &[text]);
        nearest(text, &[text]);
    }
}
