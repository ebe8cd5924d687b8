//! Ids as people read and write them: the first characters, as many as it takes to tell them apart.

use std::fmt;
use std::str::FromStr;

use ibidem_store::Store;
use ibidem_wiring::terminal::Terminal;
use ibidem_words::{DocumentId, TenantId};
use uuid::Uuid;

/// So many characters are shown at least, and asked for at least.
const FEWEST: usize = 8;
const FEWEST_GIVEN: usize = 4;

/// How a list shows its ids: short to people, whole to programs.
pub(crate) struct ShownIds(usize);

impl ShownIds {
    pub(crate) fn of(ids: impl IntoIterator<Item = Uuid>) -> Self {
        match Terminal::of_output().is_for_people() {
            true => Self(shortest(ids)),
            false => Self(usize::MAX),
        }
    }

    pub(crate) fn show(&self, id: Uuid) -> String {
        match self.0 {
            usize::MAX => id.to_string(),
            length => id.simple().to_string()[..length].to_owned(),
        }
    }
}

/// How many characters tell all of them apart.
fn shortest(ids: impl IntoIterator<Item = Uuid>) -> usize {
    let mut ids: Vec<String> = ids.into_iter().map(|id| id.simple().to_string()).collect();
    ids.sort_unstable();
    ids.dedup();
    let alike = |pair: &[String]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
    ids.windows(2).map(|pair| alike(pair) + 1).max().unwrap_or(0).max(FEWEST)
}

/// An id as somebody wrote it: whole, or its beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GivenId(String);

impl FromStr for GivenId {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let digits: String = written.chars().filter(|c| *c != '-').collect::<String>().to_lowercase();
        let is_id = (FEWEST_GIVEN..=32).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_hexdigit());
        is_id.then_some(Self(digits)).ok_or_else(|| {
            format!("an id, or at least its first {FEWEST_GIVEN} characters, as lists show them: 0 to 9 and a to f")
        })
    }
}

impl fmt::Display for GivenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(id) => id.fmt(f),
            None => f.write_str(&self.0),
        }
    }
}

impl GivenId {
    /// What has the length and the form of the ids in lists.
    pub(crate) fn as_shown(written: &str) -> Option<Self> {
        written.parse().ok().filter(|id: &Self| id.0.len() >= FEWEST)
    }

    fn whole(&self) -> Option<Uuid> {
        if self.0.len() == 32 { self.0.parse().ok() } else { None }
    }

    /// The one of these that is meant. A whole id is meant whether it is among them or not.
    pub(crate) fn among(&self, ids: impl IntoIterator<Item = Uuid>) -> anyhow::Result<Option<Uuid>> {
        if let Some(id) = self.whole() {
            return Ok(Some(id));
        }
        let mut meant = ids.into_iter().filter(|id| id.simple().to_string().starts_with(&self.0));
        let (first, second) = (meant.next(), meant.next());
        anyhow::ensure!(second.is_none(), "more than one id begins with {self}; write more of it");
        Ok(first)
    }

    /// The document or the entry of curated memory that is meant.
    pub(crate) async fn in_catalogue(&self, store: &Store, tenant: TenantId) -> anyhow::Result<Option<Uuid>> {
        if let Some(id) = self.whole() {
            return Ok(Some(id));
        }
        // Ids are read in order: those that begin so follow the last that is smaller.
        let lowest: u128 = u128::from_str_radix(&format!("{:0<32}", self.0), 16)?;
        let before = (tenant, DocumentId(Uuid::from_u128(lowest.saturating_sub(1))));
        let found = store.page_of_documents(Some(before), None, 2).await?;
        self.among(found.into_iter().filter(|(of, _)| *of == tenant).map(|(_, id)| id.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Uuid {
        format!("{text:0<32}").parse().unwrap()
    }

    #[test]
    fn as_many_characters_are_shown_as_tell_them_apart() {
        assert_eq!(shortest([]), FEWEST);
        assert_eq!(shortest([id("1"), id("2")]), FEWEST);
        assert_eq!(shortest([id("0123456789a"), id("0123456789b"), id("0123456789b")]), 11);
    }

    #[test]
    fn an_id_is_known_by_its_beginning_and_never_guessed() {
        let ids = [id("abcd1"), id("abcd2"), id("ef01")];
        let among = |written: &str| written.parse::<GivenId>().unwrap().among(ids);
        assert_eq!(among("ABCD-1").unwrap(), Some(ids[0]));
        assert_eq!(among("ef01").unwrap(), Some(ids[2]));
        assert_eq!(among("9999").unwrap(), None);
        assert_eq!(among(&id("9999").to_string()).unwrap(), Some(id("9999")), "whole");
        assert!(among("abcd").unwrap_err().to_string().contains("more than one"));
        for wrong in ["abc", "xyz1", "", "abcd/1", &"a".repeat(33)] {
            assert!(wrong.parse::<GivenId>().is_err(), "{wrong:?}");
        }
    }
}
