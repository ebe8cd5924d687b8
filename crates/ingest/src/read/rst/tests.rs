use super::*;

const WINTER: &str = include_str!("../../../tests/fixtures/winter.rst");

fn check(text: &str, expected: &str) {
    assert_eq!(extract(text).unwrap().text, expected, "{text}");
}

#[test]
fn a_document_is_read_as_people_see_it() {
    let read = extract(WINTER).unwrap();
    assert_eq!(
        read.text,
        "Winter service\n\n- Author: nobody\n\nNorthtown clears its roads by priority. See Roads and the map of the town (note 1).\n\nRoads\n\nWarning: Ice may form before snow falls.\n\nRoad | Cleared by\nMain streets | 6 o'clock\nSide streets | noon, or later\n\nGrit | Where\nSand | on slopes\n\nWho helps\n\n- Residents: clear the pavement:\n  1. in the morning,\n  2. once more at noon.\n\nRun this for a list of helpers:\n\nhelpers --town Northtown\n\n$ helpers --all\n\nNew in version 2.1: Side streets.\n\nNote 1: Printed every year."
    );
    assert_eq!(read.title.as_deref(), Some("Winter service"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Roads", "Roads > Who helps"]);
    assert_eq!(read.remarks, ["1 parts that other files hold were left out: phones.txt"]);
}

#[test]
fn marks_of_words_are_not_words() {
    let cases = [
        (
            "**bold**, *slanted*, ``co*de``, 2 * 3 * 4, *args and **kwargs",
            "bold, slanted, co*de, 2 * 3 * 4, *args and **kwargs",
        ),
        (
            ":func:`~os.path.join`, :doc:`/usage/first-steps`, :ref:`here <there>`, `x`:sub:",
            "join, first steps, here, x",
        ),
        (
            ".. _Python: https://example.org\n\nPython_ has __init__ and under_scores_.",
            "Python has __init__ and under_scores_.",
        ),
        ("`a link <https://example.org>`__ and `another`_, [CIT2002]_.", "a link and another, (note CIT2002)."),
        ("H\\ :sub:`2`\\ O, \\*not slanted\\*", "H2O, *not slanted*"),
        ("| one\n| two", "one\ntwo"),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
}

#[test]
fn lists_and_fields_are_lists() {
    check("* a\n\n  more\n\n  - b\n* c", "- a\n  more\n  - b\n- c");
    check(
        "Text.\n\n:param int width: The width.\n:returns: Nothing.",
        "Text.\n\n- width: The width.\n- returns: Nothing.",
    );
    check("-v, --verbose  Says more.\n-q             Says less.", "- -v, --verbose: Says more.\n- -q: Says less.");
    check("A. Einstein was\nhere.", "A. Einstein was here.");
}

#[test]
fn directives_are_what_they_show() {
    check(".. note::\n   :class: x\n\n   Mind this.\n\n   * a", "Note: Mind this.\n\n- a");
    check(".. py:function:: join(a, b)\n   join(a)\n\n   Joins.", "join(a, b)\n\njoin(a)\n\nJoins.");
    check(
        ".. list-table:: Prices\n   :header-rows: 1\n\n   * - Who\n     - Price\n   * - Adults\n     - 6\n       EUR",
        "Prices\n\nWho | Price\nAdults | 6 EUR",
    );
    check(".. csv-table::\n   :header: a, b\n\n   1, \"x, y\"", "a | b\n1 | x, y");
    check(
        "Seen.\n\n.. toctree::\n   :maxdepth: 2\n\n   one\n   two\n\n.. image:: x.png\n   :alt: A cat\n\n.. raw:: html\n\n   <b>",
        "Seen.\n\nA cat",
    );
    check("Code::\n\n    a\n      b\n\n>>> 1 + 1\n2", "Code:\n\na\n  b\n\n>>> 1 + 1\n2");
}

#[test]
fn what_is_hostile_ends_within_its_limits() {
    let stairs: String = (0..1_000).map(|depth| format!("{}* x\n", " ".repeat(depth * 2))).collect();
    let cases = [
        stairs,
        "`".repeat(30_000),
        "*a ".repeat(10_000),
        ":a:`".repeat(10_000),
        "==  ==\n".repeat(10_000),
        "+-+\n".repeat(10_000),
        "+\n".repeat(10_000),
        "* - ".repeat(10_000),
        ".. note:: ".repeat(5_000),
        "a\n b\n".repeat(10_000),
        format!(".. |x| replace:: {}\n\n{}", "long ".repeat(1_000), "|x| ".repeat(5_000)),
    ];
    for text in cases {
        let _ = extract(&text);
    }
    assert_eq!(extract(".. nothing"), Err(ReadError::NoText { format: Format::ReStructuredText }));
}
