//! A label, or part of one, regardless of case; an asterisk stands for any letters.

pub(in crate::skosmos) struct Pattern {
    /// What lies between the asterisks; a single one without any.
    parts: Vec<String>,
}

impl Pattern {
    pub(in crate::skosmos) fn new(query: &str) -> Self {
        Self { parts: query.to_lowercase().split('*').map(str::to_owned).collect() }
    }

    pub(in crate::skosmos) fn matches(&self, label: &str) -> bool {
        let label = label.to_lowercase();
        let (first, last, between) = match self.parts.as_slice() {
            [] => return false,
            [whole] => return label == *whole,
            [first, between @ .., last] => (first, last, between),
        };
        let Some(mut rest) = label.strip_prefix(first.as_str()) else { return false };
        for part in between {
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asterisk_stands_for_any_letters_and_nothing_else_does() {
        for (query, label, expected) in [
            ("Bus", "bus", true),
            ("bus", "busbar", false),
            ("bus*", "Busbar", true),
            ("*bar", "busbar", true),
            ("b*b*r", "busbar", true),
            ("b*x*r", "busbar", false),
            ("*", "anything", true),
            ("b**r", "busbar", true),
            ("bus*sub", "busub", false),
            ("b.s", "bus", false),
            ("ÜBER*", "überspannung", true),
        ] {
            assert_eq!(Pattern::new(query).matches(label), expected, "{query} and {label}");
        }
    }
}
