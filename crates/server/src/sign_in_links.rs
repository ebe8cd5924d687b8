//! Links that sign a browser in once, where the operator of a trial gives them out: the way in before there is any key.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ibidem_words::Sha256Hash;
use uuid::Uuid;

/// How long a link that nobody opened is good.
const LINK_LASTS: Duration = Duration::from_secs(15 * 60);

/// The one link that is good now, and the keys that earlier ones became. Only digests are kept.
#[derive(Debug, Default)]
pub struct SignInLinks {
    good: Mutex<Option<(Sha256Hash, Instant)>>,
    keys: Mutex<Vec<Uuid>>,
}

impl SignInLinks {
    /// The token of a new link. The one before it is good no longer.
    pub fn renew(&self, now: Instant) -> String {
        let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let kept = (Sha256Hash::of(token.as_bytes()), now + LINK_LASTS);
        *self.good.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        token
    }

    /// Whether this is the token of the link that is good. It is used up by that.
    pub(crate) fn take(&self, token: &str, now: Instant) -> bool {
        let mut good = self.good.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = good.is_some_and(|(digest, until)| digest == Sha256Hash::of(token.as_bytes()) && now < until);
        if is_good {
            *good = None;
        }
        is_good
    }

    pub(crate) fn became(&self, key: Uuid) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).push(key);
    }

    /// The keys that links became, for whoever ends them with the trial.
    pub fn keys(&self) -> Vec<Uuid> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_good_once_for_a_quarter_of_an_hour_and_until_the_next_one() {
        let (links, now) = (SignInLinks::default(), Instant::now());
        assert!(!links.take("", now), "no link was given out");
        let token = links.renew(now);
        assert!(token.len() >= 64 && !links.take(&token[1..], now));
        assert!(links.take(&token, now) && !links.take(&token, now), "used up");

        let late = links.renew(now);
        assert!(!links.take(&late, now + LINK_LASTS), "over");
        let (earlier, later) = (links.renew(now), links.renew(now));
        assert!(!links.take(&earlier, now) && links.take(&later, now), "one at a time");
    }
}
