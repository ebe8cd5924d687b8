//! What a set of trial questions must be like.

use std::collections::{BTreeMap, BTreeSet};

use super::wording::says;
use super::{DEMO_CORPORA, Expect, Half, Kind, TrialQuestion};

/// With fewer, a few answers more or less are a tenth of a kind's figure.
const FEWEST: usize = 150;
/// Of each kind: two in each half at least.
const FEWEST_OF_A_KIND: usize = 4;

/// Everything that is wrong with the set. `texts` has the text of every document of the corpora by its path, as it is
/// read when it is loaded.
pub fn lint(questions: &[TrialQuestion], texts: &BTreeMap<String, String>) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut ids, mut asked) = (BTreeSet::new(), BTreeSet::new());
    for question in questions {
        let mut found = Vec::new();
        if !ids.insert(&question.id) {
            found.push("another question has this id".to_owned());
        }
        if !asked.insert((&question.corpus, question.question.to_lowercase())) {
            found.push("another question has these words".to_owned());
        }
        by_itself(question, &mut found);
        against_sources(question, texts, &mut found);
        problems.extend(found.into_iter().map(|what| format!("{}: {what}", question.id)));
    }
    together(questions, &mut problems);
    problems
}

fn by_itself(question: &TrialQuestion, problems: &mut Vec<String>) {
    let mut must = |holds: bool, what: &str| {
        if !holds {
            problems.push(what.to_owned());
        }
    };
    let plain = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '-';
    must(!question.id.is_empty() && question.id.chars().all(plain), "an id is capital letters, digits and hyphens");
    must(!question.question.trim().is_empty(), "there is no question");
    must(DEMO_CORPORA.contains(&question.corpus.as_str()), "there is no such corpus");
    let answered = question.expect == Expect::Answer;
    must(answered != question.must.is_empty(), "`must` is there where an answer is expected, and nowhere else");
    must(answered != question.sources.is_empty(), "`sources` is there where an answer is expected, and nowhere else");
    must(answered || question.must_not.is_empty(), "`must_not` is there only where an answer is expected");
    must(question.must.iter().all(|group| !group.is_empty()), "a group of `must` is empty");
    must(
        (question.kind == Kind::FollowUp) != question.history.is_empty(),
        "`history` is there in follow-ups, and nowhere else",
    );
    let is_unanswerable = matches!(question.kind, Kind::UnanswerableNear | Kind::UnanswerableFar);
    must(!is_unanswerable || question.expect == Expect::Refuse, "what nothing answers is refused");
    must((question.kind == Kind::SmallTalk) == (question.expect == Expect::Reply), "small talk is replied to");
    let contradicts = |words: &String| question.must.iter().flatten().any(|must| says(must, words));
    must(!question.must_not.iter().any(contradicts), "`must_not` has something that `must` asks for");
}

fn against_sources(question: &TrialQuestion, texts: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    let mut sources = Vec::new();
    for source in &question.sources {
        match texts.get(source) {
            Some(text) => sources.push(text),
            None => problems.push(format!("{source} is not there")),
        }
        if !source.starts_with(&format!("demo/{}/", question.corpus)) {
            problems.push(format!("{source} is not of the corpus {}", question.corpus));
        }
    }
    for words in question.must.iter().flatten() {
        if !sources.iter().any(|text| says(text, words)) {
            problems.push(format!("none of its sources says {words:?}"));
        }
    }
}

fn together(questions: &[TrialQuestion], problems: &mut Vec<String>) {
    if questions.len() < FEWEST {
        problems.push(format!("there are {} questions of at least {FEWEST}", questions.len()));
    }
    let count = |kind: Kind, half: Half| {
        questions.iter().filter(|question| question.kind == kind && question.half == half).count()
    };
    for kind in Kind::ALL {
        let (open, sealed) = (count(kind, Half::Open), count(kind, Half::Sealed));
        if open + sealed < FEWEST_OF_A_KIND {
            problems.push(format!("{} has {} questions of at least {FEWEST_OF_A_KIND}", kind.words(), open + sealed));
        }
        if open.abs_diff(sealed) > 1 {
            problems.push(format!("{} has {open} open questions and {sealed} sealed ones", kind.words()));
        }
    }
    for corpus in DEMO_CORPORA {
        let share = questions.iter().filter(|question| question.corpus == corpus).count();
        if share * 5 < questions.len() {
            problems.push(format!("{corpus} has {share} questions, which is less than a fifth"));
        }
    }
}
