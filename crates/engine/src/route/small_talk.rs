//! Greetings, thanks, and what the assistant can do: a fixed reply of the policy. Nothing is searched, and no model asked.

use ibidem_language::talk::{SmallTalk, small_talk};
use ibidem_words::{GateRecord, Reason, Verdict};

use crate::listener::Listener;
use crate::outcome::{Clarified, Decided, Outcome, Retrieval};
use crate::policy::SmallTalkRules;
use crate::turn::TurnLog;

/// The reply; none where something is asked.
pub(crate) fn reply(query: &str, rules: &SmallTalkRules, listener: &mut dyn Listener) -> Option<Decided> {
    let text = match small_talk(query)? {
        SmallTalk::Greeting => &rules.greeting,
        SmallTalk::Thanks => &rules.thanks,
        SmallTalk::AboutAssistant => &rules.about_assistant,
    };
    let text = text.trim().to_owned();
    listener.sentence(&text, Vec::new());
    let clarified = Clarified {
        text,
        reason: Some(Reason::SmallTalk),
        explanation: None,
        offers: Vec::new(),
        details: Vec::new(),
        quoted: None,
    };
    let gate = GateRecord { gate: "small_talk".to_owned(), verdict: Verdict::Pass, observed: 1.0, threshold: 1.0 };
    Some(Decided::plainly(Outcome::Clarified(clarified), Retrieval::by_rule(), TurnLog::of(gate)))
}
