//! Sets in the form of SQuAD 2.0: questions on paragraphs of articles, some of which no paragraph answers.

use std::sync::Arc;

use serde::Deserialize;

/// A question, and whether the article it was asked about answers it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SquadQuestion {
    pub id: String,
    /// Title of the article.
    pub article: String,
    pub text: String,
    pub answerable: bool,
    /// What the paragraph it was asked about is called when it is ingested: `Title#p3`, the fourth of its article.
    pub paragraph: String,
    /// The paragraph itself.
    pub context: Arc<str>,
    /// The words that answer it, as several people marked them.
    pub answers: Vec<String>,
}

#[derive(Deserialize)]
struct Set {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    title: String,
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
    qas: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    question: String,
    is_impossible: bool,
    #[serde(default)]
    answers: Vec<Marked>,
}

#[derive(Deserialize)]
struct Marked {
    text: String,
}

/// The questions of every second article, for choosing by, and those of the others, for testing the choice.
pub fn parse(text: &[u8]) -> Result<[Vec<SquadQuestion>; 2], serde_json::Error> {
    let set: Set = serde_json::from_slice(text)?;
    let mut halves = [Vec::new(), Vec::new()];
    for (number, Article { title, paragraphs }) in set.data.into_iter().enumerate() {
        for (place, Paragraph { context, qas }) in paragraphs.into_iter().enumerate() {
            let context: Arc<str> = context.into();
            let questions = qas.into_iter().map(|asked| SquadQuestion {
                id: asked.id,
                article: title.clone(),
                text: asked.question.trim().to_owned(),
                answerable: !asked.is_impossible,
                paragraph: format!("{title}#p{place}"),
                context: Arc::clone(&context),
                answers: asked.answers.into_iter().map(|marked| marked.text).collect(),
            });
            halves[number % 2].extend(questions.filter(|question| !question.text.is_empty()));
        }
    }
    Ok(halves)
}

/// Without regard to case and to how white space is laid out.
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_article_is_for_choosing_and_the_others_for_testing() {
        let article = |title: &str, impossible: bool| {
            format!(
                r#"{{"title": "{title}", "paragraphs": [{{"context": "c", "qas":
                    [{{"id": "{title}1", "question": " Why? ", "is_impossible": {impossible}, "answers": [{{"text": "so"}}]}}]}}]}}"#
            )
        };
        let set = format!(r#"{{"data": [{}, {}]}}"#, article("A", false), article("B", true));
        let [chosen_by, tested_on] = parse(set.as_bytes()).unwrap();
        assert_eq!((chosen_by[0].text.as_str(), chosen_by[0].answerable), ("Why?", true));
        assert_eq!((chosen_by[0].paragraph.as_str(), &*chosen_by[0].context), ("A#p0", "c"));
        assert_eq!(chosen_by[0].answers, ["so"]);
        assert_eq!((tested_on[0].article.as_str(), tested_on[0].answerable), ("B", false));
        assert!(parse(b"[]").is_err());
    }
}
