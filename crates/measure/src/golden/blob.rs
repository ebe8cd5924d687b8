//! A file's name in git: the same content has the same one everywhere, so that results say what they were measured by.

/// What `git hash-object` prints for a file of this content.
pub fn git_blob_hash(content: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::from(format!("blob {}\0", content.len()));
    hash.update(content);
    hash.digest().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_named_as_git_names_it() {
        // As `git hash-object` prints them.
        assert_eq!(git_blob_hash(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_blob_hash(b"hello world\n"), "3b18e512dba79e4c8300dd08aeb37f8e728b8dad");
    }
}
