//! Names of collections and aliases, made so that vectors of two models can never be compared.
//!
//! `{alias}-{model}` is what reads and writes go through, `{model}` being the first digits of the
//! model's hash; it points at a collection `{alias}-{model}-{serial}`.

use ibidem_words::ModelHash;

const MODEL_DIGITS: usize = 12;
const SERIAL_DIGITS: usize = 4;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Names {
    prefix: String,
    model: String,
}

/// A collection's name, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CollectionId {
    pub(super) model: String,
    pub(super) serial: u32,
}

impl Names {
    pub(super) fn new(prefix: &str, model: ModelHash) -> Self {
        Self { prefix: prefix.to_owned(), model: model.0.short(MODEL_DIGITS) }
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    pub(super) fn alias(&self) -> String {
        format!("{}-{}", self.prefix, self.model)
    }

    pub(super) fn collection(&self, serial: u32) -> String {
        format!("{}-{serial:0SERIAL_DIGITS$}", self.alias())
    }

    /// The model of an alias with our prefix.
    pub(super) fn model_of_alias<'a>(&self, alias: &'a str) -> Option<&'a str> {
        let model = alias.strip_prefix(&self.prefix)?.strip_prefix('-')?;
        is_model(model).then_some(model)
    }

    /// A collection with our prefix, of this or another model.
    pub(super) fn parse(&self, collection: &str) -> Option<CollectionId> {
        let (alias, serial) = collection.rsplit_once('-')?;
        let well_formed = serial.len() >= SERIAL_DIGITS && serial.bytes().all(|digit| digit.is_ascii_digit());
        let model = self.model_of_alias(alias)?.to_owned();
        let serial = serial.parse().ok()?;
        well_formed.then_some(CollectionId { model, serial })
    }

    pub(super) fn is_ours(&self, id: &CollectionId) -> bool {
        id.model == self.model
    }
}

fn is_model(written: &str) -> bool {
    written.len() == MODEL_DIGITS && written.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use ibidem_words::Sha256Hash;

    use super::*;

    #[test]
    fn names_read_back_and_those_of_others_do_not() {
        let names = Names::new("ibidem-passages", ModelHash(Sha256Hash::of(b"model")));
        let alias = names.alias();
        assert_eq!(names.model_of_alias(&alias), Some(names.model()));
        assert_eq!(names.collection(7), format!("{alias}-0007"));
        let id = names.parse(&names.collection(12_345)).unwrap();
        assert!(names.is_ours(&id));
        assert_eq!(id.serial, 12_345);

        let other = Names::new("ibidem-passages", ModelHash(Sha256Hash::of(b"other")));
        assert!(!names.is_ours(&names.parse(&other.collection(1)).unwrap()));
        let longer = Names::new("ibidem-passages-test", ModelHash(Sha256Hash::of(b"model")));
        for foreign in [longer.alias(), longer.collection(1), "ibidem-passages".to_owned(), format!("{alias}-1")] {
            assert_eq!(names.parse(&foreign), None, "{foreign}");
        }
        assert_eq!(names.model_of_alias(&longer.alias()), None);
    }
}
