//! German forms of words with three letters, each with its word. They begin too much like other words to be told apart by
//! their stems: Snowball's stem of "Rate" is "rat", in English too.

pub(super) const FORMS: &[(&str, &str)] = &[
    ("arten", "art"),
    ("amtes", "amt"),
    ("orte", "ort"),
    ("orten", "ort"),
    ("ortes", "ort"),
    ("tage", "tag"),
    ("tagen", "tag"),
    ("tages", "tag"),
    ("typen", "typ"),
    ("uhren", "uhr"),
    ("wege", "weg"),
    ("weges", "weg"),
];
