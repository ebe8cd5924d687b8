//! What is said of a document and cannot be kept: named with its file and field, and nobody else is kept out.

use crate::installation::with_installation;

#[tokio::test]
async fn a_line_whose_fields_cannot_be_kept_is_named_and_the_others_are_taken_in() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let lines = [
            r#"{"id": "one", "title": "One", "text": "The first good document."}"#.to_owned(),
            r#"{"id": "nul", "title": "a\u0000b", "text": "Text."}"#.to_owned(),
            format!(r#"{{"id": "address", "address": "{}", "text": "Text."}}"#, "9 ".repeat(4_500)),
            format!(r#"{{"id": "title", "title": "{}", "text": "Text."}}"#, "x".repeat(501)),
            r#"{"id": "name\n", "text": "Text."}"#.to_owned(),
            r#"{"id": "early", "updated_at": "0000-01-01T00:00:00Z", "text": "Text."}"#.to_owned(),
            r#"{"id": "broken", "text": "#.to_owned(),
            r#"{"id": "two", "title": "Oil\u202e change", "text": "The second\u200b good document."}"#.to_owned(),
        ];
        std::fs::write(folder.path().join("corpus.jsonl"), lines.join("\n")).unwrap();
        std::fs::write(folder.path().join("good.md"), "---\ntitle: \"Oil\\0\"\ndate: -4800-01-01\n---\nText.\n")
            .unwrap();
        let path = folder.path().to_str().unwrap();
        let output = installation.run(&["ingest", path, "--collection", "Siege", "--tags", "public", "--wait"]).await;
        assert_eq!(output.code, Some(1), "{output:?}");
        let tally = output.tally();
        assert_eq!((tally.read, tally.failed), (3, 6), "{output:?}");
        for expected in [
            "corpus.jsonl#nul: title: has a control character (U+0000)",
            "corpus.jsonl#address: address: has 8999 characters",
            "corpus.jsonl#title: title: has 501 characters",
            "name: has a character that cannot be seen (U+000A)",
            "corpus.jsonl#early: updated_at: the year 0 is outside the calendar",
            "line 7 of ",
        ] {
            assert!(output.err.contains(expected), "{expected:?} in {}", output.err);
        }
        let listed = installation.succeed(&["document", "list"]).await.out;
        let id = listed.lines().find(|line| line.contains("good.md")).unwrap().split_whitespace().next().unwrap();
        let shown = installation.succeed(&["document", "show", id]).await.out;
        assert!(shown.contains("its own date was left out"), "{shown}");
    })
    .await;
}
