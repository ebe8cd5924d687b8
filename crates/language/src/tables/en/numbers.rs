//! English number words.

/// A number, its word, and the word of its ordinal.
pub(crate) const NUMBERS: [(u64, &str, &str); 28] = [
    (0, "zero", "zeroth"),
    (1, "one", "first"),
    (2, "two", "second"),
    (3, "three", "third"),
    (4, "four", "fourth"),
    (5, "five", "fifth"),
    (6, "six", "sixth"),
    (7, "seven", "seventh"),
    (8, "eight", "eighth"),
    (9, "nine", "ninth"),
    (10, "ten", "tenth"),
    (11, "eleven", "eleventh"),
    (12, "twelve", "twelfth"),
    (13, "thirteen", "thirteenth"),
    (14, "fourteen", "fourteenth"),
    (15, "fifteen", "fifteenth"),
    (16, "sixteen", "sixteenth"),
    (17, "seventeen", "seventeenth"),
    (18, "eighteen", "eighteenth"),
    (19, "nineteen", "nineteenth"),
    (20, "twenty", "twentieth"),
    (30, "thirty", "thirtieth"),
    (40, "forty", "fortieth"),
    (50, "fifty", "fiftieth"),
    (60, "sixty", "sixtieth"),
    (70, "seventy", "seventieth"),
    (80, "eighty", "eightieth"),
    (90, "ninety", "ninetieth"),
];

/// Words that multiply what stands before them.
pub(crate) const MAGNITUDES: [(u64, &[&str]); 6] = [
    (12, &["dozen", "dozens"]),
    (100, &["hundred", "hundreds", "hundredth"]),
    (1_000, &["thousand", "thousands", "thousandth"]),
    (1_000_000, &["million", "millions", "mn", "mio"]),
    (1_000_000_000, &["billion", "billions", "bn"]),
    (1_000_000_000_000, &["trillion", "trillions"]),
];
