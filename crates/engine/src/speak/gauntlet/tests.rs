//! Hostile and odd outputs, whole and cut anywhere.

use proptest::strategy::Strategy as _;

use ibidem_language::markers::numbers;

use super::*;

/// `input` with three notes minted, as it reads afterwards: citations as ⟨n⟩.
fn filtered(input: &str) -> String {
    let (passed, _) = run(3, input);
    written(&passed)
}

fn written(passed: &[Passed]) -> String {
    let parts = passed.iter().map(|passed| match passed {
        Passed::Text(text) => text.clone(),
        Passed::Citation(number) => format!("⟨{number}⟩"),
    });
    parts.collect()
}

/// (what the model wrote, what may come out)
const CASES: [(&str, &str); 76] = [
    // Plain and right.
    ("", ""),
    ("No marker.", "No marker."),
    ("One.[^1]", "One.⟨1⟩"),
    ("One [^1] two [^2].", "One ⟨1⟩ two ⟨2⟩."),
    ("[^3]", "⟨3⟩"),
    ("Both.[^1][^2]", "Both.⟨1⟩⟨2⟩"),
    ("Again.[^1] And.[^1]", "Again.⟨1⟩ And.⟨1⟩"),
    ("Back.[^1][^2][^1]", "Back.⟨1⟩⟨2⟩⟨1⟩"),
    // Not minted.
    ("Four.[^4]", "Four."),
    ("Zero.[^0]", "Zero."),
    ("Large.[^99999999999999999999]", "Large."),
    ("Negative.[^-1]", "Negative."),
    ("Spelt.[^01]", "Spelt."),
    // Repeated.
    ("Twice.[^1][^1]", "Twice.⟨1⟩"),
    ("Twice.[^1] [^1]", "Twice.⟨1⟩ "),
    ("Thrice.[^2]\n[^2][^2] x", "Thrice.⟨2⟩\n x"),
    // Malformed.
    ("Empty.[^]", "Empty."),
    ("Word.[^one]", "Word."),
    ("Space.[^ 1]", "Space."),
    ("Space.[^1 ]", "Space."),
    ("Space.[ ^1]", "Space."),
    ("Two.[^1,2]", "Two."),
    ("Two.[^1, ^2]", "Two."),
    ("Range.[^1-2]", "Range."),
    ("Caret.[^^1]", "Caret."),
    ("Point.[^1.5]", "Point."),
    ("Hex.[^0x1]", "Hex."),
    ("Star.[^*]", "Star."),
    ("Note: [^1]: text", "Note: ⟨1⟩: text"),
    // Never closed.
    ("Open.[^1", "Open."),
    ("Open.[^", "Open."),
    ("Open.[", "Open."),
    ("Open.[^1\nNext.[^2]", "Open.\nNext.⟨2⟩"),
    ("Open [^1 and more text", "Open  and more text"),
    ("An interval [0, 1) here", "An interval [0, 1) here"),
    ("Close.^1]", "Close.^1]"),
    ("Close.]", "Close.]"),
    // Nested.
    ("[[^1]]", "⟨1⟩"),
    ("[[^9]]", ""),
    ("[^[^1]]", "^⟨1⟩"),
    ("[^1[^2]]", "^1⟨2⟩"),
    ("[see [^1]]", "see ⟨1⟩"),
    ("[[^9]^1]", "^1"),
    ("[[^9]1]", "1"),
    ("[[[^2]]]", "⟨2⟩"),
    ("[[card:7]]", ""),
    // Other brackets.
    ("Wide.［^1］", "Wide."),
    ("Lenticular.【1】", "Lenticular."),
    ("Lenticular.【1†source】", "Lenticular."),
    ("Lenticular.【^1", "Lenticular."),
    ("Half.】", "Half."),
    ("Shell.〔2〕", "Shell."),
    ("White.⟦1⟧", "White."),
    ("Mixed.[^1】", "Mixed."),
    ("Mixed.【^1]", "Mixed."),
    ("Wide caret.[＾1]", "Wide caret."),
    ("Wide digit.[^１]", "Wide digit."),
    // Another citation style.
    ("Plain.[1]", "Plain."),
    ("Plain.[1, 2]", "Plain."),
    ("Plain.[3-5]", "Plain."),
    ("Year [2024] too", "Year  too"),
    // The machinery's own shapes.
    ("Source.[SourceId: doc:3]", "Source."),
    ("Source.[source_id=7]", "Source."),
    ("Source.[8677bcd6-084a-578e-b521-a765c81156fd:0]", "Source."),
    ("Source.[^8677bcd6-084a-578e-b521-a765c81156fd:0]", "Source."),
    ("Action.[action:open]", "Action."),
    ("Tool.[Tool: price(3)]", "Tool."),
    ("Doc.[doc#12]", "Doc."),
    // Ordinary brackets.
    ("As [sic] written", "As [sic] written"),
    ("[A link](https://example.org/a_(b))", "[A link](https://example.org/a_(b))"),
    ("- [ ] open\n- [x] done", "- [ ] open\n- [x] done"),
    ("He said \"[the] rule\"", "He said \"[the] rule\""),
    // Code and tables.
    ("`a[1]` and ```\nb[2]\n``` but c[3]", "`a(1)` and ```\nb(2)\n``` but c"),
    ("`x[^1]`", "`x⟨1⟩`"),
    ("| a [^1] | b [^7] |\n|---|---|\n| [2] | [^2] |", "| a ⟨1⟩ | b  |\n|---|---|\n|  | ⟨2⟩ |"),
    ("Emoji 😀[^1]é[^2]漢", "Emoji 😀⟨1⟩é⟨2⟩漢"),
];

#[test]
fn hostile_and_odd_outputs_come_out_as_they_should() {
    for (input, expected) in CASES {
        assert_eq!(filtered(input), expected, "{input:?}");
    }
}

#[test]
fn where_the_stream_is_cut_changes_nothing() {
    for (input, _) in CASES {
        let whole = run(3, input);
        for first in 0..=input.len() {
            for second in first..=input.len() {
                let mut gauntlet = Gauntlet::new(3);
                let bytes = input.as_bytes();
                let mut passed = gauntlet.push(&bytes[..first]);
                passed.extend(gauntlet.push(&bytes[first..second]));
                passed.extend(gauntlet.push(&bytes[second..]));
                passed.extend(gauntlet.finish());
                assert_eq!((joined(passed), gauntlet.counts()), whole, "{input:?} cut at {first} and {second}");
            }
        }
    }
}

#[test]
fn every_drop_is_counted_by_its_kind() {
    let (_, counts) = run(2, "[^1] a [^1][^1] b [^9] c [^x] d [doc:1] e");
    assert_eq!(counts, MarkerCounts { expanded: 2, not_minted: 1, malformed: 1, repeated: 1, internal: 1 });
    assert_eq!(counts.dropped(), 4);
}

#[test]
fn a_bracket_that_never_closes_is_not_held_for_ever() {
    let mut gauntlet = Gauntlet::new(1);
    let passed = gauntlet.push(format!("[{}", "a".repeat(LONGEST_GROUP + 10)).as_bytes());
    assert!(matches!(&passed[..], [Passed::Text(text)] if text.len() > LONGEST_GROUP));
}

#[test]
fn brackets_however_deep_and_many_are_read_in_bounded_steps_and_stack() {
    const MANY: usize = 100_000;
    let outputs = [
        "[".repeat(MANY),
        "]".repeat(MANY),
        format!("{}{}", "[".repeat(MANY), "]".repeat(MANY)),
        "[]".repeat(MANY),
        "[^".repeat(MANY),
        "[a".repeat(MANY),
        "[a [^1] ".repeat(MANY / 8),
        "【[".repeat(MANY / 2),
        format!("{}\n", "[x".repeat(7)).repeat(MANY / 15),
        format!("{}\n", "[".repeat(300)).repeat(MANY / 300),
        format!("[{}", "a".repeat(390)).repeat(MANY / 391),
    ];
    // A stack that would not last for a thousandth of these, if each bracket took a call.
    let reading = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || {
        for output in outputs {
            let mut gauntlet = Gauntlet::new(3);
            gauntlet.push(output.as_bytes());
            gauntlet.finish();
            let characters = output.chars().count();
            assert!(gauntlet.looks <= 50 * characters, "{} looks at {characters}", gauntlet.looks);
        }
    });
    reading.unwrap().join().unwrap();
}

#[test]
fn what_nobody_sees_neither_comes_out_nor_hides_a_marker() {
    for (input, expected) in [
        ("One.[\u{200b}^1]", "One.⟨1⟩"),
        ("One.[^\u{202e}9\u{202c}]", "One."),
        ("pay \u{202e}lla\u{202c} now\u{fe0f}\u{0}", "pay lla now"),
        ("a\r\nb\rc\u{2028}d", "a\nb\nc\nd"),
    ] {
        assert_eq!(filtered(input), expected, "{input:?}");
    }
}

/// What must hold of anything that comes out.
fn assert_clean(minted: u32, passed: &[Passed]) {
    for part in passed {
        match part {
            Passed::Citation(number) => assert!((1..=minted).contains(number)),
            Passed::Text(text) => {
                assert!(!text.contains("[^") && numbers(text).is_empty(), "{text:?}");
                assert!(!text.contains(is_unseen), "{text:?}");
                assert!(!text.contains(['【', '】', '［', '］', '〔', '〕']), "{text:?}");
            }
        }
    }
    // Nor may two texts make a marker together, with a citation taken out between them.
    let all: String =
        passed.iter().map(|part| if let Passed::Text(text) = part { text.as_str() } else { "" }).collect();
    assert!(!all.contains("[^"), "{all:?}");
}

proptest::proptest! {
    #[test]
    fn nothing_outside_the_minted_set_comes_out_however_it_is_cut(
        input in proptest::collection::vec(
            proptest::prop_oneof![
                proptest::sample::select(vec![
                    "[", "]", "^", "[^", "[^1]", "[^2]", "[^9]", "1", "2", "】", "【", "［", "］", "`", "```", "\n", " ",
                    "doc:", "source", "a", "é", "\r", "\u{200b}", "\u{202e}", "漢", "😀", "[[", "]]", "(", ")", ",", "-", "†", "[x]", "[1]",
                ]).prop_map(str::to_owned),
                "\\PC{0,6}",
            ],
            0..40,
        ),
        cuts in proptest::collection::vec(0_usize..400, 0..8),
        minted in 0_u32..4,
    ) {
        let text: String = input.concat();
        let bytes = text.as_bytes();
        let whole = run(minted, &text);
        assert_clean(minted, &whole.0);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let mut gauntlet = Gauntlet::new(minted);
        let mut passed = Vec::new();
        let mut from = 0;
        for cut in cuts {
            passed.extend(gauntlet.push(&bytes[from..cut]));
            from = cut;
        }
        passed.extend(gauntlet.finish());
        proptest::prop_assert_eq!((joined(passed), gauntlet.counts()), whole);
    }
}

fn citations(minted: u32, written: &str) -> (Vec<u32>, MarkerCounts) {
    let mut gauntlet = Gauntlet::new(minted);
    let mut passed = gauntlet.push(written.as_bytes());
    passed.extend(gauntlet.finish());
    let cited = passed.into_iter().filter_map(|passed| match passed {
        Passed::Citation(number) => Some(number),
        Passed::Text(_) => None,
    });
    (cited.collect(), gauntlet.counts())
}

#[test]
fn test_extract_citations_valid() {
    let (cited, counts) = citations(3, "According to the policy[^2], staff get ten days.[^1][^3]");
    assert_eq!((cited, counts.expanded, counts.dropped()), (vec![2, 1, 3], 3, 0));
}

#[test]
fn test_extract_citations_invalid() {
    let (cited, counts) = citations(2, "Ten days.[^9] Five.[SourceId: abc123:0] Two.[^x] One.[^2]");
    assert_eq!((cited, counts.expanded), (vec![2], 1));
    assert_eq!(counts.dropped(), 3, "{counts:?}");
}
