//! Questions, replies and figures, by example.

use std::collections::BTreeMap;

use super::judged::{Judged, judge};
use super::lint::lint;
use super::reply::{Gave, Reply};
use super::score::Report;
use super::{Expect, Half, Kind, TrialQuestion, sample};

fn question(id: &str) -> TrialQuestion {
    TrialQuestion {
        id: id.to_owned(),
        kind: Kind::Direct,
        corpus: "handbook".to_owned(),
        policy: "handbook".to_owned(),
        question: format!("How many days of leave are there, {id}?"),
        history: Vec::new(),
        expect: Expect::Answer,
        must: vec![vec!["27".to_owned(), "twenty-seven".to_owned()]],
        must_not: vec!["30".to_owned()],
        sources: vec!["demo/handbook/leave.md".to_owned()],
        passages: Vec::new(),
        half: Half::Open,
    }
}

fn expecting(id: &str, expect: Expect, kind: Kind) -> TrialQuestion {
    TrialQuestion { expect, kind, must: Vec::new(), must_not: Vec::new(), sources: Vec::new(), ..question(id) }
}

fn reply(gave: Gave, answer: &str, source: &str, confidence: Option<f64>) -> Reply {
    Reply {
        id: String::new(),
        gave,
        answer: answer.to_owned(),
        reason: None,
        confidence,
        sources: vec![source.to_owned()],
        passages: Vec::new(),
        simplified: Vec::new(),
        observed: std::collections::BTreeMap::new(),
        seconds: 0.5,
    }
}

fn answer(text: &str) -> Reply {
    reply(Gave::Answer, text, "leave.md", Some(70.0))
}

#[test]
fn an_answer_is_right_that_says_all_it_must_nothing_it_must_not_and_cites_a_source() {
    for (reply, judged, why) in [
        (answer("There are 27 days. [1]"), Judged::Right, ""),
        (answer("There are twenty-seven days. [1]"), Judged::Right, ""),
        (answer("There are days. [1]"), Judged::Wrong, "does not say \"27 or twenty-seven\""),
        (answer("There are days. [27] Take them. [^27]"), Judged::Wrong, "does not say"),
        (answer("There are 27 days, formerly 30. [1]"), Judged::Wrong, "it says \"30\""),
        (reply(Gave::Answer, "27", "sick_leave.md", None), Judged::Wrong, "it cites sick_leave.md"),
        (reply(Gave::Answer, "27", "demo/handbook/leave.md", None), Judged::Right, ""),
        (reply(Gave::Refusal, "", "", None), Judged::WronglyRefused, "refused (no reason)"),
        (reply(Gave::Reply, "Hello!", "", None), Judged::Wrong, "small talk"),
    ] {
        let (found, reason) = judge(&question("A-1"), &reply);
        assert_eq!(found, judged, "{reply:?}");
        assert!(reason.unwrap_or_default().contains(why), "{reply:?}");
    }
}

#[test]
fn what_nothing_answers_is_refused_and_a_greeting_is_replied_to() {
    let near = expecting("N-1", Expect::Refuse, Kind::UnanswerableNear);
    let hello = expecting("H-1", Expect::Reply, Kind::SmallTalk);
    for (question, gave, judged) in [
        (&near, Gave::Refusal, Judged::Right),
        (&near, Gave::Answer, Judged::WronglyAnswered),
        (&near, Gave::Reply, Judged::Wrong),
        (&hello, Gave::Reply, Judged::Right),
        (&hello, Gave::Answer, Judged::Wrong),
        (&hello, Gave::Refusal, Judged::WronglyRefused),
    ] {
        assert_eq!(judge(question, &reply(gave, "words", "leave.md", None)).0, judged, "{gave:?}");
    }
}

#[test]
fn a_report_counts_by_kind_and_shows_the_worst_first() {
    let near = expecting("N-1", Expect::Refuse, Kind::UnanswerableNear);
    let replies = vec![
        (question("A-1"), reply(Gave::Answer, "27", "leave.md", Some(70.0))),
        (question("A-2"), reply(Gave::Answer, "28", "leave.md", Some(60.0))),
        (question("A-3"), reply(Gave::Refusal, "", "", None)),
        (near, reply(Gave::Answer, "28", "leave.md", Some(90.0))),
    ];
    let report = Report::of("extractive".to_owned(), replies);
    let ids: Vec<&str> = report.questions.iter().map(|scored| scored.question.id.as_str()).collect();
    assert_eq!(ids, ["N-1", "A-2", "A-3", "A-1"]);
    let direct = report.by_kind[&Kind::Direct];
    assert_eq!((direct.questions, direct.right, direct.wrong, direct.wrongly_refused), (3, 1, 1, 1));
    assert_eq!(report.answerable, direct);
    assert_eq!((report.unanswerable.questions, report.unanswerable.wrongly_answered), (1, 1));
    assert_eq!(report.confidence.right_median, Some(70.0));
    assert_eq!(report.confidence.wrong_median, Some(60.0));
    assert_eq!((report.confidence.wrong_and_high, report.confidence.right_and_high), (1, 0));
    assert_eq!(report.confidence.area_under_curve, Some(0.5));
    let points: Vec<(usize, f64)> = report.confidence.reliability.iter().map(|bin| (bin.count, bin.right)).collect();
    assert_eq!(points, [(1, 0.0), (1, 1.0), (1, 0.0)]);
    assert_eq!(report.by_corpus["handbook"].questions, 4);
    let written = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&written).unwrap(), report);
}

#[test]
fn a_set_names_what_is_wrong_with_it() {
    let texts = BTreeMap::from([("demo/handbook/leave.md".to_owned(), "There are 27 days of leave.".to_owned())]);
    let twice = [question("A-1"), question("A-1")];
    let history = vec![serde_json::from_str(r#"{"role": "user", "content": "Hello"}"#).unwrap()];
    let elsewhere = vec!["demo/support/articles/none.md".to_owned()];
    let broken = [
        TrialQuestion { history, ..question("B-1") },
        TrialQuestion { sources: elsewhere, ..question("B-2") },
        TrialQuestion { must: Vec::new(), ..question("B-3") },
        TrialQuestion { must_not: vec!["27".to_owned()], ..question("b 4") },
        TrialQuestion { expect: Expect::Refuse, ..question("B-5") },
    ];
    let problems = lint(&[&twice[..], &broken[..]].concat(), &texts).join("\n");
    for problem in [
        "A-1: another question has this id",
        "A-1: another question has these words",
        "A-1: none of its sources says \"twenty-seven\"",
        "B-1: `history` is there in follow-ups",
        "B-2: demo/support/articles/none.md is not there",
        "B-2: demo/support/articles/none.md is not of the corpus handbook",
        "B-3: `must` is there where an answer is expected",
        "b 4: an id is capital letters, digits and hyphens",
        "b 4: `must_not` has something that `must` asks for",
        "B-5: `sources` is there where an answer is expected",
        "there are 7 questions of at least 150",
        "range has 0 questions",
        "direct has 7 open questions and 0 sealed ones",
        "support has 0 questions",
    ] {
        assert!(problems.contains(problem), "{problem}\n{problems}");
    }
}

#[test]
fn a_sample_is_taken_evenly() {
    let questions: Vec<TrialQuestion> = (0..10).map(|number| question(&format!("A-{number}"))).collect();
    let ids = |most: usize| -> Vec<String> {
        sample(questions.clone(), most).into_iter().map(|question| question.id).collect()
    };
    assert_eq!(ids(3), ["A-3", "A-6", "A-9"]);
    assert_eq!(ids(10).len(), 10);
    assert_eq!(ids(99).len(), 10);
    assert!(ids(0).is_empty());
}
