use super::*;

pub(super) fn token(text: &str, probability: f64) -> LikelyToken {
    LikelyToken { text: text.to_owned(), logprob: probability.ln() }
}

#[test]
fn every_spelling_of_yes_and_no_counts_and_nothing_else_does() {
    let tokens =
        [token("Yes", 0.3), token(" yes", 0.2), token("\u{2581}YES.", 0.1), token("No", 0.15), token("no,", 0.05)];
    let others = [token("Not", 0.1), token("Yesterday", 0.05), token("", 0.02), token("The", 0.01)];
    let all: Vec<LikelyToken> = tokens.into_iter().chain(others.clone()).collect();
    assert!((likelihood_of_yes(&all).unwrap() - 0.75).abs() < 1e-6);
    assert_eq!(likelihood_of_yes(&others), None);
    assert_eq!(likelihood_of_yes(&[]), None);
    assert_eq!(likelihood_of_yes(&[token("yes", 1e-9)]), Some(1.0));
    assert_eq!(likelihood_of_yes(&[token("no", 1e-9)]), Some(0.0));
    // A server that writes impossibility as minus infinity, and one that writes nonsense.
    assert_eq!(likelihood_of_yes(&[token("yes", 0.0), token("no", 0.0)]), None);
    assert_eq!(likelihood_of_yes(&[token("yes", f64::NAN)]), None);
}

#[test]
fn a_prompt_has_a_place_for_each_of_two_texts() {
    let cases = [
        (YesNoPrompt::about_passages("Is {passage} it?"), "{question}"),
        (YesNoPrompt::about_passages("Is {question} it?"), "{passage}"),
        (YesNoPrompt::about_passages("{passage} {passage} {question}"), "{passage}"),
        (YesNoPrompt::about_passages(""), "{question}"),
        (YesNoPrompt::about_passages("{premise} {claim}"), "{question}"),
        (YesNoPrompt::about_claims("Is {claim} so?"), "{premise}"),
        (YesNoPrompt::about_claims("{premise} and {premise}: is {claim} so?"), "{premise}"),
        (YesNoPrompt::about_claims("{question} {passage}"), "{premise}"),
    ];
    for (refused, missing) in cases {
        let refused = refused.unwrap_err();
        assert!(refused.contains(missing), "{refused}");
    }
}
