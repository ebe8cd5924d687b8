//! Retrieval sets in the form of BEIR: questions, and judgements of which documents answer them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::metrics::Judgements;

const QUERIES: &str = "queries.jsonl";
const JUDGEMENTS: &str = "qrels_test.tsv";

/// A question and the documents that answer it.
#[derive(Clone, PartialEq, Debug)]
pub struct JudgedQuery {
    pub id: String,
    pub text: String,
    pub judgements: Judgements,
}

#[derive(Debug, thiserror::Error)]
pub enum BeirError {
    #[error("{} cannot be read: {reason}; a retrieval set is a folder with {QUERIES} and {JUDGEMENTS}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("line {line} of {} is not understood: {reason}", path.display())]
    BadLine { path: PathBuf, line: usize, reason: String },
    #[error("{} has no judged query", path.display())]
    Empty { path: PathBuf },
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

/// Reads the judged queries of a set, in the order of its file. Queries without judgements are left out,
/// as everybody does who publishes figures.
pub fn judged_queries(folder: &Path) -> Result<Vec<JudgedQuery>, BeirError> {
    let mut judgements = judgements(&folder.join(JUDGEMENTS))?;
    let path = folder.join(QUERIES);
    let mut queries = Vec::new();
    for (number, line) in text(&path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let query: QueryLine = serde_json::from_str(line).map_err(|error| BeirError::BadLine {
            path: path.clone(),
            line: number + 1,
            reason: error.to_string(),
        })?;
        if let Some(judgements) = judgements.remove(&query.id) {
            queries.push(JudgedQuery { id: query.id, text: query.text, judgements });
        }
    }
    if queries.is_empty() { Err(BeirError::Empty { path: folder.to_owned() }) } else { Ok(queries) }
}

/// Lines of query, document and grade, separated by tabs, below a header.
fn judgements(path: &Path) -> Result<HashMap<String, Judgements>, BeirError> {
    let mut by_query: HashMap<String, Judgements> = HashMap::new();
    for (number, line) in text(path)?.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let bad =
            |reason: &str| BeirError::BadLine { path: path.to_owned(), line: number + 1, reason: reason.to_owned() };
        let mut fields = line.split('\t');
        let (Some(query), Some(document), Some(grade)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(bad("it reads query, document and grade, separated by tabs"));
        };
        let grade = grade.trim().parse().map_err(|_| bad("the grade is not a whole number"))?;
        by_query.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
    }
    Ok(by_query)
}

fn text(path: &Path) -> Result<String, BeirError> {
    std::fs::read_to_string(path)
        .map_err(|error| BeirError::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(queries: &str, judgements: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(QUERIES), queries).unwrap();
        std::fs::write(folder.path().join(JUDGEMENTS), judgements).unwrap();
        folder
    }

    #[test]
    fn only_judged_queries_are_read_in_the_order_of_their_file() {
        let folder = folder(
            "{\"_id\": \"2\", \"text\": \"two\"}\n{\"_id\": \"9\", \"text\": \"nine\"}\n{\"_id\": \"1\", \"text\": \"one\", \"metadata\": {}}\n",
            "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n2\td3\t2\n",
        );
        let queries = judged_queries(folder.path()).unwrap();
        let read: Vec<_> = queries.iter().map(|query| (query.id.as_str(), query.text.as_str())).collect();
        assert_eq!(read, [("2", "two"), ("1", "one")]);
        assert_eq!(queries[1].judgements, Judgements::from([("d1".to_owned(), 1), ("d2".to_owned(), 0)]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let header = "query-id\tcorpus-id\tscore\n";
        let cases = [
            ("{}", format!("{header}1\td\t1\n"), "line 1 of "),
            ("", format!("{header}1\td\tmuch\n"), "the grade is not a whole number"),
            ("", format!("{header}1 d 1\n"), "separated by tabs"),
            ("{\"_id\": \"1\", \"text\": \"one\"}", header.to_owned(), "has no judged query"),
        ];
        for (queries, judgements, expected) in cases {
            let folder = folder(queries, &judgements);
            let error = judged_queries(folder.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = judged_queries(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("cannot be read"), "{error}");
    }
}
