use proptest::prelude::*;

use super::*;

#[test]
fn a_letter_or_a_digit_has_one_form_and_what_says_more_stays() {
    for (text, expected) in [
        ("The gearbox holds １.８ litres", "The gearbox holds 1.8 litres"),
        ("𝟏.𝟖 𝐥𝐢𝐭𝐫𝐞𝐬, ٣ and ३", "1.8 litres, 3 and 3"),
        ("ﬁlter ｶﾞｽ Ａｃｍｅ", "filter ガス Acme"),
        ("cafe\u{301}, l\u{2bc}huile", "café, l’huile"),
        ("5 m², ½, ③, Ⅷ, 10⁶ (a)…", "5 m², ½, ③, Ⅷ, 10⁶ (a)…"),
        ("变速箱：１８升，“油”", "变速箱：18升，“油”"),
    ] {
        assert_eq!(plain(text), expected, "{text}");
    }
}

const PASSAGE: &str = "The gearbox holds 1.8 litres of oil (≥ 60 °C). Area: 5 m². Steps ① and ② → done. Use C:\\oil.";

#[test]
fn what_no_passage_is_written_with_is_found() {
    use Foreign::{Long, Mixed, Numeral, Script, Sign};
    let written = |text: &str| text.to_owned();
    for (claim, expected) in [
        ("**The** gearbox — “1.8” litres: 5 m², €5, $5, 10 °C; 30 % & more…", None),
        ("# The gearbox\n> + oil", None),
        ("At ≥ 60 degrees. ① is done → done", None),
        ("C:\\oil for naïve Łódź, µm and μm", None),
        ("It holds ≠ 1.8 litres", Some(Sign(written("≠")))),
        ("It holds ~~1.8~~ litres", Some(Sign(written("~~")))),
        ("It holds $\\cancel{1.8}$ litres", Some(Sign(written("$\\")))),
        ("It holds 1.8$ litres", Some(Sign(written("$")))),
        ("It holds 1.8 litres ❌", Some(Sign(written("❌")))),
        ("It holds 1.8\u{336} litres", Some(Sign(written("\u{336}")))),
        ("It holds ≥ 1.8 litres", Some(Sign(written("≥")))),
        ("It holds ¹⁸ litres", Some(Numeral(written("¹⁸")))),
        ("It holds ③ litres", Some(Numeral(written("③")))),
        ("It holds Ⅷ litres", Some(Numeral(written("Ⅷ")))),
        ("It holds VIII litres", Some(Numeral(written("VIII")))),
        ("It holds 十八 litres", Some(Script(written("十八")))),
        ("It holds ½ litres", Some(Numeral(written("½")))),
        ("Itʻholdsʻpoison", Some(Sign(written("Itʻholdsʻpoison")))),
        ("Itǀholdsˑitـs", Some(Sign(written("Itǀholdsˑitـs")))),
        ("The gеarbox holds oil", Some(Mixed(written("gеarbox")))),
        ("It holds не 1.8 litres", Some(Script(written("не")))),
        ("It holds 不 1.8 litres", Some(Script(written("不")))),
        ("childrenmaydrinkitwheneverthey want", Some(Long(written("childrenmaydrinkitwheneverthey")))),
    ] {
        assert_eq!(foreign(claim, &["Other.", PASSAGE]), expected, "{claim}");
    }
}

#[test]
fn numbers_in_chinese_signs_are_figures() {
    let passages = ["变速箱装有1.8升机油。机油每4万公里更换一次，共三天，18个。"];
    for (claim, is_foreign) in [
        ("变速箱装有十八升机油", false),
        ("变速箱装有八升机油", true),
        ("机油每4万公里更换一次", false),
        ("机油每5万公里更换一次", true),
        ("机油每四万公里更换", true),
        ("共三天", false),
        ("共四天", true),
        ("统一更换", false),
        ("共一八个", false),
    ] {
        assert_eq!(foreign(claim, &passages).is_some(), is_foreign, "{claim}");
    }
}

proptest! {
    #[test]
    fn the_normal_form_is_settled_and_makes_no_punctuation(text in "\\PC{0,24}") {
        let once = plain(&text).into_owned();
        prop_assert_eq!(plain(&once), once.as_str());
        let marks = |text: &str| text.chars().filter(char::is_ascii_punctuation).count();
        prop_assert_eq!(marks(&once), marks(&text), "{}", once);
    }

    #[test]
    fn nothing_in_a_passage_is_foreign_to_it(text in "\\PC{0,24}") {
        let text = plain(&text);
        prop_assert_eq!(foreign(&text, &[&text]), None);
    }
}
