use super::risk_coverage::{answers, curve};
use super::*;
use crate::golden::run_tests::{measured, of_run};
use crate::reliability::bins;

#[test]
fn hostile_questions_and_names_are_shown_and_never_run() {
    let hostile = "<script>alert('x')</script>\" onload=\"y & \u{202e}z\u{7}";
    let mut question = measured("GS-A-01", true, false);
    question.query = hostile.to_owned();
    question.reason = Some(hostile.to_owned());
    question.actual.doc_ids = vec![hostile.to_owned()];
    question.trace[0].gate = hostile.to_owned();
    let mut results = Results::of(of_run(), vec![question]);
    results.meta.config.policy = hostile.to_owned();
    let page = page(&results, Some(&results));
    assert!(page.contains("&lt;script&gt;alert('x')&lt;/script&gt;&quot; onload=&quot;y &amp; "));
    for forbidden in ["<script", "onload=\"", "\u{202e}", "\u{7}", "javascript:", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden:?}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.matches("<svg").count() == 3 && page.matches("</svg>").count() == 3);
    assert!(page.contains("false refusal") && page.contains("Beside the baseline"));
}

#[test]
fn nothing_measured_is_a_page_too() {
    let page = page(&Results::of(of_run(), Vec::new()), None);
    assert!(page.ends_with("</html>\n") && !page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn risk_falls_when_only_the_surer_answers_are_given() {
    let mut questions = Vec::new();
    for (number, (confidence, right)) in
        [(90.0, true), (80.0, false), (80.0, true), (70.0, false)].into_iter().enumerate()
    {
        let mut question = measured(&format!("GS-A-0{number}"), !right, true);
        question.confidence = Some(confidence);
        questions.push(question);
    }
    // A refusal is among the questions, and not among the answers.
    questions.push(measured("GS-A-09", true, false));
    let points = curve(&questions);
    let expected = [(0.2, 0.0), (0.6, 1.0 / 3.0), (0.8, 0.5)];
    assert_eq!(points.len(), expected.len());
    for (point, expected) in points.iter().zip(expected) {
        assert!((point.0 - expected.0).abs() < 1e-9 && (point.1 - expected.1).abs() < 1e-9, "{points:?}");
    }
    let bins: Vec<(usize, f64)> = bins(answers(&questions), 5.0).iter().map(|bin| (bin.count, bin.right)).collect();
    assert_eq!(bins, [(1, 0.0), (2, 0.5), (1, 1.0)]);
}
