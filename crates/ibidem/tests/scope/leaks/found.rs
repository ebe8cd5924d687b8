//! What two replies differ in, for whoever looks for the cause: how many of each route, and one of each from where they part.

use std::collections::BTreeMap;

use super::requests::Request;
use super::side::Asker;

/// How much of each reply is shown around the place where they part, in characters.
const AROUND: usize = 300;

/// A case in which something hidden shows.
pub(super) struct Leak {
    pub(super) request: Request,
    pub(super) asker: Asker,
    /// Of something hidden, where the reply has one.
    pub(super) mark: Option<String>,
    /// With what is hidden, and without it.
    pub(super) replies: [String; 2],
}

impl Leak {
    fn render(&self) -> String {
        let Self { request, asker, mark, replies } = self;
        let [one, other] = replies.each_ref().map(|reply| reply.chars().collect::<Vec<_>>());
        let common = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
        let part = |reply: &[char]| {
            let until = reply.len().min(common + AROUND);
            reply[common.saturating_sub(AROUND)..until].iter().collect::<String>()
        };
        format!("{request:?} of {asker:?}: {mark:?}\n  with:    …{}\n  without: …{}", part(&one), part(&other))
    }
}

/// One of each route, the most frequent first.
pub(super) fn listed(leaks: &[Leak]) -> String {
    let mut by_route: BTreeMap<_, Vec<&Leak>> = BTreeMap::new();
    for leak in leaks {
        by_route.entry(leak.request.route).or_default().push(leak);
    }
    let mut by_route: Vec<_> = by_route.into_values().collect();
    by_route.sort_by_key(|leaks| std::cmp::Reverse(leaks.len()));
    let shown = by_route.iter().map(|leaks| format!("{} times, one of them: {}", leaks.len(), leaks[0].render()));
    shown.collect::<Vec<_>>().join("\n")
}
