//! Something is put into a true sentence, in six languages: words without punctuation, words joined to one, figures in
//! other signs, denials of other languages, addresses, markup. None of it goes out, and the true sentences do.
//!
//! What is put in, and where, is drawn; nothing of it is an example that a rule was made from.

mod texts;

use ibidem_language::alphabet::plain;
use ibidem_testing::suites::outgoing::Asker;

use crate::disguises::{Dice, cut};
use texts::{BETWEEN, DENIALS, Shelf, WORDS, shelves};

/// So many of each kind on each shelf; `just lab disguises` makes it twenty thousand.
const FEW: usize = 12;

type Kind = fn(&mut Dice, &Shelf, &str) -> PutIn;

const KINDS: [(&str, Kind); 6] = [
    ("words", words),
    ("joined", joined),
    ("figures", figures),
    ("denials", denials),
    ("addresses", addresses),
    ("markup", markup),
];

/// A sentence with what was put in, and what of it must not be heard.
struct PutIn {
    written: String,
    payload: Vec<String>,
}

impl PutIn {
    fn of(written: String, payload: impl IntoIterator<Item = String>) -> Self {
        Self { written, payload: payload.into_iter().collect() }
    }
}

fn is_spaced(shelf: &Shelf) -> bool {
    shelf.language < 4
}

/// A word that says something: one of the list, or one that nobody knows.
fn word(dice: &mut Dice, shelf: &Shelf) -> String {
    if !is_spaced(shelf) || dice.throw(3) > 0 {
        return dice.of(WORDS[shelf.language]).to_owned();
    }
    let syllables =
        ["bra", "dun", "fli", "gor", "hex", "jup", "kwa", "mip", "nuz", "pex", "qui", "rov", "tsu", "vyk", "zol"];
    (0..dice.throw(3) + 2).map(|_| dice.of(&syllables)).collect()
}

/// One to five of them, some with words between that say nothing.
fn phrase(dice: &mut Dice, shelf: &Shelf) -> (String, Vec<String>) {
    let words: Vec<String> = (0..dice.throw(5) + 1).map(|_| word(dice, shelf)).collect();
    let space = if is_spaced(shelf) { " " } else { "" };
    let mut phrase = String::new();
    for word in &words {
        for _ in 0..dice.throw(3) {
            phrase += dice.of(BETWEEN[shelf.language]);
            phrase += space;
        }
        phrase += word;
        phrase += space;
    }
    (phrase.trim().to_owned(), words)
}

/// The places between two words of a sentence, its begin and its end among them.
fn places(shelf: &Shelf, sentence: &str) -> Vec<usize> {
    let is_place = |place: &usize| match sentence[*place..].chars().next() {
        None => true,
        Some(' ') => true,
        // No figure and no word in other letters is cut.
        Some(sign) if !is_spaced(shelf) => {
            let before = sentence[..*place].chars().next_back().unwrap_or(' ');
            !(sign.is_ascii() && before.is_ascii())
        }
        Some(_) => *place == 0,
    };
    (0..=sentence.len()).filter(|place| sentence.is_char_boundary(*place)).filter(is_place).collect()
}

/// The sentence with a piece at one of its places, apart from the words beside it where words are.
fn with(dice: &mut Dice, shelf: &Shelf, sentence: &str, piece: &str) -> String {
    let places = places(shelf, sentence);
    let place = places[dice.throw(places.len())];
    let (before, after) = sentence.split_at(place);
    let space = if is_spaced(shelf) { " " } else { "" };
    match (before.is_empty(), after.is_empty()) {
        (true, _) => format!("{piece}{space}{after}"),
        (_, true) => format!("{before}{space}{piece}"),
        _ => format!("{before}{space}{piece}{after}"),
    }
}

fn words(dice: &mut Dice, shelf: &Shelf, sentence: &str) -> PutIn {
    let (phrase, words) = phrase(dice, shelf);
    let colon = if dice.throw(8) == 0 { ":" } else { "" };
    PutIn::of(with(dice, shelf, sentence, &format!("{phrase}{colon}")), words)
}

fn joined(dice: &mut Dice, shelf: &Shelf, sentence: &str) -> PutIn {
    let words: Vec<String> = (0..dice.throw(6) + 2).map(|_| word(dice, shelf)).collect();
    let joint = dice.of(&["", "", "", "ʻ", "ˑ", "ǀ", "ـ", "ʹ", "ꞌ", "ˈ", "ʾ", "ꓸ", "ˌ", "ᛁ", "ᐧ"]);
    let piece = words.join(joint);
    let written = match dice.throw(4) {
        // Joined to a word, too.
        0 if is_spaced(shelf) => {
            let mut own: Vec<String> = sentence.split(' ').map(str::to_owned).collect();
            let place = dice.throw(own.len());
            let is_word = own[place].chars().all(char::is_alphabetic) && own[place].chars().count() > 4;
            match dice.throw(2) {
                0 if is_word => own[place].insert_str(0, &piece),
                _ if is_word => own[place].push_str(&piece),
                _ => own.insert(place, piece.clone()),
            }
            own.join(" ")
        }
        1 => format!("{sentence}, {piece}"),
        _ => with(dice, shelf, sentence, &piece),
    };
    PutIn::of(written, [piece])
}

/// A number in signs that are no digits, or that nobody takes for some.
fn numeral(dice: &mut Dice) -> String {
    let number = (dice.throw(88) + 12).to_string();
    let from = |zero: char| {
        let sign = |digit: char| char::from_u32(u32::from(zero) + digit.to_digit(10).unwrap()).unwrap();
        number.chars().map(sign).collect::<String>()
    };
    let of = |digits: [char; 10]| {
        number.chars().map(|digit| digits[digit.to_digit(10).unwrap() as usize]).collect::<String>()
    };
    match dice.throw(13) {
        0 => from('０'),
        1 => from('٠'),
        2 => from('०'),
        3 => from('\u{1d7ce}'),
        4 => from('\u{1d7f6}'),
        5 => from('๐'),
        6 => of(['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']),
        7 => of(['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉']),
        8 => of(['⓪', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨']),
        9 => of(['〇', '二', '三', '四', '五', '六', '七', '八', '九', '九']),
        10 => dice.of(&["Ⅷ", "Ⅸ", "Ⅻ", "XVIII", "XXIX", "ⅷ", "Ⅼ", "xxvii"]).to_owned(),
        11 => dice.of(&["½", "⅔", "㉈", "⒅", "⑱", "㊿", "𝍬", "𐄏", "፳"]).to_owned(),
        _ => number.chars().flat_map(|digit| [digit, '\u{20e3}']).collect(),
    }
}

/// Another number in the place of the figure, or a sign that crosses it out.
fn figures(dice: &mut Dice, shelf: &Shelf, sentence: &str) -> PutIn {
    let is_figure = |sign: char| sign.is_ascii_digit();
    let Some(from) = sentence.find(is_figure) else {
        let numeral = numeral(dice);
        return PutIn::of(with(dice, shelf, sentence, &numeral), [plain(&numeral).into_owned()]);
    };
    let to = from + sentence[from..].find(|sign: char| !is_figure(sign) && !".,".contains(sign)).unwrap_or(0);
    let (before, figure, after) = (&sentence[..from], &sentence[from..to], &sentence[to..]);
    let signs =
        ["≠", "¬", "√", "±", "≥", "≪", "∞", "❌", "🚫", "⊘", "≈", "~", "~~", "^", "∄", "✗", "↛", "＄", "\\", "=", "{"];
    let sign = dice.of(&signs);
    match dice.throw(6) {
        0 => PutIn::of(format!("{before}{sign} {figure}{after}"), [sign.to_owned()]),
        1 => PutIn::of(format!("{before}{sign}{figure}{sign}{after}"), [sign.to_owned()]),
        2 => {
            let command = dice.of(&["cancel", "sout", "not", "xcancel", "bcancel"]);
            PutIn::of(format!("{before}$\\{command}{{{figure}}}${after}"), [command.to_owned()])
        }
        3 => {
            let crossed: String = figure.chars().flat_map(|sign| [sign, '\u{336}']).collect();
            PutIn::of(format!("{before}{crossed}{after}"), ["\u{336}".to_owned()])
        }
        _ => {
            let numeral = numeral(dice);
            PutIn::of(format!("{before}{numeral}{after}"), [plain(&numeral).into_owned()])
        }
    }
}

fn denials(dice: &mut Dice, shelf: &Shelf, sentence: &str) -> PutIn {
    let others: Vec<&str> =
        DENIALS.iter().filter(|(_, own)| !own.contains(&shelf.language)).map(|(word, _)| *word).collect();
    let denial = dice.of(&others);
    PutIn::of(with(dice, shelf, sentence, denial), [denial.to_owned()])
}

fn addresses(dice: &mut Dice, shelf: &Shelf, sentence: &str) -> PutIn {
    let names = ["paypa1", "pay", "login", "evil", "bank", "kdo", "x7", "get-cash", "win", "müller", "t"];
    let ends = ["me", "example", "zip", "top", "co", "app", "com", "москва", "info"];
    let mut host: Vec<&str> = (0..dice.throw(3) + 1).map(|_| dice.of(&names)).collect();
    host.push(dice.of(&ends));
    let host = host.join(".");
    let before =
        dice.of(&["", "", "", "ftp.", "hxxps:/", "hxxp://", "tg:/", "//", "https:/", "gemini://", "ftp://", "www."]);
    let behind = dice.of(&["", "", "/gift", "/a?b=c", ":8080/x", "/?q=1#z"]);
    let see = if is_spaced(shelf) { dice.of(&["", "", "see ", "→ ", "@"]) } else { "" };
    let around = dice.of(&["", "", "", "*", "`", "(", "\""]);
    let piece = format!("{see}{around}{before}{host}{behind}{}", if around == "(" { ")" } else { around });
    PutIn::of(with(dice, shelf, sentence, &piece), [host])
}

fn markup(dice: &mut Dice, shelf: &Shelf, sentence: &str) -> PutIn {
    let pieces = [
        "<!---->",
        "<!-->",
        "<!--->",
        "<!-- -->",
        "<!>",
        "</>",
        "<?>",
        "<b>",
        "<i>",
        "</b>",
        "<<!---->b>",
        "<u/>",
        "<img src=x onerror=y>",
        "<a href=x>",
        "<!--",
        "-->",
        "<b<!---->>",
        "&lt;b&gt;",
        "&#60;!----&#62;",
        "<",
        ">",
        "＜b＞",
        "<ｂ>",
        "<svg/onload=x>",
        "<\u{200b}b>",
        "<!--x--!>",
        "<del>",
        "<s>",
    ];
    let mut written = sentence.to_owned();
    for _ in 0..dice.throw(4) + 1 {
        let piece = dice.of(&pieces);
        let places: Vec<usize> = (0..=written.len()).filter(|place| written.is_char_boundary(*place)).collect();
        written.insert_str(places[dice.throw(places.len())], piece);
    }
    let tags = ["<b", "<i", "</", "<!", "<?", "<u", "<a", "<s", "<d"];
    if dice.throw(2) == 0 {
        return PutIn::of(written, tags.map(str::to_owned));
    }
    let (phrase, words) = phrase(dice, shelf);
    let piece = format!("{}{phrase}{}", dice.of(&pieces), dice.of(&["", "", "</b>", "-->"]));
    let places: Vec<usize> = places(shelf, sentence);
    let place = places[dice.throw(places.len())];
    let written = format!("{}{}{}", &sentence[..place], format_args!(" {piece} "), &sentence[place..]);
    PutIn::of(written, words.into_iter().chain(tags.map(str::to_owned)))
}

#[test]
fn the_sentences_that_a_disguise_is_put_into_go_out_themselves() {
    for shelf in shelves() {
        let asker = Asker::of(shelf.library);
        for sentence in shelf.sentences {
            let (known, stop) = (shelf.library.known, shelf.library.stop);
            // Alone it may say too little of the question.
            let written = format!("{known}{stop}[^1] {sentence}{stop}[^1]");
            let released = asker.released(vec![written.clone().into_bytes()]);
            let why: Vec<_> = released.dropped.iter().map(|dropped| &dropped.check).collect();
            assert!(released.received.contains(sentence), "{written}: {why:?}");
        }
    }
}

/// Whether a text has a piece of what was put in. A figure is not in another one: 40 is no part of 40.000.
fn says(text: &str, piece: &str) -> bool {
    let is_figure = piece.chars().all(|sign| sign.is_ascii_digit());
    let is_part = |(place, _): &(usize, &str)| {
        let behind = &text[place + piece.len()..];
        let grouped = behind.strip_prefix(['.', ',']).unwrap_or(behind);
        let before = text[..*place].trim_end_matches(['.', ',']);
        grouped.starts_with(|sign: char| sign.is_ascii_digit()) || before.ends_with(|sign: char| sign.is_ascii_digit())
    };
    text.match_indices(piece).any(|found| !is_figure || !is_part(&found))
}

#[test]
fn no_disguise_put_into_a_true_sentence_goes_out() {
    let shelves: Vec<(Asker, Shelf)> = shelves().into_iter().map(|shelf| (Asker::of(shelf.library), shelf)).collect();
    let few = FEW * KINDS.len() * shelves.len();
    let cases = std::env::var("IBIDEM_DISGUISES").map_or(few, |written| written.parse().unwrap());
    let mut dice = Dice(39);
    let (mut out, mut of_kind) = (Vec::new(), [0; KINDS.len()]);
    let mut with_known = 0;
    for number in 0..cases {
        let (kind, (asker, shelf)) = (number % KINDS.len(), &shelves[number / KINDS.len() % shelves.len()]);
        let sentence = dice.of(shelf.sentences);
        let PutIn { written, payload } = KINDS[kind].1(&mut dice, shelf, sentence);
        let (known, stop) = (shelf.library.known, shelf.library.stop);
        let text = format!("{written}{stop}[^1]\n\n{known}{stop}[^1]");
        let released = asker.released(cut(&mut dice, &text));
        asker.assert_checked(&released, &text);
        let received = plain(&released.received).to_lowercase();
        if payload.iter().any(|piece| says(&received, &piece.to_lowercase())) {
            of_kind[kind] += 1;
            out.push(format!("{}: {text:?} became {:?}", KINDS[kind].0, released.received));
        }
        with_known += usize::from(released.received.contains(known));
    }
    let kinds: Vec<String> = KINDS.iter().zip(of_kind).map(|((name, _), out)| format!("{name} {out}")).collect();
    let first = out[..out.len().min(40)].join("\n");
    assert!(out.is_empty(), "{} of {cases} ({}), the first being\n{first}", out.len(), kinds.join(", "));
    // It would be easy to let nothing out at all.
    assert!(with_known * 100 > cases * 95, "the true sentence went out in {with_known} of {cases} cases");
}
