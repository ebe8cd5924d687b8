//! Killed in the middle of its work, again and again, everything ends as if nothing had happened.
