//! What every tokenizer of a language model must do, and texts to count.

use ibidem_ports::language_model::Tokenizer;

/// Prose in several scripts, and what vocabularies cut into small pieces.
pub const TEXTS: [&str; 24] = [
    "Five days of leave may be carried over into the first quarter of the following year.",
    "THE RELEASE VALVE MUST NOT BE OPENED WHILE THE VESSEL IS UNDER PRESSURE.",
    "Die Überstundenregelung der Beschäftigten sieht Höchstgrenzen für Rufbereitschaft und Nachtarbeit vor.",
    "Les congés non pris peuvent être reportés jusqu'à la fin du mois de mars, sauf décision contraire.",
    "Pracownicy mają prawo do urlopu wypoczynkowego w wymiarze czternastu dni w roku.",
    "Сотрудники имеют право на четырнадцать дней отпуска в год.",
    "依照公司的規定，員工每年可以享有十四天的年假。",
    "従業員は年に十四日の休暇を取ることができます。",
    "พนักงานทุกคนมีสิทธิลาพักร้อนปีละสิบสี่วัน",
    "يحق للموظفين أربعة عشر يوماً من الإجازة السنوية",
    "कर्मचारियों को प्रति वर्ष चौदह दिन की छुट्टी मिलती है।",
    "Costs: 1,234,567.89 EUR (5 %), due 2026-11-14 at 08:30; call +49 30 1234567.",
    "fn allotted(&self) -> Result<Vec<usize>, ModelError> { self.parts.iter().map(|p| p.len()).collect() }",
    "| part | size |\n|------|-----:|\n| bolt | M8×1.25 |\n| nut  | M8 |\n",
    "SHA-256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Zm9vYmFyYmF6cXV4Q29ycmVjdEhvcnNlQmF0dGVyeVN0YXBsZQ== AKxZ7QwLpR2vNtYbHs",
    "kemu bcrd lsbq gbcn nchc rnbs dhuu sbss mbhb rejn erds jrvf dssu gldr wcsb tgpv",
    "zonotime hedumuvi tidawohi gosaduni puvutadi vacitiri bopefoce mekorode",
    "CzJriBJrTAwRyojfljoQ oaFLlqsajAIxNKuiSGNP RVdDXRZJzzzzgEOzdmen CkhvMdgaKjIgxNbenNyj",
    "xkvq bzrtw plmkjn qwrtzp vbnmgf sdfghjk wrtzpsd",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "👩‍👩‍👧‍👦 🎉🚀 ✅ — “quoted” … ½ µm ≤ 3°",
    "\tindented\n\n\n    twice   and \t spaced\r\n",
    "https://intranet.example.org/handbook/leave?id=42&lang=en#carry-over",
];

/// # Panics
/// When the tokenizer does not behave as the port says.
pub async fn check(tokenizer: &dyn Tokenizer) {
    assert!(!tokenizer.name().is_empty());
    assert_eq!(tokenizer.count(Vec::new()).await, [0_usize; 0], "no number for no text");
    let texts: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    let counts = tokenizer.count(texts.clone()).await;
    assert_eq!(counts.len(), texts.len(), "a number for each");
    for (text, tokens) in texts.iter().zip(&counts) {
        assert!(*tokens > 0, "{text:?} counts");
        let alone = tokenizer.count(vec![text.clone()]).await;
        assert_eq!(alone, [*tokens], "what a text counts does not depend on the others: {text:?}");
    }
    let backwards = tokenizer.count(texts.iter().rev().cloned().collect()).await;
    assert!(backwards.iter().eq(counts.iter().rev()), "in their order");
    lines_count_no_more_together(tokenizer, &texts).await;
}

/// A budget is made of parts, and kept by the whole.
async fn lines_count_no_more_together(tokenizer: &dyn Tokenizer, texts: &[String]) {
    let lines: Vec<String> =
        (1..).zip(texts).map(|(number, text)| format!("[^{number}] {}\n", text.trim().replace('\n', " "))).collect();
    let parts: usize = tokenizer.count(lines.clone()).await.iter().sum();
    let whole: usize = tokenizer.count(vec![lines.concat()]).await.iter().sum();
    assert!(whole <= parts, "{whole} together, {parts} line by line");
}
