//! Where the programs and models are that a trial starts.

use std::path::{Path, PathBuf};

/// How to get what was not found.
const HOW_TO_GET: &str = "The bundle for trials has everything (deploy/package/tarball --with-servers makes it). In a checkout, \
     `stack/fetch --model none` fetches them. Otherwise install PostgreSQL 15 or newer (Debian: apt install postgresql), \
     put a qdrant on the PATH, or name a folder that has them with --parts";

/// Everything that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundParts {
    pub(super) qdrant: PathBuf,
    /// The folder with `initdb` and `postgres`.
    pub(super) postgres: PathBuf,
    pub(super) model: PathBuf,
    pub(super) tokenizer: PathBuf,
    pub(super) runtime: PathBuf,
}

/// Where to look.
struct Places {
    folders: Vec<PathBuf>,
    path: Vec<PathBuf>,
    /// Where Debian keeps the programs of each version of PostgreSQL.
    versions: PathBuf,
}

impl FoundParts {
    pub(super) fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
        let cache = || folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        let fetched = folder("IBIDEM_STACK_HOME").or_else(|| Some(cache()?.join("ibidem-stack")));
        let folders = match named {
            Some(named) => vec![std::path::absolute(named)?],
            None => [beside, Some("/usr/lib/ibidem".into()), fetched].into_iter().flatten().collect(),
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::split_paths(&path).collect();
        Places { folders, path, versions: "/usr/lib/postgresql".into() }.find()
    }
}

impl Places {
    fn find(&self) -> anyhow::Result<FoundParts> {
        let qdrant = self.part("bin/qdrant").or_else(|| on_path(&self.path, "qdrant"));
        let found = [
            ("Qdrant (qdrant)", qdrant),
            ("PostgreSQL (initdb, postgres)", self.postgres()),
            ("the embedding model (models/minilm/model.onnx)", self.part("models/minilm/model.onnx")),
            ("its tokenizer (models/minilm/tokenizer.json)", self.part("models/minilm/tokenizer.json")),
            ("ONNX Runtime (lib/libonnxruntime.so)", self.part("lib/libonnxruntime.so")),
        ];
        let missing: Vec<&str> = found.iter().filter(|(_, found)| found.is_none()).map(|(name, _)| *name).collect();
        let looked: Vec<String> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        if let [Some(qdrant), Some(postgres), Some(model), Some(tokenizer), Some(runtime)] =
            found.map(|(_, found)| found)
        {
            return Ok(FoundParts { qdrant, postgres, model, tokenizer, runtime });
        }
        anyhow::bail!(
            "not found: {}; looked in {} and on the PATH. {HOW_TO_GET}",
            missing.join(", "),
            looked.join(", ")
        )
    }

    fn part(&self, name: &str) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    /// A bundle's own, then that of the PATH, then Debian's newest, which Debian keeps off the PATH.
    fn postgres(&self) -> Option<PathBuf> {
        let is_there = |folder: &PathBuf| folder.join("initdb").is_file() && folder.join("postgres").is_file();
        let of_bundle = self.folders.iter().map(|folder| folder.join("postgresql/bin")).find(is_there);
        // Where the programs really are: their files are found beside them.
        let of_path = || on_path(&self.path, "initdb")?.canonicalize().ok()?.parent().map(Path::to_owned);
        let of_debian = || {
            let versions = std::fs::read_dir(&self.versions).ok()?.flatten();
            let numbers = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
            let mut numbers: Vec<u32> = numbers.filter(|number| *number >= 15).collect();
            numbers.sort_unstable();
            let folders = numbers.iter().rev().map(|number| self.versions.join(number.to_string()).join("bin"));
            folders.into_iter().find(is_there)
        };
        of_bundle.or_else(|| of_path().filter(is_there)).or_else(of_debian)
    }
}

fn on_path(path: &[PathBuf], program: &str) -> Option<PathBuf> {
    path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        folder
    }

    const MODELS: [&str; 3] = ["models/minilm/model.onnx", "models/minilm/tokenizer.json", "lib/libonnxruntime.so"];

    #[test]
    fn what_is_missing_is_named_with_the_ways_to_get_it() {
        let (folder, nothing) = (with(&MODELS), with(&[]));
        let places = Places {
            folders: vec![folder.path().into()],
            path: vec![nothing.path().into()],
            versions: nothing.path().into(),
        };
        let error = places.find().unwrap_err().to_string();
        for named in ["Qdrant", "PostgreSQL", "stack/fetch", "apt install postgresql", "--parts"] {
            assert!(error.contains(named), "{named}: {error}");
        }
        assert!(!error.contains("tokenizer.json"), "{error}");
    }

    #[test]
    fn a_bundle_comes_before_the_path_and_the_path_before_debian() {
        let bundle = with(&["bin/qdrant", "postgresql/bin/initdb", "postgresql/bin/postgres"]);
        let path = with(&["qdrant", "initdb", "postgres"]);
        let debian = with(&["9/bin/initdb", "9/bin/postgres", "15/bin/initdb", "15/bin/postgres", "17/bin/initdb"]);
        let models = with(&MODELS);
        let found = |folders: &[&tempfile::TempDir], path: &[&tempfile::TempDir]| {
            let at = |folders: &[&tempfile::TempDir]| folders.iter().map(|folder| folder.path().into()).collect();
            Places { folders: at(folders), path: at(path), versions: debian.path().into() }.find().unwrap()
        };
        let all = found(&[&bundle, &models], &[&path]);
        assert_eq!(all.postgres, bundle.path().join("postgresql/bin"));
        assert_eq!(all.qdrant, bundle.path().join("bin/qdrant"));
        let of_path = found(&[&models], &[&path]);
        assert_eq!(of_path.postgres, path.path().canonicalize().unwrap());
        assert_eq!(of_path.qdrant, path.path().join("qdrant"));
        // The newest that is whole and new enough.
        let only_qdrant = with(&["bin/qdrant"]);
        assert_eq!(found(&[&only_qdrant, &models], &[]).postgres, debian.path().join("15/bin"));
    }
}
