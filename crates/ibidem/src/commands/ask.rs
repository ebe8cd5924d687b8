//! `ibidem ask`: a cited answer, or an honest refusal, in the terminal.

use std::process::ExitCode;

use anyhow::Context as _;
use ibidem_engine::listener::{Listener, Nobody};
use ibidem_engine::plain::{Offers, refusal, texts_of, whom_to_ask};
use ibidem_engine::policy::Policy;
use ibidem_language::markers::quoted;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::records::{Records as _, TurnRecord};
use ibidem_store::{ActionRecord, AuditLog, AuditedAction, NewTurn, Store, Talker};
use ibidem_words::{
    Action, Answer, Citation, CollectionName, Message, Question, QuestionDraft, Status, without_tokens,
};
use uuid::Uuid;

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;
use crate::terminal::{Flow, Look, Painted, Terminal};

#[derive(clap::Args)]
pub(crate) struct Ask {
    /// The question.
    query: String,
    #[command(flatten)]
    access: ReaderAccess,
    /// Searches only these collections, separated by commas. Without it, all are searched.
    #[arg(long, value_delimiter = ',')]
    collections: Vec<CollectionName>,
    /// The model that writes the answer: `language_model.roles.answer` or one of `language_model.also_allowed`.
    #[arg(long)]
    model: Option<String>,
    /// Uses this policy file in place of the one in force: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// The most passages that an answer may be written from.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=20))]
    passages: u16,
    /// Asks in a conversation: its id, or `new` to begin one. A question such as "and for part-timers?" is then
    /// understood by the questions before it, and the question and its answer are kept there.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Prints the same JSON as POST /v1/answers.
    #[arg(long)]
    json: bool,
    /// Prints the numbers behind the decision too: each rule, what it observed and its threshold.
    #[arg(long)]
    numbers: bool,
    /// Exits with 3 when the question is not answered: it is refused, asked back, or given to somebody who may know.
    #[arg(long)]
    fail_on_refusal: bool,
}

/// The exit code of a question that is not answered; 1 is an error, and 2 a wrong argument.
const NOT_ANSWERED: u8 = 3;

impl Ask {
    pub(crate) fn act(&self) -> ActionRecord {
        ActionRecord {
            query: Some(without_tokens(&self.query).into_owned()),
            ..self.access.operator.act(AuditedAction::Ask)
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let query = self.query.clone();
        let draft = QuestionDraft {
            query: self.query,
            collections: self.collections,
            model: self.model,
            max_context_chunks: self.passages.into(),
            ..QuestionDraft::default()
        };
        Question::checked(draft.clone()).context("the question cannot be asked")?;
        let parts = Parts::ready(settings).await?;
        let tenant = self.access.operator.tenant_id();
        let policy = parts.policy_for(settings, self.policy.as_deref(), tenant, &draft.collections).await?;
        let talk = match &self.conversation {
            None => None,
            Some(named) => Some(Talk::join(&parts.store, &self.access, named).await?),
        };
        let (history, session_id) = match &talk {
            None => (Vec::new(), None),
            Some(talk) => (talk.so_far.clone(), Some(talk.id.to_string())),
        };
        let draft = QuestionDraft { history, session_id, ..draft };
        let question = Question::checked(draft).context("the question cannot be asked")?;
        let audit = compose::audit::log(&settings.audit, &parts.store)?;
        let engine = parts.engine(settings).await?;
        let in_force = policy.clone();
        let asked = self.access.asked(question, policy);
        let mut listener: Box<dyn Listener> = match self.json {
            true => Box::new(Nobody),
            false => Box::new(Shown(Terminal::of_output().flow())),
        };
        let (answer, record) = engine.turn(&self.access.identity(), asked, listener.as_mut()).await?;
        if let Some(talk) = &talk {
            talk.keep(&parts.store, &record).await?;
        }
        console::say_json_or(self.json, &answer, || show(&answer, &query, self.numbers))?;
        if let Some(talk) = &talk {
            console::note(&format!("conversation {}", talk.id));
        }
        if let Some(failure) = &record.failure {
            console::note(&format!("a part failed: {failure}"));
        }
        if let Some(audit) = audit
            && let Err(error) = keep(&audit, &in_force, record).await
        {
            console::note(&format!("the question was not recorded: {error}"));
        }
        let is_failed = self.fail_on_refusal && answer.action != Action::Cite;
        Ok(if is_failed { ExitCode::from(NOT_ANSWERED) } else { ExitCode::SUCCESS })
    }
}

/// The conversation that a question is asked in.
struct Talk {
    talker: Talker,
    id: Uuid,
    so_far: Vec<Message>,
}

impl Talk {
    async fn join(store: &Store, access: &ReaderAccess, named: &str) -> anyhow::Result<Self> {
        let talker = Talker::of(&access.identity());
        if named == "new" {
            store.ensure_tenant(&access.operator.tenant).await?;
            let id = store.create_conversation(&talker, None).await?.id;
            return Ok(Self { talker, id, so_far: Vec::new() });
        }
        let id = named.parse().context("--conversation: write the conversation's id, or `new`")?;
        let so_far = store.conversation_so_far(&talker, &access.scope(), id).await?;
        let so_far = so_far.with_context(|| format!("there is no conversation {id} that was begun in the terminal"))?;
        Ok(Self { talker, id, so_far })
    }

    async fn keep(&self, store: &Store, record: &TurnRecord) -> anyhow::Result<()> {
        let turn = NewTurn {
            request_id: record.answer.request_id,
            asked_at: record.asked_at,
            question: record.question.query.clone(),
            rewritten: record.answer.rewritten_question.clone(),
            answer: serde_json::to_value(&record.answer)?,
        };
        store.add_turn(&self.talker, self.id, turn).await?;
        Ok(())
    }
}

/// The record, and the policy that decided it.
async fn keep(audit: &AuditLog, policy: &Policy, record: TurnRecord) -> Result<(), CatalogueError> {
    audit.store.keep_policy(policy.hash, &policy.texts).await?;
    audit.keep(record).await
}

/// Sentences appear as soon as they may be shown, in lines of the terminal's width.
struct Shown(Flow);

impl Listener for Shown {
    fn sentence(&mut self, text: &str, _: Vec<Citation>) {
        console::say_painted_part(&self.0.add(text));
    }
}

/// What is left to show after the sentences.
fn show(answer: &Answer, query: &str, with_numbers: bool) {
    if let Some(rewritten) = &answer.rewritten_question {
        console::note(&format!("searched for: {rewritten}"));
    }
    let around = &texts_of(answer).around;
    if answer.refused {
        let search = around.search_command.replace("{command}", &format!("ibidem search {query:?}"));
        console::say(&refusal(answer, &Offers { place: &|_| String::new(), search: Some(search) }));
    } else {
        console::say(&whom_to_ask(answer));
        // What is asked for stands in the text; what can be chosen is typed as it stands here.
        for offer in &answer.offers {
            console::say(&format!("- {}: {}", offer.text, offer.query));
        }
    }
    if let Some((proposed, sentence)) = answer.confirmation.as_ref().and_then(|it| Some((it, it.sentence()?))) {
        let end = proposed.expires_at.format("%H:%M UTC");
        console::say(&format!("Nothing is done unless you ask, before {end}: {sentence}"));
    }
    let terminal = Terminal::of_output();
    if terminal.is_for_people() && !answer.citations.is_empty() {
        console::say("");
        console::say_painted(&terminal.paint(Look::Heading, &around.sources));
    }
    for citation in &answer.citations {
        match terminal.is_for_people() {
            true => console::say_painted(&source(citation, terminal, &around.page)),
            false => console::say(&source_line(citation)),
        }
    }
    for notice in answer.notices() {
        console::note(notice);
    }
    if with_numbers {
        numbers(answer);
    }
}

/// What decided, and against what; and how near each passage came.
fn numbers(answer: &Answer) {
    if let Some(reason) = &answer.refusal_reason {
        console::note(reason);
    }
    for gate in &answer.trace {
        let found = match gate.verdict.has_looked() {
            true => format!(" {} of {}", gate.observed, gate.threshold),
            false => String::new(),
        };
        console::note(&format!("{}{found}: {}", gate.gate, gate.verdict.in_words()));
    }
    for miss in &answer.nearest {
        let numbers = [("answers", miss.answers), ("similarity", miss.similarity)];
        let numbers = numbers.iter().filter_map(|(name, number)| Some(format!("{name} {}", number.as_ref()?)));
        console::note(&format!("{}: {}", miss.title, numbers.collect::<Vec<_>>().join(", ")));
    }
}

/// For people: title, section and page, and below it where it is.
fn source(citation: &Citation, terminal: Terminal, page: &str) -> Painted {
    let mark = format!("[{}]", citation.marker);
    let indent = mark.chars().count() + 1;
    let mut line = terminal.paint(Look::Mark, &mark);
    if let Some(tool) = &citation.tool {
        let at = tool.called_at.format("%F %T UTC");
        line.add(terminal, Look::Plain, &format!(" {}, called {at}", citation.document_name));
        return line;
    }
    let page = citation.page_number.map(|number| page.replace("{page}", &number.to_string()));
    let title = citation.address.iter().map(String::as_str).chain([citation.document_name.as_str()]);
    let named = [Some(title.collect::<Vec<_>>().join(" ")), citation.section.clone(), page];
    let named = named.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    line.add(terminal, Look::Plain, " ");
    line.append(&terminal.wrapped(&named, indent));
    let in_force = Status::InForce.as_str();
    let status = citation.status.clone().filter(|status| status != in_force);
    let place = citation.collection.iter().chain(&citation.file).map(String::as_str).collect::<Vec<_>>().join("/");
    let place = [Some(place), Some(format!("v{}", citation.version)), status];
    let place = place.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    line.add(terminal, Look::Aside, &format!("\n{:indent$}{place}", ""));
    line
}

/// For programs: [marker] Address Title — Section — page (version, status) [score] collection/file
fn source_line(citation: &Citation) -> String {
    if let Some(tool) = &citation.tool {
        let at = tool.called_at.format("%F %T UTC");
        return format!("[{}] {} — called {at} (call {})", citation.marker, citation.document_name, tool.call_id);
    }
    let section = citation.section.as_deref().unwrap_or("N/A");
    let page = citation.page_number.map_or_else(|| "page N/A".to_owned(), |page| format!("page {page}"));
    let place_in = citation.cells.clone().unwrap_or(page);
    let address = citation.address.as_ref().map(|address| format!("{address} ")).unwrap_or_default();
    let in_force = Status::InForce.as_str();
    let status = citation.status.as_deref().filter(|status| *status != in_force).map(|status| format!(", {status}"));
    let place = citation.collection.iter().chain(&citation.file).map(String::as_str).collect::<Vec<_>>().join("/");
    let named = format!("{address}{} — {section}", citation.document_name);
    format!(
        "[{}] {} — {place_in} (v{}{}) [{:.2}] {}",
        citation.marker,
        quoted(&named),
        citation.version,
        status.unwrap_or_default(),
        citation.relevance_score,
        quoted(&place)
    )
    .trim_end()
    .to_owned()
}
