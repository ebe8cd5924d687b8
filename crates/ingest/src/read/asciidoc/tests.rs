use super::*;

const POOL: &str = include_str!("../../../tests/fixtures/pool.adoc");

fn check(text: &str, expected: &str) {
    assert_eq!(extract(text).unwrap().text, expected, "{text}");
}

#[test]
fn a_document_is_read_as_people_see_it() {
    let read = extract(POOL).unwrap();
    assert_eq!(
        read.text,
        "The pool\n\nThe pool of Northtown has two basins. See Prices for what it costs.\n\nHours\n\n- Monday to Friday: 9 to 18\n- Saturday: 10 to 14\n\nNote: Closed on public holidays (note: And on 24 December.).\n\nPrices\n\nWho | Price\nAdults | 6 EUR\nChildren | 3 EUR\n\nHow to book\n\n1. Open the page.\n  - by phone\n  - by computer\n2. Run this:\nbook --basin 1\n  1. The basin."
    );
    assert_eq!(read.title.as_deref(), Some("The pool"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Hours", "Prices", "How to book"]);
    assert_eq!(read.remarks, ["1 parts that other files hold were left out: rules.adoc"]);
    assert_eq!(read.stated.updated_at.unwrap().to_rfc3339(), "2027-01-31T00:00:00+00:00");
}

#[test]
fn marks_of_words_are_not_words() {
    let cases = [
        (
            "*bold* and _slanted_, `code` and **b**old, 2 * 3 * 4, snake_case_name",
            "bold and slanted, code and bold, 2 * 3 * 4, snake_case_name",
        ),
        (
            "https://example.org[our page^] and https://example.org/a_b_c, link:/x.html[that,window=_blank]",
            "our page and https://example.org/a_b_c, that",
        ),
        (
            "See xref:set-up.adoc#first_steps[], xref:a.adoc[this] and <<what-else>>.",
            "See first steps, this and what else.",
        ),
        ("H~2~O, x^2^, [.big]#large#, `+{literal}+`, +++<u>+++raw+++</u>+++", "H2O, x2, large, {literal}, <u>raw</u>"),
        (
            "\"`Quoted`\" -- really, kbd:[Ctrl+C], menu:File[Open > Recent], ((index)) term(((hidden)))",
            "“Quoted” — really, Ctrl+C, File › Open › Recent, index term",
        ),
        (
            "\\*not bold*, image:x.png[A cat], icon:check[role=green]done, {unknown} {url}core.html#a[Core]",
            "*not bold*, A cat, done, {unknown} Core",
        ),
        ("one +\ntwo\nthree", "one\ntwo three"),
        ("WARNING: Hot.", "Warning: Hot."),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
}

#[test]
fn what_is_set_is_filled_in_and_decides_what_is_read() {
    check(":product: Ibidem\n:long: The {product}\n\n{long} is here.", "The Ibidem is here.");
    check(
        ":x:\n\nifdef::x[]\none\nendif::[]\n\nifdef::y[]\ntwo\nifdef::x[]\nthree\nendif::[]\nendif::[]\n\nifndef::y[four]",
        "one\n\nfour",
    );
    check("// a remark\n////\nhidden\n////\nseen", "seen");
}

#[test]
fn lists_and_blocks_lie_in_each_other() {
    check("* a\n** b\n+\nmore of b\n\n* c\n\n- d\n\nEnd.", "- a\n  - b\n    more of b\n- c\n  - d\n\nEnd.");
    check(". one\n+\n[NOTE]\n====\nMind this.\n\n* x\n====\n. two", "1. one\n  Note: Mind this.\n  - x\n2. two");
    check("Term::\n\nWords of it.\n\nOther:: Words.", "- Term: Words of it.\n- Other: Words.");
    check("* [*] done\n* [ ] open", "- [x] done\n- [ ] open");
    check(
        "[source]\ncode _as_ is\n\n  indented\n    more\n\n....\nliteral *x*\n....",
        "code _as_ is\n\nindented\n  more\n\nliteral *x*",
    );
    check(
        "[WARNING]\n.Hot\n====\n----\ncode // <1>\n----\n<1> Why.\n====\nAfter.",
        "Hot\n\nWarning:\n\ncode\n\n1. Why.\n\nAfter.",
    );
}

#[test]
fn tables_have_the_columns_they_say() {
    check("|===\n|a |b\n\n|c\n|d\n|===", "a | b\nc | d");
    check("[cols=\"1,2a,1\"]\n|===\n|a\n|b\nmore\n|c\n2+|d e\n|f\n|===", "a | b more | c\nd e |  | f");
    check("[cols=\"2*\"]\n|===\n.2+|a |b\n|c\n2*|x\n|===", "a | b\na | c\nx | x");
    check(",===\na,b\nc,\"d\"\n,===", "a | b\nc | d");
}

#[test]
fn headings_of_both_forms_are_headings() {
    let read = extract("Title\n=====\nAnna Bell\nv1.0\n\nText.\n\nPart\n----\n\nMore.\n\n=== Deep\n\n# Also").unwrap();
    assert_eq!(read.text, "Title\n\nText.\n\nPart\n\nMore.\n\nDeep\n\nAlso");
    assert_eq!((read.title.as_deref(), read.sections.len()), (Some("Title"), 3));
}

#[test]
fn what_is_hostile_ends_within_its_limits() {
    let words = "<<x>> ".repeat(30_000);
    let cases = [
        "*".repeat(30_000),
        "[".repeat(30_000),
        "`*_#".repeat(10_000),
        "====\n=====\n".repeat(5_000),
        (1..2_000).map(|depth| format!("{} x\n", "*".repeat(depth % 6))).collect(),
        "ifdef::a[]\n".repeat(10_000),
        format!(":a: {}\n\n{}", "x".repeat(400), "{a}".repeat(10_000)),
        format!("[[x]]\n== {}\n\n{words}", "long ".repeat(60)),
        "|===\n500*|x\n".repeat(500),
        "http://".repeat(5_000),
        "a:: ".repeat(5_000),
    ];
    for text in cases {
        let _ = extract(&text);
    }
    assert!(extract(&"\n".repeat(2_000_001)).unwrap_err().to_string().contains("2 million lines"));
    assert_eq!(extract("// nothing"), Err(ReadError::NoText { format: Format::AsciiDoc }));
}
