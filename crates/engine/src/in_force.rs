//! What is in force comes first: a document that was replaced stands behind what replaced it.

use ibidem_words::ports::catalogue::CataloguePassage;
use ibidem_words::{AddressKey, Candidate};

/// Whether the document of one passage replaced that of another.
pub(crate) fn replaces(successor: &CataloguePassage, replaced: &CataloguePassage) -> bool {
    let Some(key) = successor.address.as_deref().and_then(AddressKey::of) else { return false };
    let is_it = |address: &String| AddressKey::of(address).as_ref() == Some(&key);
    successor.passage.document != replaced.passage.document && replaced.standing.replaced_by.iter().any(is_it)
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

#[cfg(test)]
mod tests {
    use ibidem_words::fakes::passage;

    use super::*;

    fn document(number: u128, replaced_by: &[&str]) -> Candidate {
        let mut passage = passage(number, &"ADR".parse().unwrap(), "text");
        passage.address = Some(format!("ADR-{number:04}"));
        passage.standing.replaced_by = replaced_by.iter().map(|&address| address.to_owned()).collect();
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
}
