//! What is in force comes first: a document that was replaced stands behind what replaced it.

use std::collections::BTreeSet;

use crate::candidate::Candidate;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::AddressKey;

/// Whether the document of one passage replaced that of another.
pub(crate) fn replaces(successor: &CataloguePassage, replaced: &CataloguePassage) -> bool {
    let Some(key) = successor.address.as_deref().and_then(AddressKey::of) else { return false };
    let is_it = |address: &String| AddressKey::of(address).as_ref() == Some(&key);
    successor.passage.document != replaced.passage.document && replaced.validity.replaced_by.iter().any(is_it)
}

/// Whether the document of one passage says that it changes that of another in part.
fn amends(amending: &CataloguePassage, amended: &CataloguePassage) -> bool {
    let Some(key) = amended.address.as_deref().and_then(AddressKey::of) else { return false };
    let is_it = |address: &String| AddressKey::of(address).as_ref() == Some(&key);
    let is_of_collection = amending.collection == amended.collection;
    let is_other = amending.passage.document != amended.passage.document;
    is_other && is_of_collection && amending.validity.amending().iter().any(is_it)
}

/// Puts each candidate whose document was replaced behind the best one of what replaced it, if that is there. What the
/// asker named stays where it is.
pub(crate) fn successors_first(candidates: &mut Vec<Candidate>) {
    let behind = |place: usize, candidate: &Candidate| {
        let successor = candidates.iter().position(|other| replaces(&other.passage, &candidate.passage));
        let successor = successor.filter(|_| !candidate.addressed);
        // What was moved comes after what stands where it was moved to.
        successor.filter(|successor| *successor > place).map_or((place, false), |successor| (successor, true))
    };
    let places: Vec<(usize, bool)> =
        candidates.iter().enumerate().map(|(place, candidate)| behind(place, candidate)).collect();
    if places.iter().any(|(_, is_moved)| *is_moved) {
        let mut placed: Vec<_> = places.into_iter().zip(std::mem::take(candidates)).collect();
        placed.sort_by_key(|(place, _)| *place);
        candidates.extend(placed.into_iter().map(|(_, candidate)| candidate));
    }
}

/// The addresses of what replaced a candidate's document and is not among the candidates, each once.
pub(crate) fn missing_successors(candidates: &[Candidate]) -> Vec<AddressKey> {
    let replaced = candidates.iter().filter(|candidate| !candidate.addressed);
    let addresses = replaced.flat_map(|candidate| &candidate.passage.validity.replaced_by);
    let keys: BTreeSet<AddressKey> = addresses.filter_map(|address| AddressKey::of(address)).collect();
    let is_there = |key: &AddressKey| {
        let mut others = candidates.iter().filter_map(|candidate| candidate.passage.address.as_deref());
        others.any(|address| AddressKey::of(address).as_ref() == Some(key))
    };
    keys.into_iter().filter(|key| !is_there(key)).collect()
}

/// The same evidence, as it is if what replaced a document answers for it: its best passage is as likely to answer as that
/// of the document was, and the document says nothing. A document that was changed in part says nothing where what changed
/// it is likely to answer by itself. None where nothing was replaced or changed by something that is there. What the asker
/// named speaks for itself.
pub(crate) fn with_successors_speaking(evidence: &[Candidate]) -> Option<Vec<Candidate>> {
    let mut spoken = evidence.to_vec();
    let mut is_changed = false;
    for (place, replaced) in evidence.iter().enumerate().filter(|(_, candidate)| !candidate.addressed) {
        let successors = evidence.iter().enumerate().filter(|(_, other)| replaces(&other.passage, &replaced.passage));
        // The first of equals.
        let best = successors
            .rev()
            .max_by(|(_, one), (_, other)| one.rerank.unwrap_or(0.0).total_cmp(&other.rerank.unwrap_or(0.0)));
        let is_amended =
            || evidence.iter().any(|other| other.is_likely_to_answer() && amends(&other.passage, &replaced.passage));
        if best.is_none() && !is_amended() {
            continue;
        }
        let lent = spoken[place].rerank.take();
        spoken[place].rerank = lent.map(|_| 0.0);
        spoken[place].answer = None;
        if let Some((best, _)) = best {
            spoken[best].rerank = spoken[best].rerank.into_iter().chain(lent).reduce(f32::max);
        }
        is_changed = true;
    }
    is_changed.then_some(spoken)
}

#[cfg(test)]
mod tests {
    use ibidem_testing::fakes::passage;

    use super::*;

    fn document(number: u128, replaced_by: &[&str]) -> Candidate {
        let mut passage = passage(number, &"ADR".parse().unwrap(), "text");
        passage.address = Some(format!("ADR-{number:04}"));
        passage.validity.replaced_by = replaced_by.iter().map(|&address| address.to_owned()).collect();
        Candidate::unscored(passage)
    }

    fn ordered(mut candidates: Vec<Candidate>) -> Vec<u128> {
        successors_first(&mut candidates);
        candidates.iter().map(|candidate| candidate.passage.passage.document.0.as_u128()).collect()
    }

    #[test]
    fn what_was_replaced_stands_behind_what_replaced_it() {
        let old = || document(3, &["adr 31"]);
        assert_eq!(ordered(vec![old(), document(7, &[]), document(31, &[]), document(9, &[])]), [7, 31, 3, 9]);
        assert_eq!(ordered(vec![document(31, &[]), old(), document(9, &[])]), [31, 3, 9]);
        assert_eq!(ordered(vec![old(), document(9, &[])]), [3, 9], "nothing there that replaced it");
        let named = Candidate { addressed: true, ..old() };
        assert_eq!(ordered(vec![named, document(31, &[])]), [3, 31], "it was asked for");
    }

    #[test]
    fn what_replaced_a_document_is_missing_unless_it_is_there() {
        let missing = |candidates: &[Candidate]| -> Vec<String> {
            missing_successors(candidates).iter().map(|key| key.as_str().to_owned()).collect()
        };
        let key = AddressKey::of("ADR-0031").unwrap().as_str().to_owned();
        assert_eq!(missing(&[document(3, &["ADR-31"]), document(4, &["adr 31"])]), [key]);
        assert!(missing(&[document(3, &["ADR-31"]), document(31, &[])]).is_empty());
        assert!(missing(&[Candidate { addressed: true, ..document(3, &["ADR-31"]) }]).is_empty(), "it was asked for");
    }

    #[test]
    fn what_replaced_a_document_speaks_for_it_by_its_best_passage() {
        let read = |candidate: Candidate, score: f32| Candidate { rerank: Some(score), ..candidate };
        let evidence =
            [read(document(31, &[]), 0.2), read(document(31, &[]), 0.4), read(document(3, &["ADR-31"]), 0.9)];
        let spoken = with_successors_speaking(&evidence).unwrap();
        assert_eq!(spoken.iter().map(|one| one.rerank).collect::<Vec<_>>(), [Some(0.2), Some(0.9), Some(0.0)]);
        assert!(with_successors_speaking(&evidence[..2]).is_none());
    }

    #[test]
    fn what_was_changed_in_part_is_silent_where_what_changed_it_answers() {
        let read = |candidate: Candidate, score: f32| Candidate {
            rerank: Some(score),
            answer: Some(ibidem_words::CharSpan { start: 0, end: 2 }),
            ..candidate
        };
        let amending = |score: f32| {
            let mut amending = document(42, &[]);
            amending.passage.validity.amends = vec!["ADR-7".to_owned()];
            read(amending, score)
        };
        let scores = |evidence: &[Candidate]| {
            with_successors_speaking(evidence).map(|spoken| spoken.iter().map(|one| one.rerank).collect::<Vec<_>>())
        };
        let amended = || read(document(7, &[]), 0.97);
        assert_eq!(scores(&[amended(), amending(0.8)]), Some(vec![Some(0.0), Some(0.8)]), "nothing is lent");
        assert_eq!(scores(&[amended(), amending(0.2)]), None, "of this it says nothing");
        let named = Candidate { addressed: true, ..amended() };
        assert_eq!(scores(&[named, amending(0.8)]), None, "it was asked for");
        let mut draft = amending(0.8);
        draft.passage.validity.status = Some(ibidem_words::Status::Draft);
        assert_eq!(scores(&[amended(), draft]), None, "a draft changes nothing yet");
    }
}
