//! Addresses with the titles of their documents, for whoever does not know them by number.

use ibidem_ports::catalogue::{Catalogue, CatalogueError};
use ibidem_words::{AddressKey, PassageKey, Scope};

/// What stands in a policy's wording for the title.
const TITLE: &str = "{title}";

/// The wording for each address: `{address}` and `{title}` filled in. Where a document has no title beside its address,
/// the title goes with the brackets around it.
pub(super) async fn suggestions(
    catalogue: &dyn Catalogue,
    scope: &Scope,
    addresses: &[String],
    wording: &str,
) -> Result<Vec<String>, CatalogueError> {
    let titles = if wording.contains(TITLE) { titles(catalogue, scope, addresses).await? } else { Vec::new() };
    let titles = titles.into_iter().map(Some).chain(std::iter::repeat(None));
    Ok(addresses.iter().zip(titles).map(|(address, title)| filled(wording, address, title.as_deref())).collect())
}

fn filled(wording: &str, address: &str, title: Option<&str>) -> String {
    let title = title.filter(|title| !title.is_empty() && !title.eq_ignore_ascii_case(address));
    let wording = match title {
        Some(title) => wording.replace(TITLE, title),
        None => wording.replace(&format!(" ({TITLE})"), "").replace(TITLE, ""),
    };
    wording.replace("{address}", address)
}

/// The title of the document that each address stands for; empty where it was withdrawn meanwhile.
async fn titles(catalogue: &dyn Catalogue, scope: &Scope, addresses: &[String]) -> Result<Vec<String>, CatalogueError> {
    let keys: Vec<AddressKey> = addresses.iter().filter_map(|address| AddressKey::of(address)).collect();
    let documents = catalogue.addressed(scope, None, &keys).await?;
    let first = |document, version| PassageKey { document, version, chunk_index: 0 };
    let firsts: Vec<PassageKey> = documents.iter().map(|named| first(named.document, named.version)).collect();
    let read = catalogue.visible(scope, &firsts).await?;
    let title = |address: &String| {
        let named = documents.iter().find(|named| named.address == *address)?;
        read.iter().find(|passage| passage.passage.document == named.document).map(|passage| passage.title.clone())
    };
    Ok(addresses.iter().map(|address| title(address).unwrap_or_default()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_stands_beside_its_address_unless_it_is_the_same() {
        let wording = "Did you mean {address} ({title})?";
        for (title, expected) in [
            (Some("Use TLS"), "Did you mean ADR-0031 (Use TLS)?"),
            (Some("adr-0031"), "Did you mean ADR-0031?"),
            (Some(""), "Did you mean ADR-0031?"),
            (None, "Did you mean ADR-0031?"),
        ] {
            assert_eq!(filled(wording, "ADR-0031", title), expected);
        }
        assert_eq!(filled("Did you mean {address}?", "ADR-0031", Some("Use TLS")), "Did you mean ADR-0031?");
    }
}
