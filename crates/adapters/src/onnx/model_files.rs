//! Where the files of a model are: in a folder, in the layout everybody publishes, or in the program itself.

use std::borrow::Cow;
use std::path::PathBuf;
use std::{fmt, io};

pub(super) const MODEL: &str = "model.onnx";
pub(super) const TOKENIZER: &str = "tokenizer.json";
pub(super) const CONFIG: &str = "config.json";

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelFiles {
    /// Has `model.onnx`, `tokenizer.json` and `config.json`.
    Folder(PathBuf),
    BuiltIn(BuiltInModel),
}

/// A model that comes with the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BuiltInModel {
    pub name: &'static str,
    pub model: &'static [u8],
    pub tokenizer: &'static [u8],
    pub config: &'static [u8],
}

impl fmt::Debug for BuiltInModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltInModel").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ModelFiles {
    /// A name for people: the folder's, or the model's own.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Folder(folder) => {
                folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
            }
            Self::BuiltIn(model) => model.name.to_owned(),
        }
    }

    /// Where one of the files is, for people.
    pub(super) fn place(&self, file: &str) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(file),
            Self::BuiltIn(model) => PathBuf::from(format!("the built-in {}: {file}", model.name)),
        }
    }

    pub(super) fn read(&self, file: &'static str) -> io::Result<Cow<'static, [u8]>> {
        let built_in = match self {
            Self::Folder(folder) => return std::fs::read(folder.join(file)).map(Cow::Owned),
            Self::BuiltIn(model) => model,
        };
        match file {
            MODEL => Ok(Cow::Borrowed(built_in.model)),
            TOKENIZER => Ok(Cow::Borrowed(built_in.tokenizer)),
            CONFIG => Ok(Cow::Borrowed(built_in.config)),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
