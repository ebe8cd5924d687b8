//! What fits, at the borders and on the whole.

use std::sync::{Arc, LazyLock};

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_testing::fakes::{FakeModel, FakeTokenizer, passage};
use ibidem_words::Message;
use proptest::prelude::*;

use super::*;
use crate::speak::footnotes::Footnotes;

const BUDGET: Budget = Budget { system_prompt: 500, history: 1_000, context: 3_000 };
const LIMITS: ModelLimits = ModelLimits { window: 8_192, response: 1_024 };
/// What these leave when the system prompt is within its reserve.
const REST: usize = 8_192 - 1_024 - 500;

/// Messages in turn: the asker's, the system's answer to it, and so on.
fn in_turn(tokens: &[usize]) -> Vec<(bool, usize)> {
    tokens.iter().enumerate().map(|(place, tokens)| (place % 2 == 0, *tokens)).collect()
}

fn counted(question: usize, history: &[usize], notes: &[usize]) -> Counted {
    let (history, best_first) = (in_turn(history), (0..notes.len()).collect());
    Counted { question, history, notes: notes.to_vec(), best_first, ..Counted::default() }
}

fn allotted(counted: &Counted) -> Allotted {
    allocate(BUDGET, LIMITS, counted).unwrap()
}

fn refused(budget: Budget, limits: ModelLimits, counted: &Counted) -> String {
    let refusal = allocate(budget, limits, counted).unwrap_err();
    assert_eq!((refusal.reason, refusal.suggestions.len()), (Reason::BudgetExceeded, 1));
    refusal.explanation
}

#[test]
fn nothing_is_dropped_when_everything_fits() {
    let counted = Counted {
        system_prompt: 400,
        background: vec![100, 50],
        around_background: 20,
        ..counted(30, &[300, 300, 200, 200], &[600, 700, 800, 730])
    };
    let allotted = allotted(&counted);
    assert_eq!((allotted.history, allotted.evidence, allotted.background), (vec![0, 1, 2, 3], vec![0, 1, 2, 3], 2));
    let tokens = TokensByPart { system_prompt: 400, history: 1_000, context: 3_000, question: 30 };
    assert_eq!((allotted.tokens, allotted.tokens.prompt()), (tokens, 4_430));
}

#[test]
fn test_truncate_history_overflow() {
    let kept = |history: &[usize]| allotted(&counted(30, history, &[100])).history;
    assert_eq!(kept(&[1, 300, 300, 400]), [1, 2, 3], "the oldest goes");
    assert_eq!(kept(&[1, 300, 300, 399]), [0, 1, 2, 3]);
    assert_eq!(kept(&[10, 999, 10, 10]), [2, 3], "nothing older than what does not fit");
    assert_eq!(kept(&[]), [0_usize; 0]);
}

#[test]
fn test_truncate_history_keeps_recent() {
    let kept = |history: &[usize]| allotted(&counted(30, history, &[100])).history;
    assert_eq!(kept(&[500, 500, 500, 500]), [2, 3]);
    assert_eq!(kept(&[10, 10, 2_000, 10]), [2], "the asker's last message stays, whatever its length");
    assert_eq!(kept(&[10, 10, 10, 2_000]), [2], "also where the answer to it does not");
    assert_eq!(kept(&[10, 10, 990, 10]), [2, 3]);
    assert_eq!(kept(&[10, 10, 991, 10]), [2]);
    // Nobody asked anything: there is nothing that must stay.
    let unasked = Counted { history: vec![(false, 1_001)], ..counted(30, &[], &[100]) };
    assert_eq!(allotted(&unasked).history, [0_usize; 0]);
}

#[test]
fn history_is_at_most_a_third_of_what_is_left() {
    // 2,400 − 500 − 400 leave 1,500, a third of which is 500.
    let limits = ModelLimits { window: 2_400, response: 400 };
    for (oldest, kept) in [(199, 2), (200, 2), (201, 1)] {
        let counted = counted(30, &[oldest, 300], &[100]);
        let history = allocate(BUDGET, limits, &counted).unwrap().history;
        // The asker's message is the older one, and stays; the other fits beside it or does not.
        assert_eq!(history.len(), kept, "{oldest}");
    }
}

#[test]
fn the_real_system_prompt_counts_where_it_is_longer_than_its_reserve() {
    for (system_prompt, fits) in [(0, true), (500, true), (501, false)] {
        let counted = Counted { system_prompt, ..counted(REST - 10, &[], &[10]) };
        assert_eq!(allocate(BUDGET, LIMITS, &counted).is_ok(), fits, "{system_prompt}");
    }
}

#[test]
fn a_question_that_does_not_fit_with_the_last_message_is_refused_with_the_numbers() {
    for last in [0, 2_000] {
        let history: &[usize] = if last == 0 { &[] } else { &[last, 900] };
        assert!(allocate(BUDGET, LIMITS, &counted(REST - last - 1, history, &[1])).is_ok());
        assert!(allocate(BUDGET, LIMITS, &counted(REST - last, history, &[])).is_ok(), "exactly");
        assert_eq!(
            refused(BUDGET, LIMITS, &counted(REST - last + 1, history, &[])),
            "Tokens of the question with the last message before it (6669) above what the model's window leaves (6668)"
        );
    }
    let tiny = ModelLimits { window: 1_000, response: 1_024 };
    assert!(refused(BUDGET, tiny, &counted(1, &[], &[])).ends_with("leaves (0)"));
}

#[test]
fn evidence_that_cannot_be_shown_at_all_is_refused_with_the_numbers() {
    assert!(allocate(BUDGET, LIMITS, &counted(REST - 100, &[], &[100, 50])).is_ok());
    let explanation = refused(BUDGET, LIMITS, &counted(REST - 99, &[], &[100, 50]));
    assert_eq!(explanation, "Tokens of the best passage (100) above what is left for passages (99)");
    assert!(refused(BUDGET, LIMITS, &counted(1, &[], &[3_001])).contains("(3001) above"));
}

#[test]
fn the_conversation_gives_way_to_the_best_passage() {
    let counted = counted(REST - 500, &[100, 100, 100, 100], &[300, 200]);
    let allotted = allotted(&counted);
    assert_eq!((allotted.history, allotted.evidence), (vec![2, 3], vec![0]));
}

#[test]
fn context_ends_at_its_own_limit_and_at_what_is_left() {
    for (last, kept) in [(999, 3), (1_000, 3), (1_001, 2)] {
        assert_eq!(allotted(&counted(30, &[], &[1_000, 1_000, last])).evidence.len(), kept, "{last}");
        assert_eq!(allotted(&counted(REST - 3_000 + 1_000, &[], &[500, 500, last])).evidence.len(), kept, "{last}");
    }
}

#[test]
fn the_lowest_scored_goes_first_and_what_is_kept_stays_in_order() {
    let counted = Counted { best_first: vec![2, 0, 3, 1], ..counted(30, &[], &[1_000, 10, 1_500, 900]) };
    let allotted = allotted(&counted);
    assert_eq!(allotted.evidence, [0, 2], "a short one does not outlive a better one");
    assert_eq!(allotted.tokens.context, 2_500);
}

#[test]
fn background_has_what_the_evidence_leaves() {
    for (background, kept) in [([60, 20], 2), ([60, 21], 1), ([80, 1], 1), ([81, 1], 0)] {
        let counted = Counted { background: background.to_vec(), around_background: 20, ..counted(30, &[], &[2_900]) };
        let allotted = allotted(&counted);
        assert_eq!(allotted.background, kept, "{background:?}");
        assert_eq!(allotted.tokens.context > 2_900, kept > 0);
    }
}

fn candidate(number: u128, cosine: f32, rerank: Option<f32>, text: &str) -> Candidate {
    let passage =
        CataloguePassage { title: "Manual".to_owned(), tokens: 1, ..passage(number, &"Book".parse().unwrap(), text) };
    Candidate { cosine: Some(cosine), rerank, ..Candidate::unscored(passage) }
}

#[test]
fn the_judge_decides_what_is_best_then_the_similarity_then_the_source_id() {
    let by_cosine = [candidate(3, 0.5, None, ""), candidate(2, 0.9, None, ""), candidate(1, 0.5, None, "")];
    assert_eq!(best_first(&by_cosine), [1, 2, 0]);
    let judged = [
        candidate(4, 0.9, Some(0.1), ""),
        candidate(3, 0.2, Some(0.8), ""),
        candidate(2, 0.3, Some(0.8), ""),
        candidate(1, 0.2, Some(0.8), ""),
    ];
    assert_eq!(best_first(&judged), [2, 3, 1, 0]);
}

#[test]
fn a_kind_that_was_promised_a_place_comes_right_behind_the_best() {
    let mut judged: Vec<Candidate> = [0.9, 0.8, 0.7, 0.1]
        .iter()
        .zip(1..)
        .map(|(score, number)| candidate(number, 0.5, Some(*score), "text"))
        .collect();
    judged[3].promised = Some(Promise::Kind);
    assert_eq!(best_first(&judged), [0, 3, 1, 2]);
}

fn rules() -> &'static SpeakRules {
    static RULES: LazyLock<SpeakRules> = LazyLock::new(|| {
        let policy = crate::policy::Policy::parse(include_str!("../../../../../policies/book.yaml")).unwrap();
        SpeakRules { background_prompt: "Know this, and do not say it:".to_owned(), ..policy.rules.speak }
    });
    &RULES
}

fn model(limits: ModelLimits) -> NamedModel {
    let model = NamedModel::unknown(Arc::new(FakeModel::saying(&["Oil."])));
    NamedModel { limits, tokenizer: Part::bare(Arc::new(FakeTokenizer)), ..model }
}

fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

#[tokio::test]
async fn what_is_not_worth_counting_does_not_fit() {
    let message = |role, content| Message { role, content, timestamp: None };
    // One word, and longer than any window.
    let endless = "x".repeat(BYTES_FOR_A_TOKEN * LIMITS.window as usize + 1);
    let history = vec![message(Speaker::Assistant, endless.clone()), message(Speaker::User, words(3))];
    let mut question = Question::new("How much oil?");
    question.history = history;
    let evidence = [candidate(1, 0.9, None, "Oil.")];
    let allotted = allot(rules(), &model(LIMITS), &question, &evidence, &[], Deadline::NONE).await.unwrap();
    assert_eq!(allotted.history, [1]);
    question.history = vec![message(Speaker::User, endless)];
    let refusal = allot(rules(), &model(LIMITS), &question, &evidence, &[], Deadline::NONE).await.unwrap_err();
    assert_eq!(refusal.reason, Reason::BudgetExceeded);
}

prop_compose! {
    fn turn()(
        asked in 1_usize..60,
        history in proptest::collection::vec((0_u8..3, 0_usize..400), 0..12),
        notes in proptest::collection::vec((0.0_f32..1.0, 1_usize..300), 1..12),
        background in proptest::collection::vec(1_usize..80, 0..4),
    ) -> (Question, Vec<Candidate>, Vec<String>) {
        let roles = [Speaker::User, Speaker::Assistant, Speaker::System];
        let message = |(role, count): (u8, usize)| {
            Message { role: roles[usize::from(role)], content: words(count), timestamp: None }
        };
        let mut question = Question::new(words(asked));
        question.history = history.into_iter().map(message).collect();
        let notes = (1..).zip(notes).map(|(number, (cosine, count))| candidate(number, cosine, None, &words(count)));
        (question, notes.collect(), background.into_iter().map(words).collect())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_whole_prompt_never_exceeds_the_window_without_the_answer(
        (question, evidence, background) in turn(),
        window in 300_u32..9_000,
        response in 1_u32..1_100,
    ) {
        let (rules, limits) = (rules(), ModelLimits { window, response });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let allotted = runtime.block_on(allot(rules, &model(limits), &question, &evidence, &background, Deadline::NONE));
        let Ok(allotted) = allotted else { return Ok(()) };
        let (kept, dropped) = allotted.part(evidence.clone());
        prop_assert_eq!(kept.len() + dropped.len(), evidence.len());
        prop_assert!(!kept.is_empty(), "nothing is asked without evidence");
        let prompt = prompt::prompt(rules, &allotted, &question, &Footnotes::mint(&kept), &background);
        let real: usize =
            prompt.messages.iter().map(|message| FakeTokenizer::tokens(&message.content) + AROUND_A_MESSAGE).sum();
        prop_assert_eq!(real + AROUND_A_PROMPT, allotted.tokens.prompt(), "what was counted is what is asked");
        prop_assert!(real + AROUND_A_PROMPT <= (window - response) as usize);
        prop_assert!(prompt.max_tokens <= response && prompt.max_tokens <= rules.max_answer_tokens);
        let worst_kept = kept.iter().map(Candidate::similarity).fold(f64::MAX, f64::min);
        prop_assert!(dropped.iter().all(|dropped| dropped.similarity() <= worst_kept));
        let last = question.history.iter().rposition(|message| message.role == Speaker::User);
        prop_assert!(last.is_none_or(|last| allotted.history.contains(&last)));
        prop_assert!(allotted.history.is_sorted());
        let newest: Vec<usize> = allotted.history.iter().copied().filter(|place| Some(*place) != last).collect();
        let missing = |place: &usize| !allotted.history.contains(place);
        let oldest = newest.first().copied().unwrap_or(usize::MAX);
        prop_assert!(!(0..question.history.len()).filter(missing).any(|place| place > oldest), "newest first");
    }
}
