//! Processor time of other processes, as Linux counts it: what PostgreSQL and Qdrant spend meanwhile.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;

/// A tick of the processor's clock as `/proc` counts it.
const TICK: Duration = Duration::from_millis(10);

/// A process with those that it started.
#[derive(Clone, Debug)]
pub(super) struct ServerProcess {
    pub(super) name: String,
    id: u32,
}

impl FromStr for ServerProcess {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, id) = text.split_once('=').ok_or("it reads NAME=ID, as in postgres=4711")?;
        let id = id.parse().map_err(|_| format!("{id:?} is no id of a process"))?;
        Ok(Self { name: name.to_owned(), id })
    }
}

impl ServerProcess {
    pub(super) fn this() -> Self {
        Self { name: "this process".to_owned(), id: std::process::id() }
    }

    /// The memory that it has of its own, in bytes.
    pub(super) fn memory(&self) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(Path::new("/proc").join(self.id.to_string()).join("status"))
            .with_context(|| format!("there is no process {} ({})", self.id, self.name))?;
        let line = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().trim_end_matches(" kB").parse::<u64>().ok()
        };
        // Pages of files that are mapped go when something else needs the room.
        Ok(line("RssAnon:").unwrap_or(0) * 1_024)
    }

    /// What it and its children spent since they began. A child that ended meanwhile is counted with its parent.
    pub(super) fn spent(&self) -> anyhow::Result<Duration> {
        let own = Stat::of(self.id).with_context(|| format!("there is no process {} ({})", self.id, self.name))?;
        let others = std::fs::read_dir("/proc")?.flatten();
        let ids = others.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let children = ids.filter_map(Stat::of).filter(|stat| stat.parent == self.id);
        Ok(TICK * children.map(|child| child.ticks).sum::<u32>() + TICK * (own.ticks + own.of_ended_children))
    }
}

struct Stat {
    parent: u32,
    ticks: u32,
    of_ended_children: u32,
}

impl Stat {
    fn of(id: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).ok()?)
    }

    /// The program's name comes in brackets and may have spaces: what counts is behind the last bracket.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
        let number = |place: usize| fields.get(place)?.parse::<u32>().ok();
        let ticks = number(11)? + number(12)?;
        Some(Self { parent: number(1)?, ticks, of_ended_children: number(13)? + number(14)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_with_its_id_and_its_times_are_read_behind_its_name() {
        let server: ServerProcess = "postgres=12".parse().unwrap();
        assert_eq!((server.name.as_str(), server.id), ("postgres", 12));
        assert!("postgres".parse::<ServerProcess>().unwrap_err().contains("NAME=ID"));
        assert!("postgres=x".parse::<ServerProcess>().is_err());
        let line = "12 (a) b) S 7 12 12 0 -1 4194560 100 0 0 0 30 12 5 6 20 0 1 0 100 0 0";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.parent, stat.ticks, stat.of_ended_children), (7, 42, 11));
        assert!(ServerProcess::this().spent().is_ok());
    }
}
