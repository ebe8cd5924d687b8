use super::*;

fn read(body: &str) -> ReadDocument {
    extract(format!("{{\\rtf1\\ansi\\ansicpg1252\\deff0{{\\fonttbl{{\\f0 Arial;}}{{\\f1\\fcharset204 Arial CYR;}}{{\\f2\\fcharset2 Symbol;}}}}{body}}}").as_bytes()).unwrap()
}

fn check(body: &str, expected: &str) {
    assert_eq!(read(body).text, expected, "{body}");
}

const STYLES: &str = "{\\stylesheet{Normal;}{\\s1\\outlinelevel0 heading 1;}{\\s2\\sbasedon1\\outlinelevel1 heading 2,Teil;}{\\*\\cs10 Default;}{\\s15 Title;}{\\s16 toc 1;}{\\s17\\v Hidden;}}";

#[test]
fn a_text_as_word_writes_it_is_read() {
    let read = extract(include_bytes!("../../../tests/fixtures/fees.rtf")).unwrap();
    assert_eq!(
        read.text,
        "Fees of the library\n\nCards\n\nA card is valid for twelve months (note 1). For pupils it costs nothing. „Grüße“ und Привет.\n\nNote 1: Counted from the day on which it is handed out.\n\nPrices\n\nCard | Price\nAdults | 24 EUR\nFamilies | 36 EUR\n\nOverdue books\n\nRemember:\n\n- One euro for each week,\n- ~~five~~ ten euros at most.\n\nSee our page."
    );
    assert_eq!(read.title.as_deref(), Some("Fees of the library"));
    assert_eq!(read.stated.address.as_deref(), Some("LIB-07"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Cards", "Cards > Prices", "Overdue books"]);
}

#[test]
fn letters_are_those_of_the_font() {
    check("Gr\\'fc\\'dfe \\u8364 ? {\\f1 \\'cf\\'f0\\'e8} {\\f2 \\'b3}5\\par", "Grüße € При ≥5");
    check("{\\uc2\\u228 \\'61\\'65\\u223 ss} \\uc0\\u8226x \\u-10179\\u-8704", "äß •x 😀");
    check("a\\~b\\_c\\-d \\{e\\} \\emdash\\ldblquote f\\rdblquote", "a b-cd {e} —“f”");
    check("{\\upr{plain}{\\*\\ud{\\u1087 ?}}}", "п");
}

#[test]
fn headings_and_titles_are_known_by_their_styles() {
    let body = "\\pard\\s15 The Guide\\par\\pard\\s16 Use\\tab 3\\par\\pard\\s1 Use\\par\\pard Lean it.\\par\\pard\\s2 {\\listtext 1.1\\tab}Wood\\par\\pard Old.\\par\\pard\\s17 no\\par\\pard\\outlinelevel0 Care\\par\\pard Clean it.";
    let read = read(&format!("{STYLES}{body}"));
    assert_eq!(read.text, "The Guide\n\nUse\n\nLean it.\n\n1.1 Wood\n\nOld.\n\nCare\n\nClean it.");
    assert_eq!(read.title.as_deref(), Some("The Guide"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Use", "Use > 1.1 Wood", "Care"]);
}

#[test]
fn lists_have_the_markers_that_were_counted_or_typed() {
    check(
        "Take:\\par{\\listtext\\f2\\'b7\\tab}\\ilvl0\\ls1 a rope\\par{\\listtext o\\tab}\\ilvl1 of hemp\\par{\\listtext\\'95\\tab}\\ilvl0 a hook\\par\\pard Go.",
        "Take:\n\n- a rope\n  - of hemp\n- a hook\n\nGo.",
    );
    check(
        "\\pard\\fi-360\\li360 1.\\tab Call\\par\\pard\\fi-360\\li360 2.\\tab Wait\\par\\pard\\li360 Total:\\tab 3 EUR\\par",
        "1. Call\n2. Wait\n\nTotal:\t3 EUR",
    );
}

#[test]
fn tables_are_rows_of_cells() {
    let row = |cells: &str| format!("\\trowd\\cellx100\\cellx200 {cells}\\row ");
    let head = row("\\pard\\intbl Product\\cell Price\\par per month\\cell");
    let body = row("\\pard\\intbl DSL 50\\cell\\cell");
    let bare = row("{\\pard Fibre\\cell}{\\pard 49\\cell}");
    check(
        &format!("Now:\\par {head}{body}{bare}\\pard After.\\par"),
        "Now:\n\nProduct | Price per month\nDSL 50 |\nFibre | 49\n\nAfter.",
    );
    let nested = "\\trowd\\pard\\intbl a\\par\\pard\\intbl\\itap2 b\\nestcell c\\nestcell{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}\\pard\\intbl\\cell d\\cell\\row";
    check(nested, "a b c | d");
}

#[test]
fn what_people_do_not_see_is_left_out() {
    check(
        "Seen.{\\v hidden} {\\deleted gone}{\\strike old} new{\\*\\generator x}{\\header page 1\\par}{\\pict\\bin3 }}}89abcdef}{\\*\\annotation note}\\par",
        "Seen. ~~old~~ new",
    );
    check("See {\\field{\\*\\fldinst HYPERLINK \"http://example.org\"}{\\fldrslt the {\\b page}}}.", "See the page.");
    check(
        "{\\object{\\*\\objdata 00ff}{\\result shown}}{\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv 1}}{\\shptxt In a box.\\par}}{\\shprslt again}}",
        "shown\n\nIn a box.",
    );
}

#[test]
fn notes_stand_below_their_paragraph() {
    check(
        "Five days{\\super\\chftn{\\footnote\\pard {\\super\\chftn} In May\\par only.}} a year.\\par Next.",
        "Five days (note 1) a year.\n\nNote 1: In May only.\n\nNext.",
    );
}

#[test]
fn properties_state_title_address_and_date() {
    let read =
        read("{\\info{\\title Fees}{\\subject FIN-01}{\\author x}{\\revtim\\yr2027\\mo3\\dy4\\hr10}}Ten euros.\\par");
    assert_eq!((read.title.as_deref(), read.text.as_str()), (Some("Fees"), "Ten euros."));
    assert_eq!(read.stated.address.as_deref(), Some("FIN-01"));
    assert_eq!(read.stated.updated_at.unwrap().to_rfc3339(), "2027-03-04T00:00:00+00:00");
}

#[test]
fn what_is_damaged_or_hostile_ends_in_a_reason() {
    for bytes in [b"".as_slice(), b"text", b"{\\rt", b"PK\x03\x04"] {
        assert!(matches!(extract(bytes), Err(ReadError::Unreadable { .. })), "{bytes:?}");
    }
    assert_eq!(extract(b"{\\rtf1}"), Err(ReadError::NoText { format: Format::Rtf }));
    let cut = extract(b"{\\rtf1 One.\\par Two").unwrap();
    assert_eq!((cut.text.as_str(), cut.remarks.len()), ("One.\n\nTwo", 1));
    let deep = format!("{{\\rtf1 {}", "{".repeat(1_000_000));
    assert!(extract(deep.as_bytes()).unwrap_err().to_string().contains("nested too deep"));
    let closed = format!("{{\\rtf1 a{}b", "}".repeat(1_000));
    assert_eq!(extract(closed.as_bytes()).unwrap().text, "a");
    for odd in ["\\bin-5 x", "\\bin2147483647 x", "\\u99999999 ?x", "\\uc-1\\u228 ?x", "\\fs\\'", "\\uc9999999\\u228 x"]
    {
        let _ = extract(format!("{{\\rtf1 begin {odd}").as_bytes()).unwrap();
    }
}
