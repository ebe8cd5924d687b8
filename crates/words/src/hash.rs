//! SHA-256 digests, named by what they identify.

use std::fmt;
use std::io::{self, Read};

use ring::digest::{self, Context, Digest, SHA256};
use serde::{Deserialize, Serialize};

/// A SHA-256 digest, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Hash([u8; 32]);

impl Sha256Hash {
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_digest(digest::digest(&SHA256, bytes))
    }

    /// Digest of everything that can be read, however much it is.
    pub fn of_reader(source: &mut dyn Read) -> io::Result<Self> {
        let mut context = Context::new(&SHA256);
        let mut piece = vec![0; 64 * 1024];
        loop {
            match source.read(&mut piece)? {
                0 => return Ok(Self::of_digest(context.finish())),
                length => context.update(&piece[..length]),
            }
        }
    }

    /// Digest of several parts that cannot run into each other: each is preceded by its length.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut context = Context::new(&SHA256);
        for part in parts {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part);
        }
        Self::of_digest(context.finish())
    }

    fn of_digest(digest: Digest) -> Self {
        let mut bytes = [0; digest::SHA256_OUTPUT_LEN];
        bytes.copy_from_slice(digest.as_ref());
        Self(bytes)
    }

    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first `digits` hexadecimal digits, for names that people read.
    pub fn short(&self, digits: usize) -> String {
        let mut written = hex::encode(self.0);
        written.truncate(digits);
        written
    }
}

impl TryFrom<&[u8]> for Sha256Hash {
    type Error = std::array::TryFromSliceError;

    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        Ok(Self(bytes.try_into()?))
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Sha256Hash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::str::FromStr for Sha256Hash {
    type Err = hex::FromHexError;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(written, &mut bytes)?;
        Ok(Self(bytes))
    }
}

impl<'de> Deserialize<'de> for Sha256Hash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Identifies an embedding model by the digest of everything that decides its vectors.
///
/// It is stored with every vector, so that vectors of two models are never compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelHash(pub Sha256Hash);

impl fmt::Display for ModelHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cannot_run_into_each_other() {
        let one = Sha256Hash::of_parts([b"ab".as_slice(), b"c"]);
        let other = Sha256Hash::of_parts([b"a".as_slice(), b"bc"]);
        assert_ne!(one, other);
    }

    #[test]
    fn a_digest_reads_back_as_it_was_written() {
        let digest = Sha256Hash::of(b"ibidem");
        assert_eq!(digest.to_string().len(), 64);
        assert_eq!(digest.short(12), digest.to_string()[..12]);
        assert_eq!(Sha256Hash::try_from(digest.as_bytes().as_slice()).unwrap(), digest);
    }
}
