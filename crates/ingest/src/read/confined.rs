//! The inside of a process that reads one original: confined first, then the original is read.
//!
//! Limits on memory, processor time, file sizes and open files hold on every Unix. On Linux a filter on system calls
//! also leaves nothing but memory, the clock and the three standard streams: no files, no network, no processes.

use std::io::{BufWriter, Read as _, Write as _};

use ibidem_ports::intake::Format;
use rustix::process::{Resource, Rlimit, setrlimit};

use super::child::Reply;
use super::{LARGEST_ORIGINAL, extract};

/// Why a process would not read.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("the limit on {0} could not be set: {1}")]
    Limit(&'static str, std::io::Error),
    #[error("the filter on system calls could not be set: {0}")]
    Filter(String),
}

/// Bounds what this process can use from here on. There is no way back.
pub fn confine(memory_bytes: u64, seconds: u64) -> Result<(), ConfineError> {
    // Standard input, output and error.
    const OPEN_FILES: u64 = 3;
    let limits = [
        ("memory", Resource::As, memory_bytes),
        ("processor time", Resource::Cpu, seconds),
        ("the size of files", Resource::Fsize, 0),
        ("core files", Resource::Core, 0),
        ("open files", Resource::Nofile, OPEN_FILES),
    ];
    for (what, resource, limit) in limits {
        // At the lower limit on time the process hears of it by a signal that says why; at the upper one it is killed.
        let most = if matches!(resource, Resource::Cpu) { limit.saturating_add(1) } else { limit };
        let set = setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(most) });
        // Not every system knows every limit; Linux does.
        if let Err(error) = set
            && cfg!(target_os = "linux")
        {
            return Err(ConfineError::Limit(what, error.into()));
        }
    }
    filter_calls()
}

#[cfg(target_os = "linux")]
fn filter_calls() -> Result<(), ConfineError> {
    use std::collections::BTreeMap;

    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch, apply_filter,
    };

    #[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
    fn failed(error: impl ToString) -> ConfineError {
        ConfineError::Filter(error.to_string())
    }
    let is = |argument: u8, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).map_err(failed)
    };
    let rule = |conditions: Vec<SeccompCondition>| SeccompRule::new(conditions).map_err(failed);
    let on_stream = |stream: u64| rule(vec![is(0, SeccompCmpOp::Eq, stream)?]);
    let own = u64::from(std::process::id());
    let not_executable = |argument: u8| is(argument, SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64), 0);
    // Only memory of its own: no file is mapped, and the file descriptor of none is -1.
    let no_file = u64::from(u32::MAX);

    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::from([
        (libc::SYS_read, vec![on_stream(0)?]),
        (libc::SYS_write, vec![on_stream(1)?, on_stream(2)?]),
        (libc::SYS_writev, vec![on_stream(1)?, on_stream(2)?]),
        (libc::SYS_mmap, vec![rule(vec![not_executable(2)?, is(4, SeccompCmpOp::Eq, no_file)?])?]),
        (libc::SYS_mprotect, vec![rule(vec![not_executable(2)?])?]),
        // How a process aborts itself; no other can be meant.
        (libc::SYS_tgkill, vec![rule(vec![is(0, SeccompCmpOp::Eq, own)?])?]),
    ]);
    let always = [
        libc::SYS_brk,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_clock_gettime,
        libc::SYS_sched_yield,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_close,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    rules.extend(always.into_iter().map(|call| (call, Vec::new())));
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(failed)?;
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, denied, SeccompAction::Allow, architecture).map_err(failed)?;
    let program: BpfProgram = filter.try_into().map_err(failed)?;
    apply_filter(&program).map_err(failed)
}

#[cfg(not(target_os = "linux"))]
fn filter_calls() -> Result<(), ConfineError> {
    Ok(())
}

/// Reads the original on standard input and answers on standard output.
pub fn answer(format: Format) -> std::io::Result<()> {
    let mut original = Vec::new();
    let most = u64::try_from(LARGEST_ORIGINAL).unwrap_or(u64::MAX).saturating_add(1);
    std::io::stdin().lock().take(most).read_to_end(&mut original)?;
    let reply = match extract(&original, format) {
        Ok(document) => Reply::Read(Box::new(document)),
        Err(error) => Reply::Failed(error),
    };
    let mut output = BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer(&mut output, &reply)?;
    output.flush()
}

/// What this process can do that one that reads must not: what was tried, and went well.
pub fn able_to() -> Vec<&'static str> {
    let tried = [
        ("use the network", std::net::UdpSocket::bind(("127.0.0.1", 0)).is_ok()),
        ("reach a server", std::net::TcpListener::bind(("127.0.0.1", 0)).is_ok()),
        ("open files", std::fs::File::open("/").is_ok()),
        ("see which files there are", std::fs::metadata("/").is_ok()),
        ("start processes", std::process::Command::new("/proc/self/exe").arg("--version").spawn().is_ok()),
        ("start threads", std::thread::Builder::new().spawn(|| ()).is_ok()),
        ("read our environment", std::env::vars_os().next().is_some()),
    ];
    tried.into_iter().filter_map(|(what, went_well)| went_well.then_some(what)).collect()
}

/// Answers what [`able_to`] found, as JSON on standard output.
pub fn answer_probe() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    serde_json::to_writer(&mut output, &able_to())?;
    output.flush()
}
