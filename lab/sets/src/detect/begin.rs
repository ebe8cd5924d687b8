//! BEGIN: replies to a conversation, and whether the knowledge they were given bears them out.

use std::path::Path;

use super::{DetectError, lines};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeginReply {
    pub knowledge: String,
    pub reply: String,
    /// Everything in it follows from the knowledge. What says nothing in particular does not count as such.
    pub attributable: bool,
}

const COLUMNS: usize = 6;

pub fn replies(file: &Path) -> Result<Vec<BeginReply>, DetectError> {
    lines(file, "a line of BEGIN", 1, |line| {
        let cells: Vec<String> = line.split('\t').map(unquoted).collect();
        let [_, _, knowledge, _, reply, label] = cells.as_slice() else {
            return Err(format!("it has {} columns instead of {COLUMNS}", cells.len()));
        };
        let attributable = match label.trim() {
            "Fully attributable" => true,
            "Not fully attributable" | "Generic" => false,
            other => return Err(format!("its label is {other:?}")),
        };
        Ok(BeginReply { knowledge: knowledge.clone(), reply: reply.clone(), attributable })
    })
}

/// A cell that has quotation marks in it stands in such, each of its own doubled.
fn unquoted(cell: &str) -> String {
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| cell.len() > 1);
    inner.map_or_else(|| cell.to_owned(), |inner| inner.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_with_its_label() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("begin.tsv");
        let head = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n";
        let line = "t5\twow\t\"called \"\"red\"\".\"\tHi?\tIt is red.\tFully attributable\n";
        std::fs::write(&file, format!("{head}{line}t5\twow\tk\tm\tr\tGeneric\n")).unwrap();
        let found = replies(&file).unwrap();
        assert_eq!((found[0].knowledge.as_str(), found[0].attributable), ("called \"red\".", true));
        assert!(!found[1].attributable);
        std::fs::write(&file, format!("{head}t5\twow\tk\tm\tr\tPerhaps\n")).unwrap();
        assert!(replies(&file).unwrap_err().to_string().contains("line 2"));
    }
}
