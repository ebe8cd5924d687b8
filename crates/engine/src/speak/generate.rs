//! Letting a model write, and letting out only whole sentences that their passages support.
//!
//! What goes out is a claim that was verified, structure whose words are a note's or the question's, or words of the
//! policy. Markup is taken out first, so that what is checked is byte for byte what is shown. The rest is dropped.

use futures::StreamExt as _;
use ibidem_language::markers::{behind, numbers, quoted, without_markers};
use ibidem_language::sentences::Passed;
use ibidem_language::sentences::{Kind, Sentence, SentenceHolder, WaitingStructure};
use ibidem_ports::clock;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::entailment::{EntailmentError, EntailmentFault};
use ibidem_ports::language_model::{ModelError, ModelFault, Piece, Prompt};
use ibidem_ports::records::MarkerCounts;
use ibidem_words::{SentenceCheck, SentenceVerdict, Verdict};

use super::answers::{self, AnswerReader};
use super::background::Background;
use super::checked_sentence::support;
use super::confidence::Weighing;
use super::footnotes::Footnotes;
use super::gauntlet::Gauntlet;
use super::in_form::{SentencesInForm, chosen, sentences_in};
use super::markup::{as_written, foreign_address};
use super::prompt;
use super::repeats::EarlierClaims;
use super::structure::{Structures, is_table_rule};
use super::verify::repair::quoted_instead;
use super::verify::{DENIAL, Verifier};
use crate::draft::{AnswerReading, CheckedSentence, Draft, Ended};
use crate::listener::Listener;
use crate::policy::{Judge, NotesBy, Policy, VerificationMode};
use crate::roles::NamedModel;

impl Draft {
    fn of(model: String) -> Self {
        Self {
            model,
            raw: String::new(),
            released: Vec::new(),
            withheld: Vec::new(),
            dropped: Vec::new(),
            replaced: Vec::new(),
            markers: MarkerCounts::default(),
            usage: None,
            ended: Ended::Whole,
            took_ms: 0,
            written_from: Vec::new(),
            fell_back: false,
            coverage: Vec::new(),
            answering: None,
            has_reader: false,
            is_choice: false,
            verifier_failure: None,
            is_cut_by_verifier: false,
        }
    }

    /// Nothing of what was written may be said, and that is the model's fault: no sentence has support, or all of them
    /// together do not answer. A model that says it does not know was honest.
    pub(crate) fn is_in_vain(&self, policy: &Policy) -> bool {
        let gate = || self.answering.as_ref().and_then(|reading| answers::record(policy, &reading.so_far));
        let is_beside = || gate().is_some_and(|gate| gate.verdict == Verdict::Stop);
        let is_judged = !self.is_unverified() && self.answering.as_ref().is_none_or(|reading| !reading.is_unread);
        is_judged && !self.has_denied() && (self.is_silent() || is_beside())
    }

    /// Nothing of what was written may be said, and nobody knows whether that is the model's fault: the verifier failed
    /// before anything was let out.
    pub(crate) fn is_unverified(&self) -> bool {
        let is_honest = self.is_silent() && self.has_denied();
        self.is_cut_by_verifier && self.released.is_empty() && !is_honest
    }

    /// It is why nobody answered that nothing was written: the model stopped. Where the verifier failed too, what was
    /// written is not known to be nothing.
    pub(crate) fn has_failed(&self) -> bool {
        self.is_silent() && matches!(self.ended, Ended::Early(_)) && !self.is_unverified()
    }

    /// There is no claim in it that can be shown, or was.
    pub(super) fn is_silent(&self) -> bool {
        !self.released.iter().chain(&self.withheld).any(|checked| checked.sentence.kind == Kind::Claim)
    }

    /// Each claim in it is a quotation in place of what the model wrote.
    fn is_all_replaced(&self) -> bool {
        let claims = self.released.iter().chain(&self.withheld).filter(|checked| checked.sentence.kind == Kind::Claim);
        !self.replaced.is_empty() && claims.count() == self.replaced.len()
    }

    /// What was dropped says that the documents do not say.
    pub(super) fn has_denied(&self) -> bool {
        self.dropped.iter().any(|dropped| dropped.check.by == DENIAL)
    }

    pub fn dropped_sentences(&self) -> u32 {
        u32::try_from(self.dropped.len()).unwrap_or(u32::MAX)
    }
}

/// What everything that is written is held against.
pub(super) struct Standard<'a> {
    pub(super) policy: &'a Policy,
    pub(super) question: &'a str,
    pub(super) footnotes: &'a Footnotes<'a>,
    pub(super) background: &'a [String],
    pub(super) verifier: &'a Verifier<'a>,
    pub(super) weighing: &'a Weighing,
    /// None where nobody asks whether the answer answers.
    pub(super) reader: Option<AnswerReader<'a>>,
    pub(super) deadline: Deadline,
}

/// What a model was asked for, and so how its reply is read.
pub(super) enum Reply {
    /// Text with markers.
    Text,
    /// Sentences with their notes, in JSON.
    Sentences(SentencesInForm),
    /// Numbers of sentences, of which at most so many are said.
    Choice { sentences: Vec<Sentence>, most: usize },
}

impl Reply {
    /// What a model replies that writes.
    pub(super) fn of(notes_by: NotesBy, footnotes: &Footnotes<'_>) -> Self {
        match notes_by {
            NotesBy::Markers => Self::Text,
            NotesBy::Schema => Self::Sentences(SentencesInForm::of(footnotes.minted())),
        }
    }
}

/// What a reply means that has no sentence, in the form that asks for some.
const NOTHING_ANSWERS: &str = "I don't know.";

/// Text on its way from the model to the asker.
struct Desk<'a> {
    standard: &'a Standard<'a>,
    reply: Reply,
    gauntlet: Gauntlet,
    holder: SentenceHolder,
    structures: Structures<'a>,
    waiting: WaitingStructure,
    background: Background,
    earlier_claims: EarlierClaims,
    /// What was quoted in place of each of the draft's `replaced`, in their order.
    quoted: Vec<EarlierClaims>,
    draft: Draft,
    raw: Vec<u8>,
    /// What its notes do not bear out waits here for a second reply, where one is asked for.
    failed: Option<Vec<CheckedSentence>>,
    listener: &'a mut dyn Listener,
}

pub(super) async fn generate<'a>(
    model: &NamedModel,
    prompt: Prompt,
    reply: Reply,
    standard: &'a Standard<'a>,
    listener: &'a mut dyn Listener,
) -> Draft {
    let began = clock::now();
    let is_choice = matches!(reply, Reply::Choice { .. });
    let for_second = matches!(reply, Reply::Sentences(_)).then(|| prompt.clone());
    let mut desk = Desk {
        standard,
        reply,
        gauntlet: Gauntlet::new(standard.footnotes.minted()),
        holder: SentenceHolder::default(),
        structures: Structures::of(standard.question, standard.footnotes),
        waiting: WaitingStructure::default(),
        background: Background::of(standard.background),
        earlier_claims: EarlierClaims::default(),
        quoted: Vec::new(),
        draft: Draft {
            is_choice,
            answering: standard.reader.as_ref().map(|_| AnswerReading::default()),
            ..Draft::of(model.name.clone())
        },
        raw: Vec::new(),
        failed: for_second.is_some().then(Vec::new),
        listener,
    };
    match model.model.write(standard.deadline, Prompt { model: Some(model.name.clone()), ..prompt }).await {
        Err(error) => desk.draft.ended = Ended::Early(error),
        Ok(mut pieces) => loop {
            match pieces.next().await {
                Some(Ok(Piece::Text(piece))) => desk.take(&piece).await,
                Some(Ok(Piece::Done { usage, cut })) => {
                    desk.draft.usage = usage;
                    if let Some(cut) = cut {
                        desk.draft.ended = Ended::Early(ModelFault::Cut(cut).into());
                    }
                    break;
                }
                Some(Err(error)) => {
                    desk.draft.ended = Ended::Early(error);
                    break;
                }
                None => {
                    let error = ModelError::Own(ModelFault::Failed("the stream ended before the model did".to_owned()));
                    desk.draft.ended = Ended::Early(error);
                    break;
                }
            }
        },
    }
    desk.conclude_writing().await;
    if let Some(prompt) = for_second {
        desk.ask_again(model, prompt).await;
    }
    let draft = desk.finish().await;
    Draft { took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX), ..draft }
}

impl Desk<'_> {
    async fn take(&mut self, piece: &[u8]) {
        self.raw.extend_from_slice(piece);
        let passed = match &mut self.reply {
            Reply::Text => self.gauntlet.push(piece),
            Reply::Sentences(reply) => self.gauntlet.push(&reply.push(piece)),
            // It is read when it is whole.
            Reply::Choice { .. } => return,
        };
        self.hold(passed).await;
    }

    /// What a reply in a form comes to, when all of it is there.
    async fn conclude_reply(&mut self) {
        let text = match &mut self.reply {
            Reply::Text => return,
            Reply::Sentences(reply) if reply.has_none() => NOTHING_ANSWERS.as_bytes().to_vec(),
            Reply::Sentences(reply) => reply.finish(),
            Reply::Choice { sentences, most } => match chosen(&String::from_utf8_lossy(&self.raw), sentences, *most) {
                Some(chosen) if chosen.is_empty() => NOTHING_ANSWERS.as_bytes().to_vec(),
                Some(chosen) => return self.quote(chosen).await,
                None => return self.fail("it did not choose among the sentences"),
            },
        };
        let passed = self.gauntlet.push(&text);
        self.hold(passed).await;
    }

    /// Says what was chosen, all of it or nothing: it was chosen as one answer.
    async fn quote(&mut self, chosen: Vec<Sentence>) {
        for sentence in chosen {
            let claim = sentence.text.clone();
            self.earlier_claims.add(&claim);
            self.withhold(CheckedSentence::verbatim(sentence));
        }
        self.release().await;
    }

    /// What is no reply to what was asked is as good as none.
    fn fail(&mut self, why: &str) {
        if self.draft.ended == Ended::Whole {
            self.draft.ended = Ended::Early(ModelError::Own(ModelFault::Failed(why.to_owned())));
        }
    }

    async fn hold(&mut self, passed: Vec<Passed>) {
        for passed in passed {
            for sentence in self.holder.push(passed) {
                self.judge(sentence).await;
            }
        }
    }

    async fn judge(&mut self, sentence: Sentence) {
        let sentence = self.without_markup(sentence);
        match sentence.kind {
            Kind::Structure => self.hold_structure(sentence),
            Kind::Claim | Kind::Policy => self.judge_claim(sentence).await,
        }
    }

    /// What may not go out of any sentence is taken out before it is checked.
    fn without_markup(&self, mut sentence: Sentence) -> Sentence {
        let mut written = numbers(&sentence.text).into_iter();
        let text = as_written(&sentence.text, &self.sources(&sentence), &sentence.citations);
        // Markup that is taken out may leave a number in brackets that nobody cited: then none of them is a citation.
        let is_as_written = numbers(&text).into_iter().all(|number| written.any(|before| before == number));
        sentence.text = if is_as_written { text } else { quoted(&text).into_owned() };
        sentence.citations.retain(|number| sentence.text.contains(&format!("[{number}]")));
        if !sentence.text.chars().any(char::is_alphanumeric) {
            sentence.kind = Kind::Structure;
        }
        sentence
    }

    /// The texts of the notes that a sentence cites; of all of them when it cites none.
    fn sources(&self, sentence: &Sentence) -> Vec<&str> {
        let footnotes = self.standard.footnotes;
        if sentence.citations.is_empty() {
            return footnotes.notes().map(|(_, candidate)| candidate.passage.text.as_str()).collect();
        }
        sentence.citations.iter().filter_map(|number| footnotes.text(*number)).collect()
    }

    /// Structure waits for a claim beneath it; if its words are nobody's, it is gone.
    fn hold_structure(&mut self, sentence: Sentence) {
        let is_below_head = || self.waiting.held().last().is_some_and(|above| above.text.trim().starts_with('|'));
        if is_table_rule(&sentence) && !is_below_head() {
            return;
        }
        if self.structures.may_have(&sentence.text) {
            return self.waiting.hold(sentence);
        }
        self.waiting.end_before(&sentence);
        // A sign without words says nothing, and nobody misses it.
        if sentence.text.chars().any(char::is_alphanumeric) {
            self.drop_structure(sentence);
        }
    }

    fn drop_structure(&mut self, sentence: Sentence) {
        let why = Some("its words are those of no note beneath it, and not the question's".to_owned());
        let check = SentenceCheck { by: "structure".to_owned(), why, ..SentenceCheck::unchecked() };
        self.draft.dropped.push(CheckedSentence { sentence, check });
    }

    /// What a sentence says is not said if it is a background note's, or if no passage supports it.
    async fn judge_claim(&mut self, sentence: Sentence) {
        let footnotes = self.standard.footnotes;
        let cited = sentence.citations.iter().filter_map(|number| footnotes.text(*number));
        if self.background.is_repeated_in(&sentence.text, cited) {
            return self.drop_because(sentence, "it repeats what a curator wrote as background");
        }
        if self.has_foreign_address(&sentence) {
            return self.drop_because(sentence, "it has an address that none of its notes has");
        }
        if self.earlier_claims.has(&sentence.text) {
            return self.judge_repeated(sentence).await;
        }
        let (mut checked, failure) = match self.draft.is_cut_by_verifier {
            true => (self.standard.verifier.unverified(sentence, footnotes), None),
            false => self.standard.verifier.check(sentence, footnotes).await,
        };
        let rules = &self.standard.policy.rules;
        self.draft.is_cut_by_verifier |= rules.speak.verification.mode == VerificationMode::Strict
            && failure
                .as_ref()
                .is_some_and(|failure| !matches!(failure, EntailmentError::Own(EntailmentFault::TooLong(_))));
        self.draft.verifier_failure = self.draft.verifier_failure.take().or(failure);
        if self.draft.is_cut_by_verifier {
            return self.drop(checked);
        }
        let is_supported = checked.check.verdict == SentenceVerdict::Supported;
        let is_cited = !checked.sentence.citations.is_empty();
        // Under another note than it cited, an address may be nobody's.
        if checked.check.by == DENIAL || self.has_foreign_address(&checked.sentence) {
            return self.drop(checked);
        }
        let claim = checked.sentence.text.clone();
        match (rules.speak.verification.mode, &mut self.failed) {
            (VerificationMode::Strict, Some(failed)) if !is_supported => return failed.push(checked),
            (VerificationMode::Strict, None) if !is_supported => return self.replace(checked).await,
            (VerificationMode::Off, _) if !is_cited => return self.drop(checked),
            (VerificationMode::Mark, _) if !is_supported => {
                let mark = format!(" {}", rules.wording.unverified.trim());
                checked.sentence.text = behind(&checked.sentence.text, &mark);
            }
            _ => {}
        }
        self.let_through(&claim, checked).await;
    }

    /// It is not said again. Where it has the words of a quotation that stands in for another sentence, the model says
    /// itself what is quoted, and the quotation need not stand in any more.
    async fn judge_repeated(&mut self, sentence: Sentence) {
        const SAID_BEFORE: &str = "it was said before";
        let stands_in = self.quoted.iter().position(|quoted| quoted.has(&sentence.text));
        let Some(place) = stands_in.filter(|_| !self.draft.is_cut_by_verifier) else {
            return self.drop_because(sentence, SAID_BEFORE);
        };
        let (checked, failure) = self.standard.verifier.check(sentence.clone(), self.standard.footnotes).await;
        self.drop_because(sentence, SAID_BEFORE);
        if failure.is_none() && checked.check.verdict == SentenceVerdict::Supported && checked.check.by != DENIAL {
            self.quoted.remove(place);
            let written = self.draft.replaced.remove(place);
            self.drop(written);
            self.release().await;
        }
    }

    async fn let_through(&mut self, claim: &str, checked: CheckedSentence) {
        self.earlier_claims.add(claim);
        self.withhold_structure_above(&checked.sentence);
        self.withhold(checked);
        self.release().await;
    }

    /// What its notes do not support gives way to the sentence of theirs that says it, where there is one.
    async fn replace(&mut self, written: CheckedSentence) {
        let footnotes = self.standard.footnotes;
        let Some(quoted) = quoted_instead(&written.sentence, footnotes) else { return self.drop(written) };
        let claim = quoted.sentence.text.clone();
        let cited = quoted.sentence.citations.iter().filter_map(|number| footnotes.text(*number));
        // The curator's background may be in a note's words.
        if self.earlier_claims.has(&claim) || self.background.is_repeated_in(&claim, cited) {
            return self.drop(written);
        }
        self.draft.replaced.push(written);
        let mut stands_in = EarlierClaims::default();
        stands_in.add(&claim);
        self.quoted.push(stands_in);
        self.let_through(&claim, quoted).await;
    }

    fn has_foreign_address(&self, sentence: &Sentence) -> bool {
        foreign_address(&without_markers(&sentence.text), &self.sources(sentence)).is_some()
    }

    /// What was waiting for this claim, as far as the notes it cites have its words.
    fn withhold_structure_above(&mut self, claim: &Sentence) {
        let mut has_head = false;
        for structure in self.waiting.before(claim) {
            let is_rule = is_table_rule(&structure);
            let origin = self.structures.origin(&structure.text, &claim.citations).filter(|_| !is_rule || has_head);
            has_head = origin.is_some() && structure.text.trim().starts_with('|');
            match origin {
                Some(origin) => self.withhold(CheckedSentence::structure(structure, &origin)),
                None if is_rule => {}
                None => self.drop_structure(structure),
            }
        }
    }

    /// Puts a sentence behind those before it.
    fn withhold(&mut self, mut checked: CheckedSentence) {
        let before =
            self.draft.withheld.last().or(self.draft.released.last()).map(|before| before.sentence.text.as_str());
        // Two sentences side by side must not make markup together.
        let is_apart = before.is_none_or(|before| {
            let next = checked.sentence.text.chars().next();
            before.ends_with(char::is_whitespace)
                || next.is_none_or(|next| next.is_whitespace() || (before.ends_with(']') && next.is_alphanumeric()))
        });
        if !is_apart {
            checked.sentence.text.insert(0, ' ');
        }
        self.draft.withheld.push(checked);
    }

    fn drop_because(&mut self, sentence: Sentence, why: &str) {
        let check = SentenceCheck { why: Some(why.to_owned()), ..SentenceCheck::unchecked() };
        self.drop(CheckedSentence { sentence, check });
    }

    fn drop(&mut self, checked: CheckedSentence) {
        self.draft.dropped.push(checked);
        self.waiting.dropped();
    }

    /// A sentence goes out when the answer with it, and with all before it, answers the question and is sure enough: what
    /// went out cannot be taken back. A model's opinion of the whole comes when the whole is there.
    async fn release(&mut self) {
        let confidence = self.standard.policy.rules.speak.confidence.as_ref();
        if confidence.is_some_and(|rules| rules.judge != Judge::Verifier) {
            return;
        }
        let weighing = self.standard.weighing;
        if self.draft.is_silent() || self.is_unasked_for() {
            return;
        }
        let so_far = self.draft.released.iter().chain(&self.draft.withheld);
        let sentences = so_far.clone().count();
        let judged = support(so_far);
        let answers = self.answers().await;
        let likely = self.draft.answering.as_ref().and_then(AnswerReading::last);
        let coverage = weighing.coverage(self.draft.released.iter().chain(&self.draft.withheld), likely);
        self.draft.coverage.push((sentences, coverage));
        if answers && weighing.is_enough(weighing.confidence(coverage, judged)) {
            self.draft.release(self.standard.footnotes, self.listener);
        }
    }

    /// Nothing that the model wrote is supported, and nobody reads whether what was quoted instead answers the question.
    fn is_unasked_for(&self) -> bool {
        self.standard.reader.is_none() && self.draft.is_all_replaced()
    }

    /// Whether what may be shown so far answers the question.
    async fn answers(&mut self) -> bool {
        let Some((reader, mut reading)) = self.standard.reader.as_ref().zip(self.draft.answering.take()) else {
            return true;
        };
        let so_far: Vec<&CheckedSentence> = self.draft.released.iter().chain(&self.draft.withheld).collect();
        let lets_out = reader.lets_out(&so_far, self.standard.footnotes, &mut reading).await;
        self.draft.answering = Some(reading);
        lets_out
    }

    /// What is left when the reply is over.
    async fn conclude_writing(&mut self) {
        self.conclude_reply().await;
        let passed = self.gauntlet.finish();
        self.hold(passed).await;
        for last in self.holder.finish() {
            match self.draft.ended {
                Ended::Whole => self.judge(last).await,
                // Half a sentence of a model that broke off is not a sentence.
                Ended::Early(_) if last.kind == Kind::Claim => self.drop_because(last, "the model broke off"),
                Ended::Early(_) => {}
            }
        }
    }

    /// What its notes do not bear out is asked for once more, with the reason. What is not written again, or no better,
    /// gives way to the source's own sentence.
    async fn ask_again(&mut self, model: &NamedModel, prompt: Prompt) {
        let Some(failed) = self.failed.take().filter(|failed| !failed.is_empty()) else { return };
        let may_ask = self.draft.ended == Ended::Whole && !self.draft.is_cut_by_verifier;
        let second = if may_ask { self.second_reply(model, prompt, &failed).await } else { Vec::new() };
        let mut second = second.into_iter().filter(|sentence| sentence.kind == Kind::Claim);
        for written in failed {
            match second.next() {
                Some(again) => {
                    self.draft.dropped.push(written);
                    self.judge(again).await;
                }
                None => self.replace(written).await,
            }
        }
    }

    /// The sentences of a second reply; none where the model does not answer any more.
    async fn second_reply(&mut self, model: &NamedModel, prompt: Prompt, failed: &[CheckedSentence]) -> Vec<Sentence> {
        let Prompt { mut messages, max_tokens, form: Some(form), .. } = prompt else { return Vec::new() };
        messages.extend(prompt::again(&String::from_utf8_lossy(&self.raw), failed));
        let Ok(reply) = model.fill(form, messages, max_tokens, self.standard.deadline).await else {
            return Vec::new();
        };
        self.raw.push(b'\n');
        self.raw.extend_from_slice(reply.as_bytes());
        sentences_in(&reply, self.standard.footnotes.minted())
    }

    async fn finish(mut self) -> Draft {
        if self.is_unasked_for() {
            self.draft.withheld.clear();
            self.draft.dropped.append(&mut self.draft.replaced);
        }
        // Where a model judges the whole, the reader reads the whole.
        let is_unread = self.draft.answering.as_ref().is_some_and(|reading| reading.so_far.is_empty());
        if is_unread && !self.draft.is_silent() {
            self.answers().await;
        }
        self.draft.markers = match &self.reply {
            Reply::Sentences(reply) => self.gauntlet.counts().plus(reply.counts()),
            Reply::Text | Reply::Choice { .. } => self.gauntlet.counts(),
        };
        self.draft.raw = String::from_utf8_lossy(&self.raw).into_owned();
        self.draft
    }
}

impl Draft {
    /// Lets out what was withheld.
    pub(super) fn release(&mut self, footnotes: &Footnotes<'_>, listener: &mut dyn Listener) {
        for checked in self.withheld.drain(..) {
            listener.sentence(&checked.sentence.text, footnotes.citations(&checked.sentence));
            self.released.push(checked);
        }
    }
}
