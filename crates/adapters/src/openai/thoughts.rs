//! What a model thinks before it answers, taken out of its text: thoughts are never said.
//!
//! Servers that know a model send thoughts in a field of their own, which is not read. Others send them inside the text,
//! between tags; and where the prompt's template opens the thought, the text has the end tag alone.

/// The tags that models put thoughts between.
const TAGS: [(&str, &str); 7] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// The text that came ended a thought that had not been opened in it: what came before was no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WasThought;

/// Reads a reply piece by piece, and gives what is said.
pub(super) struct Thoughts {
    state: State,
    /// What may be the beginning of a tag: it is known with the next piece.
    held: String,
    /// Whether anything was thought.
    pub(super) thought: bool,
    /// Whether anything but white space was said.
    pub(super) said: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Speaking,
    /// Until this tag; without one, until any end tag.
    Thinking(Option<&'static str>),
}

impl Thoughts {
    /// Of a reply that begins inside a thought, or not.
    pub(super) fn new(begins_thinking: bool) -> Self {
        let state = if begins_thinking { State::Thinking(None) } else { State::Speaking };
        Self { state, held: String::new(), thought: begins_thinking, said: false }
    }

    /// What is said by now, this piece included.
    pub(super) fn read(&mut self, piece: &str) -> Result<String, WasThought> {
        self.held.push_str(piece);
        let mut said = String::new();
        loop {
            match self.state {
                State::Speaking => match first(&self.held, TAGS.iter().flat_map(|(open, close)| [*open, *close])) {
                    Some((at, tag)) => {
                        let Some((_, close)) = TAGS.iter().find(|(open, _)| *open == tag) else {
                            return Err(WasThought);
                        };
                        self.say(&mut said, at);
                        self.held.drain(..tag.len());
                        self.state = State::Thinking(Some(close));
                        self.thought = true;
                    }
                    None => {
                        let all = TAGS.iter().flat_map(|(open, close)| [*open, *close]);
                        let whole = self.held.len() - longest_beginning(&self.held, all);
                        self.say(&mut said, whole);
                        return Ok(said);
                    }
                },
                State::Thinking(close) => {
                    let ends =
                        || TAGS.iter().map(|(_, end)| *end).filter(move |end| close.is_none_or(|one| one == *end));
                    match first(&self.held, ends()) {
                        Some((at, tag)) => {
                            self.held.drain(..at + tag.len());
                            self.state = State::Speaking;
                        }
                        None => {
                            let kept = longest_beginning(&self.held, ends());
                            self.held.drain(..self.held.len() - kept);
                            return Ok(said);
                        }
                    }
                }
            }
        }
    }

    /// What was held back, where it was no tag after all.
    pub(super) fn rest(&mut self) -> String {
        let mut said = String::new();
        if self.state == State::Speaking {
            self.say(&mut said, self.held.len());
        }
        said
    }

    /// Moves the first so many bytes of what is held to what is said. An answer does not begin with the empty lines that
    /// stand behind a thought.
    fn say(&mut self, said: &mut String, most: usize) {
        let moved: String = self.held.drain(..most).collect();
        let moved = if self.said || !self.thought { moved.as_str() } else { moved.trim_start() };
        self.said |= !moved.trim().is_empty();
        said.push_str(moved);
    }
}

/// The tag that comes first in a text, and where.
fn first(text: &str, tags: impl Iterator<Item = &'static str>) -> Option<(usize, &'static str)> {
    tags.filter_map(|tag| Some((text.find(tag)?, tag))).min_by_key(|(at, tag)| (*at, std::cmp::Reverse(tag.len())))
}

/// How many bytes at the end of a text may be the beginning of a tag.
fn longest_beginning(text: &str, tags: impl Iterator<Item = &'static str>) -> usize {
    let of = |tag: &str| (1..tag.len()).rev().find(|most| text.ends_with(&tag[..*most])).unwrap_or(0);
    tags.map(of).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text in pieces of so many characters.
    fn said(text: &str, size: usize, begins_thinking: bool) -> Result<(String, bool), WasThought> {
        let mut thoughts = Thoughts::new(begins_thinking);
        let mut said = String::new();
        let signs: Vec<char> = text.chars().collect();
        for piece in signs.chunks(size) {
            said += &thoughts.read(&piece.iter().collect::<String>())?;
        }
        said += &thoughts.rest();
        Ok((said, thoughts.thought))
    }

    #[test]
    fn thoughts_are_taken_out_wherever_the_pieces_are_cut() {
        for (text, answer, thought) in [
            ("Oil is 1.8 litres.[^1]", "Oil is 1.8 litres.[^1]", false),
            ("<think>Is it 1.8?</think>\n\nOil is 1.8 litres.", "Oil is 1.8 litres.", true),
            ("[THINK]Hm [^1]. < 3[/THINK]Oil.", "Oil.", true),
            ("<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Oil.", "Oil.", true),
            ("Oil.<think>More?</think> And gas.", "Oil. And gas.", true),
            ("a < b, c <thin, d [T", "a < b, c <thin, d [T", false),
            ("<think>It never ends </thin", "", true),
            ("  <thinking>x</think>y</thinking>Oil.", "  Oil.", true),
        ] {
            for size in 1..=text.chars().count() {
                assert_eq!(said(text, size, false), Ok((answer.to_owned(), thought)), "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn a_thought_that_the_prompt_opened_is_noticed_and_known_the_next_time() {
        let reply = "The notes say 1.8.\n</think>\n\nOil is 1.8 litres.";
        for size in 1..=reply.len() {
            assert_eq!(said(reply, size, false), Err(WasThought), "by {size}");
            assert_eq!(said(reply, size, true), Ok(("Oil is 1.8 litres.".to_owned(), true)), "by {size}");
        }
        // Nothing is said of a thought that has no end.
        assert_eq!(said("The notes say 1.8.", 3, true), Ok((String::new(), true)));
    }
}
