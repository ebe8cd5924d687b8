//! Where sentences end in many languages and forms, and that it does not matter how the stream was cut.

use proptest::strategy::Strategy as _;

use super::boundary::LONGEST;
use super::*;

/// A text as sentences, `[^1]` to `[^9]` in it being citations.
fn held(text: &str) -> Vec<Sentence> {
    held_in(pieces(text))
}

fn pieces(text: &str) -> Vec<Passed> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let citation = rest[at..].strip_prefix("[^").and_then(|inside| inside.split_once(']'));
        let number = citation.and_then(|(number, after)| Some((number.parse::<u32>().ok()?, after)));
        let (before, after) = match number {
            Some((number, after)) => {
                pieces.push(Passed::Text(rest[..at].to_owned()));
                pieces.push(Passed::Citation(number));
                ("", after)
            }
            None => rest.split_at(at + 1),
        };
        pieces.push(Passed::Text(before.to_owned()));
        rest = after;
    }
    pieces.push(Passed::Text(rest.to_owned()));
    pieces
}

fn held_in(passed: Vec<Passed>) -> Vec<Sentence> {
    let mut holder = SentenceHolder::default();
    let mut whole: Vec<Sentence> = passed.into_iter().flat_map(|passed| holder.push(passed)).collect();
    whole.extend(holder.finish());
    whole
}

/// Texts with `¦` where a sentence ends.
const PROSE: &[&str] = &[
    "One. ¦Two! ¦Three? ¦Four",
    "Version 3.5 is out. ¦\"Really?\" she asked. ¦Costs (approx.) are 1.2 m.\n¦- a list item\n¦End",
    // Abbreviations.
    "Use tools, e.g. Hammers, i.e. those that hit. ¦Ask Dr. Smith or Prof. Jones. ¦Done.",
    "See No. 5 and Fig. 3 on p. 12. ¦The answer is no. ¦It stays so.",
    "It is listed (accession no. MN975262). ¦See order no. AB-12 first. ¦The answer is no. ¦Nobody knows.",
    "It takes approx. 5 days, incl. Sundays. ¦Cats vs. Dogs etc. ¦Next.",
    "Bring pens, paper, etc. and a lamp. ¦Bring pens etc. ¦Then go.",
    "It is law in the U.S. Treasury offices. ¦It is law in the U.S. ¦The offices differ.",
    "Written by J. R. Smith and A. Jones. ¦They agree.",
    "Acme Inc. Board members met. ¦They left Acme Inc. ¦It was sold.",
    "Open from 8 a.m. to 5 p.m. ¦Closed on Monday.",
    "Open until 8 a.m. Monday and later. ¦Come early.",
    "Paid on Dec. 24 and Jan. 3. ¦Then not.",
    "The max. height and temp. range are given. ¦They differ.",
    "Smith et al. 2020 found it. ¦Smith et al. found it too.",
    // German and French.
    "Das gilt z. B. für Reisen, d. h. für alle. ¦Siehe Nr. 4 bzw. Abs. 2. ¦Danach nicht.",
    "Das gilt z.B. für Reisen. ¦Am 3. Oktober ist frei. ¦Das Jahr 5. ¦Der Rest.",
    "M. Dupont et Mme Durand sont là. ¦Ils partent. ¦Voir p. ex. le point 2.",
    "« C'est fini. » ¦Il part.",
    // Numbers, versions, addresses, files, times.
    "It costs 1.50 or 1,000.75 euros. ¦Use v1.2.3. ¦Then v2.0 follows.",
    "See https://example.org/a.b?c=d.e for more. ¦Edit config.yaml or .env now. ¦Run ./x.sh.",
    "Mail a.b@example.org. ¦Wait at 8.30 or 20.15. ¦It was 1999. ¦Then 2000 came.",
    "Use std.io.Reader and System.Out here. ¦Call foo.Bar() now.",
    // Ellipses.
    "Wait... and see. ¦Wait... ¦Then see. ¦Wait… then… ¦Go. ¦So...what now.",
    // Quotations and brackets.
    "He said \"Stop.\" ¦Then he left. ¦(It was late.) ¦“All of it!” ¦They went.",
    "**Done.** ¦Next *one.* ¦Last.",
    "What?! ¦Really!! ¦Yes.",
    // No space after the stop.
    "This is the end.¦Next comes more. ¦Or is it?¦Yes it is.",
    // Other scripts.
    "一文。¦二文！¦三文？¦「四。」¦五文",
    "这是第一句。¦版本3.5发布了。¦“好！”¦完",
    "हाँ यह सही है। ¦अगला वाक्य है। ¦ठीक",
    "هل هذا صحيح؟ ¦نعم. ¦هذا كل شيء۔ ¦تم",
    "ประโยคแรก ประโยคที่สอง\n¦บรรทัดใหม่",
    "Это т. е. так. ¦Да. ¦Нет.",
];

const LAYOUT: &[&str] = &[
    // Broken lines go on; others do not.
    "Five days may be\ncarried over. ¦They\nlapse.\n¦Then\n¦More\n\n¦end",
    "# Leave\n¦Five days. ¦They lapse.\n¦## Rest\n\n¦None.",
    "The steps are:\n¦1. Open it. ¦Look inside.\n¦2. Close it.\n¦10) Go\n¦Done.",
    "- One\n¦- Two. ¦Three\n¦  * Four that is\n    broken\n¦+ Five\n¦• Six",
    "**1.** First. ¦Second.\n¦3.2. Scope of it. ¦End.\n¦a) one\n¦b. two e.g. this",
    "Prices:\n¦| Item | Price. A |\n¦|---|---|\n¦| Meal. Big | 28.50 |\n¦| Bed | 90 |\n¦After.",
    "| A | B |\n¦| :--: | -- |\n¦| 1 | 2 |\n\n¦| no | header |\n¦| at | all |",
    "Run it:\n¦```sh\na. B\n\n# c. D\n```\n¦Then `x. Y` and `a` `b. C`. ¦End.",
    "~~~~\n~~~\nX. Y\n~~~~\n¦After. ¦```x. Y``` is code. ¦Z.",
    "- ```\n  a. B\n  ```\n¦- `c`. ¦D",
    "> Quoted. ¦Again.\n¦> More.",
    "Title\n¦---\n¦Text. ¦More.",
];

#[test]
fn sentences_end_where_a_reader_ends_them() {
    for marked in PROSE.iter().chain(LAYOUT) {
        let expected: Vec<&str> = marked.split('¦').collect();
        let found = held(&marked.replace('¦', ""));
        let found: Vec<&str> = found.iter().map(|sentence| sentence.text.as_str()).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_text_falls_into_the_same_sentences_as_a_stream() {
    for marked in PROSE.iter().chain(LAYOUT) {
        let text = marked.replace('¦', "");
        let streamed = held(&text);
        let streamed = streamed.iter().map(|sentence| sentence.text.trim());
        let expected: Vec<&str> = streamed.filter(|text| text.chars().any(char::is_alphabetic)).collect();
        assert_eq!(sentences_of(&text), expected);
    }
    assert!(sentences_of(" \n ---").is_empty());
}

#[test]
fn citations_belong_to_the_sentence_before_them() {
    let found = held_in(vec![
        Passed::Text("One.".to_owned()),
        Passed::Citation(1),
        Passed::Text(" Two 2.5".to_owned()),
        Passed::Citation(2),
        Passed::Text(". ".to_owned()),
        Passed::Citation(3),
        Passed::Text(" Three".to_owned()),
    ]);
    let found: Vec<_> = found.iter().map(|sentence| (sentence.text.as_str(), &sentence.citations[..])).collect();
    assert_eq!(found, [("One.[1] ", &[1][..]), ("Two 2.5[2]. [3] ", &[2, 3]), ("Three", &[])]);
}

/// A sentence with what it cites.
type Cited = (&'static str, &'static [u32]);

const CITED: &[(&str, &[Cited])] = &[
    ("End.[^1]Next.[^2]", &[("End.[1]", &[1]), ("Next.[2]", &[2])]),
    ("In the U.S.[^1] Offices.[^2]", &[("In the U.S.[1] ", &[1]), ("Offices.[2]", &[2])]),
    ("In the U.S. It[^1] is.", &[("In the U.S. ", &[]), ("It[1] is.", &[1])]),
    ("See e.g.[^1] Smith.[^2]", &[("See e.g.[1] Smith.[2]", &[1, 2])]),
    ("- a[^1]\n- b\n[^2]\n\nc[^3]", &[("- a[1]\n", &[1]), ("- b\n[2]\n\n", &[2]), ("c[3]", &[3])]),
    ("| a[^1] |\n| b[^2] |[^3]\n", &[("| a[1] |\n", &[1]), ("| b[2] |[3]\n", &[2, 3])]),
    ("```\nx\n```\n[^1]\nThen.", &[("```\nx\n```\n[1]\n", &[1]), ("Then.", &[])]),
    ("[^1]\n\nOne.", &[("[1]\n\nOne.", &[1])]),
    ("一。[^1]二。[^2]", &[("一。[1]", &[1]), ("二。[2]", &[2])]),
];

#[test]
fn citations_are_kept_apart_in_every_form() {
    for (text, expected) in CITED {
        let found = held(text);
        let found: Vec<_> = found.iter().map(|sentence| (sentence.text.as_str(), &sentence.citations[..])).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

#[test]
fn what_orders_an_answer_by_its_form_is_structure_whatever_its_words() {
    let structure = [
        "# Leave\n",
        "###### 3.2 Scope\n",
        "**Carry-over**\n",
        "**Carry-over:**\n",
        "The steps are:\n",
        "- Allowed:\n",
        "---\n",
        "| Item | 2026 |\n|---|---|\n",
        "***\n",
        "以下：\n",
        "# The limit is 500 euros\n",
        "The limit is 500 euros, namely:\n",
        "One two three four five six seven eight nine ten eleven twelve thirteen:\n",
    ];
    for text in structure {
        assert!(held(text).iter().all(|sentence| sentence.kind == Kind::Structure), "{text:?} {:?}", held(text));
    }
    let claims = [
        "Five hundred\n",
        "42.",
        "#1\n",
        "#hashtag\n",
        "# Leave[^1]\n",
        "- item\n",
        "| a | b |\n| c | d |\n",
        "```\nx\n```\n",
        "**Five days. All of them.**\n",
    ];
    for text in claims {
        assert!(held(text).iter().all(|sentence| sentence.kind == Kind::Claim), "{text:?} {:?}", held(text));
    }
}

/// What is shown if only sentences with a citation are.
fn render(text: &str) -> String {
    let mut structure = WaitingStructure::default();
    let mut shown = String::new();
    for sentence in held(text) {
        match sentence.kind {
            Kind::Structure => structure.hold(sentence),
            Kind::Claim if sentence.citations.is_empty() => structure.dropped(),
            Kind::Claim | Kind::Policy => {
                structure.before(&sentence).iter().for_each(|structure| shown.push_str(&structure.text));
                shown.push_str(&sentence.text);
            }
        }
    }
    shown
}

#[test]
fn structure_is_shown_only_with_what_it_orders() {
    let cases = [
        ("# A\nNo.\n# B\nYes.[^1]\n# C\n", "# B\nYes.[1]\n"),
        ("# A\n## B\nNo. Yes.[^1]", "# A\n## B\nYes.[1]"),
        ("# A\n## B\nNo.\n## C\nYes.[^1]", "# A\n## C\nYes.[1]"),
        ("So it is:\n- no\n- yes[^1]\n- more[^2]\n", "So it is:\n- yes[1]\n- more[2]\n"),
        ("So it is:\n- no\n\nElse.[^1]", "Else.[1]"),
        ("|A|B|\n|-|-|\n|no|no|\n|yes[^1]|yes|\n", "|A|B|\n|-|-|\n|yes[1]|yes|\n"),
        ("Yes.[^1]\n\n---\n\nNo.", "Yes.[1]\n\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(render(text), expected, "{text:?}");
    }
}

#[test]
fn a_sentence_is_let_go_with_the_first_sign_that_proves_its_end() {
    // (what was read, what proves the end)
    let cases = [
        ("One. ", "T"),
        ("One.\n", "T"),
        ("# One\n", "T"),
        ("- One\n", "-"),
        ("一。", "二"),
        ("The U.S. It", " "),
        ("The U.S. Th", "e "),
        ("Am 3. D", "as"),
        ("Until 8 a.m. T", "a"),
        ("the end.Next", " "),
    ];
    for (read, proof) in cases {
        let mut holder = SentenceHolder::default();
        assert!(holder.push(Passed::Text(read.to_owned())).is_empty(), "{read:?}");
        assert_eq!(holder.push(Passed::Text(proof.to_owned())).len(), 1, "{read:?}{proof:?}");
    }
}

#[test]
fn no_sentence_is_held_for_ever() {
    for endless in ["word ", "ウ", "a. b ", "`x", "| x ", "# y ", "```\nline\n", "e.g. ", "word\n", "word. word\n"] {
        let mut holder = SentenceHolder::default();
        let whole = holder.push(Passed::Text(format!("{endless}{}", endless.repeat(2 * LONGEST))));
        assert!(!whole.is_empty(), "{endless:?}");
        for sentence in whole {
            assert!(sentence.text.chars().count() <= LONGEST + 500, "{endless:?}");
        }
    }
    let words = held(&"word ".repeat(2_000));
    assert!(words.iter().all(|sentence| sentence.text.ends_with("word ")), "cut between words");
}

proptest::proptest! {
    #[test]
    fn nothing_is_lost_and_it_does_not_matter_how_the_stream_was_cut(
        input in proptest::collection::vec(
            proptest::prop_oneof![
                proptest::sample::select(vec![
                    ". ", ".", "! ", "?", "\n", "\n\n", " ", "The", "It", "e.g.", "U.S.", "No.", "3", "3. ", "a) ", "`",
                    "```", "```\n", "~~~", "| ", "|", "-", "- ", "# ", "**", "\"", ")", ":", ":\n", "。", "、", "文", "ไทย",
                    "।", "؟", "…", "...", "x", "Word", "word", "end.Next", "[^1]", "[^2]", "v1.2", "\u{0}", "é", "😀",
                    "Oktober", "a.m.", "Monday",
                ]).prop_map(str::to_owned),
                "\\PC{0,4}",
            ],
            0..60,
        ),
        cuts in proptest::collection::vec(1_usize..6, 1..8),
    ) {
        let passed = pieces(&input.concat());
        let whole = held_in(passed.clone());
        // All sentences together are the text.
        let text: String = passed.iter().map(|passed| match passed {
            Passed::Text(text) => text.replace('\0', "\u{fffd}"),
            Passed::Citation(number) => format!("[{number}]"),
        }).collect();
        let together: String = whole.iter().map(|sentence| sentence.text.as_str()).collect();
        proptest::prop_assert_eq!(&together, &text);
        let cited = whole.iter().map(|sentence| sentence.citations.len()).sum::<usize>();
        proptest::prop_assert_eq!(cited, passed.iter().filter(|passed| matches!(passed, Passed::Citation(_))).count());
        // Cut into pieces of these sizes, over and over.
        let mut sizes = cuts.iter().copied().cycle();
        let pieces = passed.into_iter().flat_map(|passed| match passed {
            Passed::Citation(_) => vec![passed],
            Passed::Text(text) => {
                let characters: Vec<char> = text.chars().collect();
                let mut rest = &characters[..];
                let mut pieces = Vec::new();
                while !rest.is_empty() {
                    let (piece, later) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()));
                    pieces.push(Passed::Text(piece.iter().collect()));
                    rest = later;
                }
                pieces
            }
        });
        proptest::prop_assert_eq!(held_in(pieces.collect()), whole);
    }
}
