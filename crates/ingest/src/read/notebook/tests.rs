use super::*;

const TIDES: &str = include_str!("../../../tests/fixtures/tides.ipynb");

#[test]
fn words_code_and_short_outputs_are_read() {
    let read = extract(TIDES).unwrap();
    assert_eq!(
        read.text,
        "Tides\n\nHow high the water stands.\n\nMeasurements\n\n- by hand\n- by a gauge\n\nimport pandas\nheights = pandas.Series([2.1, 2.4])\nheights.mean()\n\nOutput:\n2.25\n\nResult\n\nThe mean is 2.25 m."
    );
    assert_eq!(read.title.as_deref(), Some("Tides"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Measurements", "Result"]);
    assert_eq!(read.remarks, ["1 long outputs of code were left out"]);
}

#[test]
fn what_a_notebook_says_of_itself_is_read() {
    let front = r#"{"cells": [{"cell_type": "raw", "source": "---\ntitle: Waves\naddress: W-2\n---"}, {"cell_type": "markdown", "source": "Words."}], "metadata": {"title": "Other"}}"#;
    let read = extract(front).unwrap();
    assert_eq!((read.title.as_deref(), read.stated.address.as_deref()), (Some("Waves"), Some("W-2")));
    assert_eq!(read.text, "Words.");
}

#[test]
fn notebooks_before_version_4_are_read() {
    let old = r#"{"worksheets": [{"cells": [{"cell_type": "heading", "level": 1, "source": ["Tides"]}, {"cell_type": "code", "input": ["1 + 1"], "outputs": [{"output_type": "pyout", "text": ["2"]}, {"output_type": "stream", "stream": "stderr", "text": "warned"}]}]}]}"#;
    assert_eq!(extract(old).unwrap().text, "Tides\n\n1 + 1\n\nOutput:\n2");
}

#[test]
fn a_notebook_without_words_is_refused_with_a_reason() {
    let code = r#"{"cells": [{"cell_type": "code", "source": "x = 1"}, {"cell_type": "markdown", "source": "---"}]}"#;
    assert!(extract(code).unwrap_err().to_string().contains("no cell of text, only code"));
    assert!(extract("{}").is_err());
}

#[test]
fn what_is_damaged_or_hostile_ends_in_a_reason() {
    let cells = format!(r#"{{"cells": [{}{{}}]}}"#, r#"{"cell_type": "raw"},"#.repeat(MOST_CELLS + 1));
    for json in ["", "[]", "text", &TIDES[..300], &"[".repeat(100_000), &cells, r#"{"cells": [{"cell_type": 7}]}"#] {
        assert!(matches!(extract(json), Err(ReadError::Unreadable { .. })), "{}", &json[..json.len().min(40)]);
    }
}
