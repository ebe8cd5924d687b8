//! What a plain mail quotes from earlier ones, told from what its sender wrote.
//!
//! Another's words must not count as the sender's, and the earlier mail says them itself. A quotation below the last words
//! of the sender is left out. One that is answered below it is kept and marked: the answer alone says nothing.

/// A part of a mail's text.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Own(String),
    /// Without its signs, on one line.
    Quoted(String),
}

/// A line above a quotation that says who wrote it has no more lines than this.
const LONGEST_LEAD: usize = 3;

/// The parts in order, and how many lines were left out.
pub(super) fn pieces(text: &str) -> (Vec<Piece>, usize) {
    let lines: Vec<&str> = text.lines().collect();
    let end = earlier_mail(&lines).unwrap_or(lines.len());
    let mut left_out = lines[end..].iter().filter(|line| !line.trim().is_empty()).count();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < end {
        let quotes = is_quoted(lines[at]);
        let length = lines[at..end].iter().take_while(|line| is_quoted(line) == quotes).count();
        let run = &lines[at..at + length];
        let is_answered = lines[at + length..end].iter().any(|line| says_something(line));
        match (quotes, is_answered) {
            (false, _) => {
                // Whatever ends in a quotation is led in by its last lines.
                let lead = if at + length < end { lead_in(run) } else { 0 };
                left_out += lead;
                pieces.push(Piece::Own(run[..length - lead].join("\n")));
            }
            (true, true) => {
                let words: Vec<&str> = run.iter().flat_map(|line| unquoted(line).split_whitespace()).collect();
                pieces.push(Piece::Quoted(words.join(" ")));
            }
            (true, false) => left_out += length,
        }
        at += length;
    }
    (pieces, left_out)
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

fn unquoted(line: &str) -> &str {
    line.trim_start().trim_start_matches(['>', ' '])
}

fn says_something(line: &str) -> bool {
    !is_quoted(line) && line.contains(char::is_alphanumeric)
}

/// How many lines at the end of these say who wrote what is quoted below: `On 1 May 2027 at 9:00, Anna Bell wrote:`. In any
/// language they end in a colon and have a date.
fn lead_in(lines: &[&str]) -> usize {
    let blank = lines.iter().rev().take_while(|line| line.trim().is_empty()).count();
    let above = &lines[..lines.len() - blank];
    let length = above.iter().rev().take_while(|line| !line.trim().is_empty()).count();
    let lead = &above[above.len() - length..];
    let ends_in_colon = lead.last().is_some_and(|line| line.trim_end().ends_with([':', '：']));
    let has_date = lead.iter().any(|line| line.chars().filter(char::is_ascii_digit).count() >= 4);
    if length <= LONGEST_LEAD && ends_in_colon && has_date { length + blank } else { 0 }
}

/// Where an earlier mail begins that is set below the text without signs: a line of dashes or underscores, and its head.
fn earlier_mail(lines: &[&str]) -> Option<usize> {
    let is_head = |line: &&&str| line.contains(": ") || line.trim_end().ends_with(':');
    (0..lines.len()).find(|place| {
        let below = lines[place + 1..].iter().filter(|line| !line.trim().is_empty());
        parts_mails(lines[*place].trim()) && below.take(3).filter(is_head).count() == 3
    })
}

fn parts_mails(line: &str) -> bool {
    let is_rule = line.len() >= 10 && line.bytes().all(|sign| sign == b'_');
    let is_named = line.starts_with("-----") && line.ends_with("-----") && line.contains(char::is_alphabetic);
    is_rule || is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Piece], expected_left_out: usize) {
        let (pieces, left_out) = pieces(text);
        let has_words = |piece: &Piece| !matches!(piece, Piece::Own(lines) if lines.trim().is_empty());
        let pieces: Vec<Piece> = pieces.into_iter().filter(has_words).collect();
        assert_eq!(pieces, expected, "{text}");
        assert_eq!(left_out, expected_left_out, "{text}");
    }

    fn own(lines: &str) -> Piece {
        Piece::Own(lines.to_owned())
    }

    #[test]
    fn a_quotation_below_the_answer_is_left_out() {
        check("Yes.\n\nOn 1 May 2027, Anna wrote:\n> May I?\n> Really?\n", &[own("Yes.\n")], 3);
        check(
            "Ja.\n\nAm 01.05.2027 um 9 Uhr schrieb Anna Bell\n<anna@example.org>:\n\n> Darf ich?",
            &[own("Ja.\n")],
            4,
        );
        check("Prices in 2027:\n- one\n- two", &[own("Prices in 2027:\n- one\n- two")], 0);
    }

    #[test]
    fn a_quotation_that_is_answered_is_marked() {
        check(
            "> May I\n> take Friday off?\nYes.\n> And Monday?\nNo.",
            &[
                Piece::Quoted("May I take Friday off?".to_owned()),
                own("Yes."),
                Piece::Quoted("And Monday?".to_owned()),
                own("No."),
            ],
            0,
        );
    }

    #[test]
    fn an_earlier_mail_without_signs_is_left_out() {
        let below = "From: Anna\nSent: Monday\nTo: Ben\nSubject: Leave\n\nMay I?";
        check(&format!("Yes.\n\n-----Original Message-----\n{below}"), &[own("Yes.\n")], 6);
        check(&format!("Yes.\n\n________________________________\n{below}"), &[own("Yes.\n")], 6);
        check("Yes.\n\n__________________\nBen", &[own("Yes.\n\n__________________\nBen")], 0);
    }
}
