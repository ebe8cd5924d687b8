//! Between the words of the engine and the types of the database.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{
    AddressKey, CollectionName, DocumentKind, HandIn, LinesAbove, PassageKey, Scope, Sha256Hash, Tag, Validity,
};
use uuid::Uuid;

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
pub(crate) fn corrupt(error: impl ToString) -> CatalogueError {
    CatalogueError::Corrupt(error.to_string())
}

pub(crate) fn to_i32(number: impl TryInto<i32>) -> Result<i32, CatalogueError> {
    number.try_into().map_err(|_| corrupt("a number is too large for its column"))
}

pub(crate) fn to_u32(number: i32) -> Result<u32, CatalogueError> {
    number.try_into().map_err(corrupt)
}

pub(crate) fn to_digest(bytes: &[u8]) -> Result<Sha256Hash, CatalogueError> {
    bytes.try_into().map_err(|_| corrupt("a digest does not have 32 bytes"))
}

pub(crate) fn to_tags(names: Vec<String>) -> Result<Vec<Tag>, CatalogueError> {
    names.into_iter().map(|name| name.try_into().map_err(corrupt)).collect()
}

/// Sorted and without repeats, so that equal sets are equal columns.
pub(crate) fn tag_names(tags: &[Tag]) -> Vec<String> {
    let mut names: Vec<String> = tags.iter().map(|tag| tag.as_str().to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(crate) fn to_address_key(written: &str) -> Result<AddressKey, CatalogueError> {
    AddressKey::of(written).ok_or_else(|| corrupt("an address without a letter or digit"))
}

/// What of a document's tags lets it be seen.
pub(crate) fn scope_tags(scope: &Scope) -> Vec<String> {
    scope.tags().map(|tag| tag.as_str().to_owned()).collect()
}

/// Passages as a query takes them.
pub(crate) struct KeyColumns {
    pub(crate) documents: Vec<Uuid>,
    pub(crate) versions: Vec<i32>,
    pub(crate) chunks: Vec<i32>,
}

impl KeyColumns {
    pub(crate) fn of(passages: &[PassageKey]) -> Result<Self, CatalogueError> {
        Ok(Self {
            documents: passages.iter().map(|passage| passage.document.0).collect(),
            versions: passages.iter().map(|passage| to_i32(passage.version)).collect::<Result<_, _>>()?,
            chunks: passages.iter().map(|passage| to_i32(passage.chunk_index)).collect::<Result<_, _>>()?,
        })
    }
}

pub(crate) fn to_collection(name: String) -> Result<CollectionName, CatalogueError> {
    name.try_into().map_err(corrupt)
}

/// A right to hand documents in, as its column has it: null is every collection.
pub(crate) fn hand_in_column(hand_in: &HandIn) -> Option<Vec<String>> {
    matches!(hand_in, HandIn::Only(_)).then(|| hand_in.to_names())
}

pub(crate) fn to_hand_in(names: Option<Vec<String>>) -> Result<HandIn, CatalogueError> {
    names.map_or(Ok(HandIn::Everywhere), |names| HandIn::parse(&names).map_err(corrupt))
}

pub(crate) fn to_kind(name: Option<String>) -> Result<Option<DocumentKind>, CatalogueError> {
    name.map(|name| name.try_into().map_err(corrupt)).transpose()
}

pub(crate) fn to_lines_above(stored: serde_json::Value) -> Result<LinesAbove, CatalogueError> {
    serde_json::from_value(stored).map_err(corrupt)
}

/// What a document says of its standing, with the addresses of those that say they replace it.
pub(crate) fn to_validity(
    stored: serde_json::Value,
    replaced_by: Option<Vec<String>>,
) -> Result<Validity, CatalogueError> {
    let mut validity: Validity = serde_json::from_value(stored).map_err(corrupt)?;
    for address in replaced_by.into_iter().flatten() {
        let is_known = |known: &String| AddressKey::of(known) == AddressKey::of(&address);
        if !validity.replaced_by.iter().any(is_known) {
            validity.replaced_by.push(address);
        }
    }
    Ok(validity)
}

pub(crate) fn to_parsed<T: std::str::FromStr>(written: &str) -> Result<T, CatalogueError>
where
    T::Err: ToString,
{
    written.parse().map_err(|error: T::Err| corrupt(error.to_string()))
}

pub(crate) fn vector_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn to_vector(bytes: &[u8]) -> Result<Vec<f32>, CatalogueError> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(corrupt("a vector has a broken number"));
    }
    Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_reads_back_bit_for_bit() {
        let vector = vec![0.25, -1.0, f32::MIN_POSITIVE, 0.1];
        assert_eq!(to_vector(&vector_bytes(&vector)).unwrap(), vector);
        assert!(to_vector(&[1, 2, 3]).is_err());
    }

    #[test]
    fn equal_sets_of_tags_are_equal_columns() {
        let tags = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<Tag>>();
        assert_eq!(tag_names(&tags(&["b", "a", "b"])), tag_names(&tags(&["a", "b"])));
    }
}
