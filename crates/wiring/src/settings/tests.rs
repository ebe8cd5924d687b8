//! Settings from every layer, and what is said when they are wrong.

use std::time::Duration;

use ibidem_adapters::hand_over::Secret;
use ibidem_adapters::http_entailment::EntailmentForm;
use ibidem_adapters::object_store::OriginalsLocation;
use ibidem_adapters::onnx::ClaimInput;
use ibidem_adapters::openai::{Protocol, SentAlong, Thinking};
use ibidem_engine::policy::VerificationMode;
use ibidem_server::MetricsReaders;
use ibidem_words::Sha256Hash;

use super::*;

fn load_with(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> Result<Settings, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibidem.yaml");
    std::fs::write(&path, file).unwrap();
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    load(Some(&path), environment, &flags).map_err(|error| error.to_string())
}

#[test]
fn the_shipped_file_is_a_complete_and_valid_set_of_defaults() {
    let settings = load(None, std::iter::empty(), &[]).unwrap();
    assert_eq!(settings.embedding.max_tokens.get(), 256);
    assert!(settings.language_model().is_none());
    let reranker = settings.reranker();
    let is_built_in = |readers: &BuiltInReaders| {
        (readers.english.name.as_str(), readers.others.name.as_str()) == ("reader", "reader_multilingual")
    };
    assert!(matches!(&reranker, Some(RerankerSource::BuiltIn(readers)) if is_built_in(readers)), "{reranker:?}");
    assert_eq!(settings.entailment(), EntailmentSource::Lexical);
    assert_eq!(settings.breakers(), ibidem_ports::degrade::BreakerSettings::default());
    let widest = load_with("index:\n  search_breadth: 10000\n", &[], &[]).unwrap();
    assert_eq!((settings.index.search_breadth.get(), widest.index.search_breadth.get()), (128, 10_000));
}

#[test]
fn flags_win_over_the_environment_which_wins_over_the_file() {
    let file = "server:\n  listen: 127.0.0.1:1\ndatabase:\n  max_connections: 3\n";
    let port = |environment: &[(&str, &str)], flags: &[&str]| {
        load_with(file, environment, flags).unwrap().server.listen.port()
    };
    assert_eq!(port(&[], &[]), 1);
    assert_eq!(port(&[("IBIDEM__SERVER__LISTEN", "127.0.0.1:2")], &[]), 2);
    assert_eq!(port(&[("IBIDEM__SERVER__LISTEN", "127.0.0.1:2")], &["server.listen=127.0.0.1:3"]), 3);
    let settings = load_with(file, &[("IBIDEM__DATABASE__MAX_CONNECTIONS", "9")], &[]).unwrap();
    assert_eq!(settings.store().max_connections, 9);
}

#[test]
fn the_folder_of_originals_does_not_depend_on_the_working_directory() {
    let of = |file: Option<&Path>, environment: &[(&str, &str)], flags: &[&str]| {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        load(file, environment, &flags).unwrap().originals()
    };
    let home = ("HOME", "/home/ada");
    for (environment, flags, expected) in [
        (&[][..], &[][..], "/var/lib/ibidem/originals"),
        (&[home], &[], "/home/ada/.local/share/ibidem/originals"),
        (&[home, ("XDG_DATA_HOME", "/data")], &[], "/data/ibidem/originals"),
        (&[home, ("XDG_DATA_HOME", "data")], &[], "/home/ada/.local/share/ibidem/originals"),
        (&[home], &["originals.location=kept"], "/home/ada/.local/share/ibidem/kept"),
        (&[home, ("IBIDEM__ORIGINALS__LOCATION", "/srv/kept")], &[], "/srv/kept"),
    ] {
        assert_eq!(of(None, environment, flags), OriginalsLocation::Folder(expected.into()));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ibidem.yaml");
    std::fs::write(&file, "originals:\n  location: kept\n").unwrap();
    assert_eq!(of(Some(&file), &[home], &[]), OriginalsLocation::Folder(folder.path().join("kept")));
}

#[test]
fn a_bucket_of_originals_is_not_a_folder() {
    let settings = load_with("originals:\n  location: s3://documents/kept\n", &[], &[]).unwrap();
    assert_eq!(settings.originals().to_string(), "s3://documents/kept");
    for (flag, problem) in [
        ("originals.location=s3://Documents", "`originals.location` \"Documents\" is not the name of a bucket"),
        ("originals.bucket.endpoint=storage", "`originals.bucket.endpoint` must begin with https://"),
        ("originals.bucket.access_key_id=one", "`originals.bucket` must be set together"),
        ("originals.bucket.timeout_ms=0", "`originals.bucket.timeout_ms` must be at least 1"),
    ] {
        let flags = ["originals.location=s3://documents", flag];
        let refused = load_with("", &[], &flags).err().unwrap();
        assert!(refused.contains(problem), "{flag}: {refused}");
    }
}

#[test]
fn a_list_in_the_environment_is_separated_by_commas() {
    let environment = [("IBIDEM__TERMINOLOGY__FILES", "a.ttl, b.rdf"), ("IBIDEM__TERMINOLOGY__LANGUAGE", "de")];
    let Some(VocabularySource::Files(files)) = load_with("", &environment, &[]).unwrap().terminology.source() else {
        panic!("files are configured");
    };
    assert_eq!(files.paths, [Path::new("a.ttl"), Path::new("b.rdf")]);
    assert_eq!(files.language, "de");
}

#[test]
fn an_error_names_the_key_and_the_mend() {
    /// (file, environment, flags, what the message must say)
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 12] = [
        ("", &[], &["log.level=loud"], &["`log.level`", "\"loud\" is no level", "trace"]),
        ("databse:\n  url: x\n", &[], &[], &["unknown field `databse`", "config/ibidem.yaml"]),
        ("database:\n  urll: x\n", &[], &[], &["`database", "unknown field `urll`"]),
        ("database:\n  max_connections: many\n", &[], &[], &["`database.max_connections`", "invalid type"]),
        ("", &[("IBIDEM__DATABASE__MAX_CONNECTIONS", "many")], &[], &["`database.max_connections`", "invalid type"]),
        ("", &[("IBIDEM__DATABASE__COLOUR", "red")], &[], &["`database.colour`", "no such setting"]),
        ("", &[], &["server.listen"], &["section.key=value"]),
        ("server:\n  listen: here\n", &[], &[], &["`server.listen`", "127.0.0.1:8080"]),
        ("breakers:\n  failures: 0\n", &[], &[], &["`breakers.failures` is 0; it must be at least 1"]),
        ("index:\n  search_breadth: 5\n", &[], &[], &["`index.search_breadth` is 5; it must be from 10 to 10000"]),
        ("index:\n  quantization: fp4\n", &[], &[], &["`index.quantization`", "none, int8, binary"]),
        (
            "index:\n  replicas: 1\n  write_consistency: 2\n",
            &[],
            &[],
            &["`index.write_consistency`", "`index.replicas`"],
        ),
    ];
    for (file, environment, flags, expected) in cases {
        let message = load_with(file, environment, flags).err().unwrap();
        for part in expected {
            assert!(message.contains(part), "{message:?} should contain {part:?}");
        }
    }
}

#[test]
fn roles_name_models_and_each_model_has_its_limits() {
    let file = "language_model:\n  url: http://127.0.0.1:1/v1\n  name: llama3.2\n  also_allowed: ['qwen3:8b']\n  timeout_ms: 15000\n  \
                roles: {planner: small, fallback: 'deepseek-r1:32b:latest'}\n  window: 4096\n  tokenizer: server\n  \
                models:\n    small: {response: 64}\n    qwen3:8b: {tokenizer: qwen.json}\n";
    let settings = load_with(file, &[], &[]).unwrap();
    let (models, roles) = (settings.language_model().unwrap(), &settings.language_model.roles);
    assert_eq!((models.answer(), roles.planner.as_deref()), ("llama3.2", Some("small")));
    assert!(roles.judge.is_none() && roles.titles.is_none() && roles.out_of_corpus.is_none());
    let limits = |name: &str| (models.limits(name).window, models.limits(name).response);
    assert_eq!(limits("llama3.2"), (8_192, 1_024));
    assert_eq!(limits("qwen3:8b"), (32_768, 2_048));
    assert_eq!(limits("deepseek-r1:32b:latest"), (65_536, 4_096));
    assert_eq!((limits("small"), limits("unheard-of")), ((4_096, 64), (4_096, 1_024)));
    assert_eq!(*models.tokenizer("small"), TokenizerSource::Server);
    assert_eq!(*models.tokenizer("qwen3:8b"), TokenizerSource::File("qwen.json".into()));
    assert_eq!(models.sent_along("small"), SentAlong { window: Some(4_096), thinking: None });
    assert_eq!(models.connection("small").protocol, Protocol::OpenAi);
    let ollama = "language_model:\n  url: http://127.0.0.1:1/v1\n  protocol: ollama\n  name: a\n  thinking: off\n  models:\n    \
                  b: {thinking: high, window: 16384, server: {url: 'http://127.0.0.1:2/v1'}}\n";
    let settings_of_ollama = load_with(ollama, &[], &[]).unwrap();
    let of_ollama = settings_of_ollama.language_model().unwrap();
    let protocols = ["a", "b"].map(|name| of_ollama.connection(name).protocol);
    assert_eq!(protocols, [Protocol::Ollama, Protocol::OpenAi]);
    let thinking = ["a", "b"].map(|name| of_ollama.sent_along(name).thinking);
    assert_eq!(thinking, [Some(Thinking::Off), Some(Thinking::High)]);
    let environment = [
        ("IBIDEM__LANGUAGE_MODEL__URL", "http://127.0.0.1:1/v1/"),
        ("IBIDEM__LANGUAGE_MODEL__ROLES__ANSWER", "large"),
        ("IBIDEM__LANGUAGE_MODEL__ROLES__JUDGE", "small"),
    ];
    let settings = load_with("", &environment, &[]).unwrap();
    let models = settings.language_model().unwrap();
    assert_eq!((models.answer(), models.roles.judge.as_deref()), ("large", Some("small")));
    assert_eq!((models.limits("large").window, models.tokenizer("large")), (8_192, &TokenizerSource::Estimate));
}

#[test]
fn roles_that_could_not_be_played_are_refused() {
    let cases = [
        ("roles: {judge: x}", "`language_model.roles.judge` needs `language_model.url`"),
        ("url: http://h/v1", "`language_model.roles.answer` is needed"),
        ("url: http://h/v1\n  name: a\n  roles: {answer: b}", "`language_model.name` is short for"),
        (
            "url: http://h/v1\n  name: a\n  planner: b",
            "`language_model.planner` is called `language_model.roles.planner` now",
        ),
        (
            "url: http://h/v1\n  name: a\n  roles: {judge: 'a:latest'}",
            "`language_model.roles.judge` is the model that writes",
        ),
        (
            "url: http://h/v1\n  name: a\n  roles: {fallback: a}",
            "`language_model.roles.fallback` is the model that writes",
        ),
        ("url: http://h/v1\n  name: a\n  roles: {wizard: b}", "unknown field `wizard`"),
        ("url: http://h/v1\n  name: a\n  window: 100", "`language_model.window` is 100; it must be at least 512"),
        (
            "url: http://h/v1\n  name: a\n  models: {b: {response: 9000}}",
            "`language_model.models.b.response` is 9000; it must be less",
        ),
        (
            "url: http://h/v1\n  name: a\n  roles: {fallback: b}",
            "`server.request_timeout_ms` must be more than what one question may wait",
        ),
    ];
    for (section, said) in cases {
        let message = load_with(&format!("language_model:\n  {section}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}

#[test]
fn each_kind_of_reranker_has_what_it_needs() {
    let model = "language_model:\n  url: http://127.0.0.1:1/v1\n  name: small\n  also_allowed: [large]\n";
    let source = |file: &str| load_with(&format!("{model}{file}"), &[], &[]).unwrap().reranker().unwrap();
    let RerankerSource::BuiltIn(readers) = source("") else { panic!("the readers come with the program") };
    assert_eq!(readers.english.place(), Path::new("the built-in reader: model.onnx"));
    assert_eq!(readers.others.place(), Path::new("the built-in reader_multilingual: model.onnx"));
    let RerankerSource::Onnx(onnx) = source("reranker:\n  use: onnx\n  folder: models/bge\n") else {
        panic!("a cross-encoder is configured");
    };
    assert_eq!((onnx.name.as_str(), onnx.runtime.as_path()), ("bge", Path::new("lib/libonnxruntime.so")));
    let RerankerSource::Http(http) = source("reranker:\n  use: http\n  form: tei\n  url: http://127.0.0.1:2/rerank\n")
    else {
        panic!("a server is configured");
    };
    assert_eq!((http.url.as_str(), http.batch_size), ("http://127.0.0.1:2/rerank", 32));
    let RerankerSource::Model(yes_no) = source("reranker:\n  use: model\n  name: large\n") else {
        panic!("the language model is configured");
    };
    assert_eq!((yes_no.model.as_deref(), yes_no.at_once), (Some("large"), 4));
}

#[test]
fn a_second_reader_is_there_where_its_folder_is_named() {
    let loaded = |file: &str| load_with(file, &[], &[]).unwrap();
    let without = loaded("");
    assert_eq!((without.second_reader(), without.longest_reading()), (None, Duration::from_millis(3_000)));
    let with = loaded("reranker:\n  second:\n    folder: models/large\n    best: 3\n");
    let second = with.second_reader().unwrap();
    assert_eq!((second.model.name.as_str(), second.best, second.english_alone), ("large", 3, true));
    assert_eq!(with.longest_reading(), Duration::from_millis(6_000), "each of the two has the whole time");
    let all = loaded("reranker:\n  second: {folder: models/large, languages: all}\n").second_reader().unwrap();
    assert!(!all.english_alone && all.best == 4);
    for (second, said) in [
        ("{folder: m, best: 0}", "`reranker.second.best` is 0; it must be from 1 to 8"),
        ("{folder: m, best: 9}", "`reranker.second.best` is 9"),
        ("{folder: m, languages: german}", "`reranker.second.languages` is \"german\""),
        ("{folder: m}\n  use: none", "`reranker.second.folder` is named"),
        ("{folder: m}\n  timeout_ms: 20000", "one after the other (45000 ms)"),
    ] {
        let message = load_with(&format!("reranker:\n  second: {second}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}

#[test]
fn a_reranker_that_could_not_judge_is_refused() {
    let model = "language_model:\n  url: http://127.0.0.1:1/v1\n  name: small\n";
    let cases = [
        ("", "use: bm25", "`reranker.use` is \"bm25\"; it must be one of reader, onnx, http, model, none"),
        ("", "use: http", "`reranker.url` is needed"),
        ("", "use: http\n  url: file:///x\n  name: m", "`reranker.url` must begin with http://"),
        ("", "use: http\n  url: http://127.0.0.1:2", "`reranker.name` is needed"),
        ("", "use: http\n  form: soap", "`reranker.form`"),
        ("", "use: model", "`language_model.url` is needed"),
        (model, "use: model\n  name: large", "`reranker.name` must be"),
        (model, "use: model\n  prompt: Is {passage} it?", "`reranker.prompt` must have {question} in it once"),
        (
            model,
            "use: model\n  timeout_ms: 45000",
            "`server.request_timeout_ms` must be more than `reranker.timeout_ms`",
        ),
        ("", "batch_size: 0", "`reranker.batch_size`"),
    ];
    for (model, reranker, said) in cases {
        let message = load_with(&format!("{model}reranker:\n  {reranker}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}

#[test]
fn each_kind_of_entailment_model_has_what_it_needs() {
    let model = "language_model:\n  url: http://127.0.0.1:1/v1\n  name: small\n  also_allowed: [large]\n";
    let source = |file: &str| load_with(&format!("{model}{file}"), &[], &[]).unwrap().entailment();
    let EntailmentSource::Onnx(onnx) =
        source("embedding:\n  sessions: 3\nentailment:\n  use: onnx\n  folder: models/nli\n  max_tokens: 384\n")
    else {
        panic!("a model in this process is configured");
    };
    assert_eq!((onnx.name.as_str(), onnx.runtime.as_path()), ("nli", Path::new("lib/libonnxruntime.so")));
    assert_eq!((onnx.sessions, onnx.max_tokens), (3, 384));
    let http = source("entailment:\n  use: http\n  url: http://127.0.0.1:2/predict\n  batch_size: 5\n");
    let EntailmentSource::Http(http) = http else { panic!("a server is configured") };
    assert_eq!((http.form, http.model.as_str()), (EntailmentForm::Tei, "entailment server"));
    assert_eq!((http.batch_size, http.at_once), (5, 4));
    let words_first = |file: &str| load_with(&format!("{model}{file}"), &[], &[]).unwrap().entailment.words_first();
    assert!(words_first("entailment:\n  use: model\n  words_first: true\n"));
    assert!(!words_first("entailment:\n  use: lexical\n  words_first: true\n"), "it would agree with itself");
    let EntailmentSource::Model(yes_no) = source("entailment:\n  use: model\n  name: large\n  at_once: 7\n") else {
        panic!("the language model is configured");
    };
    assert_eq!((yes_no.model.as_deref(), yes_no.at_once), (Some("large"), 7));
}

#[test]
fn a_published_verifier_is_read_to_as_it_was_taught_and_a_second_one_decides_in_doubt() {
    let entailment = |file: &str| load_with(file, &[], &[]).unwrap();
    assert_eq!((entailment("").entailment.input(), entailment("").second_verifier()), (ClaimInput::Pair, None));
    for (input, expected) in [
        ("minicheck", ClaimInput::MiniCheck),
        ("factcg", ClaimInput::FactCg),
        ("lettucedetect", ClaimInput::LettuceDetect),
    ] {
        let settings = entailment(&format!("entailment:\n  use: onnx\n  input: {input}\n"));
        assert_eq!(settings.entailment.input(), expected);
    }
    let second = "{folder: models/large, input: factcg, from: 0.25, to: 0.75}";
    let second = entailment(&format!("entailment:\n  second: {second}\n")).second_verifier().unwrap();
    assert_eq!((second.model.name.as_str(), second.input, second.doubt), ("large", ClaimInput::FactCg, 0.25..=0.75));
    for (entailment, said) in [
        ("input: t5", "`entailment.input` is \"t5\"; it must be one of pair, minicheck, factcg, lettucedetect"),
        ("second: {folder: m, input: t5}", "`entailment.second.input`"),
        ("second: {folder: m, from: 0.9}", "`entailment.second.from` must be from 0"),
        ("second: {folder: m, to: 1.5}", "`entailment.second.from` must be from 0"),
    ] {
        let message = load_with(&format!("entailment:\n  {entailment}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}

#[test]
fn an_entailment_model_that_could_not_judge_is_refused() {
    let model = "language_model:\n  url: http://127.0.0.1:1/v1\n  name: small\n";
    let [alone, reranked] = ["none", "onnx"].map(|used| format!("{model}reranker:\n  use: {used}\n"));
    let cases = [
        ("", "use: none", "`entailment.use` is \"none\"; it must be one of lexical, onnx, http, model"),
        ("", "use: http", "`entailment.url` is needed"),
        ("", "use: http\n  url: file:///x", "`entailment.url` must begin with http://"),
        ("", "use: http\n  form: pairs\n  url: http://127.0.0.1:2", "`entailment.name` is needed"),
        ("", "use: http\n  form: soap", "`entailment.form`"),
        ("", "batch_size: 0", "`entailment.batch_size`"),
        ("", "use: model", "`language_model.url` is needed with `entailment.use: model`"),
        (model, "use: model\n  name: large", "`entailment.name` must be"),
        (model, "use: model\n  prompt: Is {claim} so?", "`entailment.prompt` must have {premise} in it once"),
        ("", "timeout_ms: 45000", "`server.request_timeout_ms` must be more than `entailment.timeout_ms`"),
        (&alone, "timeout_ms: 15000", "one after the other (45000 ms)"),
        (&reranked, "timeout_ms: 12000", "one after the other (45000 ms)"),
        ("", "timeout_ms: 0", "`entailment.timeout_ms`"),
        ("", "max_tokens: 31", "`entailment.max_tokens`"),
        ("", "at_once: 0", "`entailment.at_once`"),
    ];
    for (model, entailment, said) in cases {
        let message = load_with(&format!("{model}entailment:\n  {entailment}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}

#[test]
fn every_problem_is_named_at_once_and_no_secret_is_repeated() {
    let file = "database:\n  url: mysql://me:secret@here\nserver:\n  listen: here\njobs:\n  lease_ms: 1\n";
    let message = load_with(file, &[], &[]).err().unwrap();
    for key in ["`database.url`", "`server.listen`", "`jobs.lease_ms`"] {
        assert!(message.contains(key), "{message}");
    }
    assert!(!message.contains("secret"), "{message}");
}

#[test]
fn names_types_and_values_that_are_wrong_are_told_together_and_what_is_not_in_use_may_be_anything() {
    let file = "database:\n  max_connections: many\n  colour: red\nindex:\n  timeout_ms: 0\n  also_at: ['ftp://me:secret@x']\n\
                language_model:\n  window: 1\nsign_in:\n  session_hours: 0\n";
    let message = load_with(file, &[], &[]).err().unwrap();
    for problem in [
        "problems found: 4",
        "`database.max_connections`: invalid type",
        "`database.colour`: unknown field",
        "`index.timeout_ms` is 0; it must be at least 1",
        "`index.also_at` must begin with http:// or https://",
    ] {
        assert!(message.contains(problem), "{message:?} should contain {problem:?}");
    }
    assert!(!message.contains("secret"), "{message}");
    // The address that counts is the default, as the one that is written is none.
    let message = load_with("terminology:\n  skosmos: here\n  files: [a.ttl]\n", &[], &[]).err().unwrap();
    assert!(message.contains("problems found: 1"), "{message}");
}

#[test]
fn a_target_of_hand_over_has_owners_one_way_and_what_that_needs() {
    let long = "a secret of the operator, long enough";
    let hook = "owners: [hr@example.org], webhook: 'https://desk.example.org/in'";
    let mail = "owners: [hr@example.org], from: ibidem@example.org";
    let cases = [
        ("owners: [], webhook: 'https://x', secret_file: x".to_owned(), "`hand_over.targets.hr.owners` is empty"),
        ("owners: [hr], webhook: 'https://x', secret_file: x".to_owned(), "no e-mail address"),
        ("owners: [hr@example.org]".to_owned(), "needs one of `webhook`, `mail_folder` and `smtp`"),
        (format!("{hook}, mail_folder: x"), "needs one of `webhook`, `mail_folder` and `smtp`"),
        (hook.to_owned(), "needs one of `secret` and `secret_file`"),
        (format!("{hook}, secret: swordfish"), "`hand_over.targets.hr.secret` must have at least 32 characters"),
        (format!("{hook}, secret: '{long}', secret_file: x"), "is set beside `hand_over.targets.hr.secret_file`"),
        (
            "owners: [hr@example.org], webhook: 'ftp://x', secret_file: x".to_owned(),
            "must begin with http:// or https://",
        ),
        ("owners: [hr@example.org], mail_folder: x".to_owned(), "`hand_over.targets.hr.from` must be"),
        (format!("{mail}, smtp: 'smtp://me:swordfish@mail'"), "holds a user"),
        (format!("{mail}, smtp: 'smtp://mail?tls=opportunistic'"), "may end in ?tls=required"),
        (format!("{mail}, smtp: 'smtp://mail', user: me, password: swordfish"), "sends a password unencrypted"),
        (format!("{mail}, smtp: 'smtps://mail', user: me"), "needs `user` and one of `password`"),
    ];
    for (target, said) in cases {
        let message = load_with(&format!("hand_over: {{targets: {{hr: {{{target}}}}}}}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
        assert!(!message.contains("swordfish"), "{message}");
    }
    let twice = format!("hand_over: {{targets: {{a: {{{hook}, secret_file: x}}, b: {{{hook}, secret_file: x}}}}}}\n");
    assert!(load_with(&twice, &[], &[]).err().unwrap().contains("another target of the same tenant"));
    assert!(load_with("hand_over: {timeout_ms: 60000}\n", &[], &[]).is_ok(), "nothing is handed over");
    let slow = format!("hand_over: {{timeout_ms: 60000, targets: {{hr: {{{hook}, secret: '{long}'}}}}}}\n");
    let slow = load_with(&slow, &[], &[]).err().unwrap();
    assert!(slow.contains("must be less than `jobs.lease_ms`"), "{slow}");

    let file = format!("hand_over: {{targets: {{hr: {{{hook}, secret: null}}}}}}\n");
    let settings = load_with(&file, &[("IBIDEM__HAND_OVER__TARGETS__HR__SECRET", long)], &[]).unwrap().hand_over;
    let target = &settings.targets["hr"];
    assert_eq!(target.tenant(), "default");
    assert!(target.webhook.is_some() && target.secret().is_some());
    assert!(!format!("{settings:?}").contains(long), "a secret is in no log");
}

#[test]
fn an_operator_bounds_the_policies_of_tenants() {
    let limits = load_with("", &[], &[]).unwrap().policy.of_tenants();
    assert_eq!((limits.verification, limits.most_passages), (VerificationMode::Mark, 100));
    for (written, mode) in [("off", VerificationMode::Off), ("strict", VerificationMode::Strict)] {
        let section = format!("policy: {{of_tenants: {{verification: {written}}}}}\n");
        assert_eq!(load_with(&section, &[], &[]).unwrap().policy.of_tenants().verification, mode);
        let variable = ("IBIDEM__POLICY__OF_TENANTS__VERIFICATION", written);
        assert_eq!(load_with("", &[variable], &[]).unwrap().policy.of_tenants().verification, mode);
    }
    for (section, said) in [
        ("verification: loose", "`policy.of_tenants.verification` is \"loose\"; it must be one of off, mark, strict"),
        ("verification: yes", "`policy.of_tenants.verification` is \"true\"; it must be one of"),
        ("least_support: 1.5", "`policy.of_tenants.least_support` is 1.5; it must be from 0 to 1"),
        ("most_passages: 0", "`policy.of_tenants.most_passages` is 0; it must be at least 1"),
        ("most_answer_tokens: 0", "`policy.of_tenants.most_answer_tokens` is 0; it must be at least 1"),
    ] {
        let message = load_with(&format!("policy: {{of_tenants: {{{section}}}}}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}

#[test]
fn hashed_queries_need_a_secret_and_an_audit_is_on_or_off() {
    let cases = [
        ("use: perhaps", "`audit.use` is \"perhaps\"; it must be one of on, off"),
        ("retention_days: 0", "`audit.retention_days` is 0; it must be at least 1"),
        ("queries: rot13", "`audit.queries` is \"rot13\"; it must be one of plain, hashed"),
        ("queries: hashed", "one of `audit.hash_key` and `audit.hash_key_file` is needed"),
        (
            "queries: hashed\n  hash_key: one\n  hash_key_file: two.key",
            "one of `audit.hash_key` and `audit.hash_key_file`",
        ),
        ("queries: hashed\n  hash_key: swordfish", "`audit.hash_key` must have at least 32 characters"),
    ];
    for (section, said) in cases {
        let message = load_with(&format!("audit:\n  {section}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
        assert!(!message.contains("swordfish"), "{message}");
    }
    let audit = load_with("", &[], &["audit.use=off"]).unwrap().audit;
    assert_eq!((audit.records(), audit.retention_days(), audit.texts()), (false, Some(365), RecordedTexts::Plain));
    let key = "a secret of the operator, long enough";
    let audit = load_with("audit:\n  queries: hashed\n", &[("IBIDEM__AUDIT__HASH_KEY", key)], &[]).unwrap().audit;
    assert_eq!(audit.texts(), RecordedTexts::Hashed(SecretSource::Given(Secret::new(key))));
    assert!(!format!("{:?}", audit.texts()).contains(key));
    let for_ever = load_with("audit:\n  retention_days: null\n", &[], &[]).unwrap().audit;
    assert_eq!(for_ever.retention_days(), None);
}

#[test]
fn only_the_operators_token_opens_the_metrics_and_a_language_must_be_known() {
    let token = "0123456789abcdef";
    let with = load_with(&format!("server:\n  metrics_token: {token}\n"), &[], &[]).unwrap().server;
    assert_eq!(with.metrics_readers(), MetricsReaders::Operator(Sha256Hash::of(token.as_bytes())));
    assert_eq!(load_with("", &[], &[]).unwrap().server.metrics_readers(), MetricsReaders::Nobody);
    let german = load_with("index:\n  language: german\n", &[], &[]).unwrap();
    assert_eq!(
        (german.qdrant().analysis.id(), german.store().analysis.id()),
        ("german-1".to_owned(), "german-1".to_owned())
    );
    for (file, problem) in [
        ("server:\n  metrics: admin\n", "let one tenant's admin read the numbers of all tenants"),
        ("server:\n  metrics_token: short\n", "`server.metrics_token` must have at least 16"),
        ("index:\n  language: klingon\n", "`index.language` is not a language that is known"),
    ] {
        let message = load_with(file, &[], &[]).err().unwrap();
        assert!(message.contains(problem), "{message}");
    }
}

#[test]
fn nobody_signs_in_without_an_issuer_and_with_one_everything_that_sign_in_needs_is_asked_for() {
    assert!(load_with("", &[], &[]).unwrap().sign_in().is_none());
    assert!(
        load_with("", &[("IBIDEM__SIGN_IN__ISSUER", "")], &[]).unwrap().sign_in().is_none(),
        "empty means: not set"
    );
    let whole = "sign_in:\n  issuer: https://login.example.org/\n  client_id: ibidem\n  public_url: https://ibidem.example.org/\n";
    let environment = [("IBIDEM__SIGN_IN__CLIENT_SECRET", "a secret"), ("IBIDEM__SIGN_IN__AUDIENCES", "api, other")];
    let settings = load_with(whole, &environment, &[]).unwrap();
    let settings = settings.sign_in().unwrap();
    assert_eq!(settings.oidc().issuer, "https://login.example.org/", "as the provider writes it");
    assert_eq!(settings.public_url(), "https://ibidem.example.org");
    assert_eq!(
        (settings.oidc().audiences.as_slice(), settings.tenant.as_str()),
        (&["api", "other"].map(str::to_owned)[..], "default")
    );
    assert!(!format!("{settings:?}").contains("a secret"), "a secret is in no log");
    let cases = [
        ("client_id: null", "`sign_in.client_id` is needed"),
        ("public_url: null", "`sign_in.public_url` is needed"),
        ("public_url: http://ibidem.example.org", "`sign_in.public_url` must begin with https://"),
        ("issuer: http://login.example.org", "`sign_in.issuer` must begin with https://"),
        ("algorithms: [RS256, HS256]", "`sign_in.algorithms` \"HS256\" is no signature by a public key"),
        ("algorithms: [none]", "`sign_in.algorithms` \"none\" is no signature by a public key"),
        ("algorithms: []", "`sign_in.algorithms` is empty"),
        ("scopes: [profile]", "`sign_in.scopes` must have openid"),
        ("leeway_seconds: 301", "`sign_in.leeway_seconds` must be at most 300"),
        ("session_hours: 0", "`sign_in.session_hours` is 0"),
    ];
    for (changed, expected) in cases {
        let key = changed.split(':').next().unwrap();
        let kept: String = whole
            .lines()
            .filter(|line| !line.trim().starts_with(&format!("{key}:")))
            .map(|line| format!("{line}\n"))
            .collect();
        let message = load_with(&format!("{kept}  {changed}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(expected), "{message:?} should contain {expected:?}");
    }
}

#[test]
fn agents_have_a_key_or_a_file_that_holds_it() {
    assert!(load_with("", &[], &[]).unwrap().agents.credential().is_none());
    let environment = [("IBIDEM__AGENTS__KEY", "ibk_x"), ("IBIDEM__AGENTS__SERVER", "https://ibidem.example.org/")];
    let agents = load_with("", &environment, &[]).unwrap().agents;
    assert_eq!(agents.server.as_ref().map(HttpUrl::base), Some("https://ibidem.example.org"));
    assert!(agents.credential() == Some(SecretSource::Given(Secret::new("ibk_x"))));
    let agents = load_with("agents:\n  key_file: token\n", &[], &[]).unwrap().agents;
    assert!(agents.credential() == Some(SecretSource::File("token".into())));
    for (section, said) in [
        ("{key: a, key_file: b}", "`agents.key_file` is set beside `agents.key`"),
        ("{server: ibidem.example.org}", "`agents.server` must begin with http:// or https://"),
        ("{timeout_ms: 0}", "`agents.timeout_ms` is 0"),
    ] {
        let message = load_with(&format!("agents: {section}\n"), &[], &[]).err().unwrap();
        assert!(message.contains(said), "{message:?} should contain {said:?}");
    }
}
