//! What a document writes that looks like a citation of ours, and what does not.

use proptest::prelude::*;

use super::*;

#[test]
fn look_alikes_of_citations_are_in_round_brackets() {
    for (text, expected) in [
        ("As shown in [2].", "As shown in (2)."),
        ("said.[^3] More", "said.(3) More"),
        ("a【2】b", "a(2)b"),
        ("a［２］b", "a(２)b"),
        ("a【4:0†source】b", "a(4:0†source)b"),
        ("[1, 2] and [1–3] and [1][2]", "(1, 2) and (1–3) and (1)(2)"),
        ("[ 2 ], [2\n]", "(2), (2)"),
        ("[**2**] and [`2`]", "(2) and (2)"),
        (r"\[2\]", "(2)"),
        ("[٣] [②] [²] [Ⅷ]", "(٣) (②) (²) (Ⅷ)"),
        ("[[2]]", "[(2)]"),
        ("[2](https://example.org)", "(2)(https://example.org)"),
        ("[2]: https://example.org", "(2): https://example.org"),
        ("[2］ ⟦2⟧ 〔2〕 ❲2❳ ﹇2﹈", "(2) (2) (2) (2) (2)"),
        ("items[0] = 1", "items(0) = 1"),
        ("[^1, ^2]", "(1, 2)"),
    ] {
        assert_eq!(quoted(text), expected, "{text:?}");
    }
}

#[test]
fn other_brackets_stay() {
    for text in [
        "",
        "plain",
        "(2) and m² and 10³ and ①",
        "[sic] [citation needed] [x]",
        "[",
        "[2",
        "2]",
        "[]",
        "[^a-z]+",
        "[^/]",
        "【注意】",
        "【第2章】",
        "[2 weeks]",
        "[v2]",
        "[-]",
        "[see ADR-2]",
        "「2」",
        "{2}",
        "<2>",
    ] {
        assert_eq!(quoted(text), text);
    }
}

#[test]
fn citations_of_ours_stay_beside_what_is_quoted() {
    assert_eq!(quoted_beside("As in [7] it is so.[1][2]", &[1, 2]), "As in (7) it is so.[1][2]");
    assert_eq!(quoted_beside("［1］ [^1] [01] [1]", &[1]), "(1) (1) (01) [1]");
    assert_eq!(numbers("a [1] b[12] [^3] [x] [4, 5] [99999999999] [2"), [1, 12]);
}

#[test]
fn citations_are_taken_out_and_put_behind() {
    assert_eq!(without_markers("a[1] [x] b[23]"), "a [x] b");
    assert_eq!(with_marker("Done! ", 3), "Done! [3] ");
}

/// What a chat program or a page links: a number, or several, in square brackets of any shape.
fn is_linked(text: &str) -> bool {
    let places = text.char_indices().filter(|(_, sign)| opens(*sign));
    places.into_iter().any(|(place, sign)| {
        let after = &text[place + sign.len_utf8()..];
        let inner: String = after.chars().take_while(|sign| !closes(*sign)).collect();
        let is_closed = after.len() > inner.len();
        let has_number = inner.chars().any(char::is_numeric);
        let is_plain = |sign: char| sign.is_numeric() || " ,^*–-".contains(sign);
        is_closed
            && has_number
            && inner.starts_with(|sign: char| sign.is_numeric() || "^* ".contains(sign))
            && inner.chars().all(is_plain)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_that_is_quoted_looks_like_a_citation_of_ours(
        parts in prop::collection::vec(prop::sample::select(vec![
            "[", "]", "【", "】", "［", "］", "〔", "〕", "⟦", "⟧", "^", "\\", "*", "**", "1", "2", "12", "２", "²", "③", "٣",
            ",", ", ", "–", "-", " ", "\n", "a", "文", "(", ")", "†", "source", ":", "#", "`", "said.", "[1]", "[^2]",
        ]), 0..20),
    ) {
        let text = parts.concat();
        let once = quoted(&text).into_owned();
        prop_assert!(!is_linked(&once), "{once:?} of {text:?}");
        prop_assert!(numbers(&once).is_empty(), "{once:?} of {text:?}");
        prop_assert_eq!(quoted(&once).into_owned(), once);
    }
}
