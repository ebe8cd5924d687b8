use ibidem_testing::suites;

use super::*;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vocabulary").join(name)
}

/// The demo's vocabulary, as large and as untidy as one that is in use.
fn demo() -> SkosFiles {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/architecture/vocabulary/halvern.ttl");
    SkosFiles::load(&settings(vec![file])).unwrap()
}

fn settings(paths: Vec<PathBuf>) -> SkosFilesSettings {
    SkosFilesSettings { paths, language: "en".to_owned(), max_file_bytes: 10_000_000 }
}

fn load(names: &[&str]) -> SkosFiles {
    SkosFiles::load(&settings(names.iter().map(|name| data(name)).collect())).unwrap()
}

/// A vocabulary with this text in it, in a file of this name.
fn written(name: &str, text: &str) -> Result<SkosFiles, SkosFileError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    SkosFiles::load(&settings(vec![file]))
}

async fn found(vocabulary: &SkosFiles, term: &str) -> Concept {
    match vocabulary.lookup(term).await {
        Ok(Lookup::Found { concept, .. }) => concept,
        other => panic!("{term}: {other:?}"),
    }
}

#[tokio::test]
async fn files_behave_as_a_vocabulary() {
    suites::vocabulary::check(&load(&["gridterms.ttl", "gridterms2.ttl"])).await;
}

#[tokio::test]
async fn a_term_with_quotes_and_an_asterisk_is_found_as_it_is_written() {
    let vocabulary = load(&["gridterms.ttl"]);
    let concept = found(&vocabulary, "operator's \"N-1\" (criterion) * rule").await;
    assert_eq!(concept.definition.unwrap().text, "Security rule & <more>.");
}

#[tokio::test]
async fn another_language_brings_its_own_labels_and_definitions() {
    let mut settings = settings(vec![data("gridterms.ttl")]);
    settings.language = "de".to_owned();
    let vocabulary = SkosFiles::load(&settings).unwrap();
    let concept = found(&vocabulary, "sammelschienenabschnitt").await;
    assert_eq!(concept.label, "Sammelschienenabschnitt");
    assert_eq!(concept.definition.unwrap().language.as_deref(), Some("de"));
    // An English term is still found; its concept is called by its German name.
    assert_eq!(found(&vocabulary, "busbar").await.label, "Sammelschienenabschnitt");
    assert_eq!(found(&vocabulary, "earthing").await.label, "earthing");
}

#[tokio::test]
async fn rdf_xml_is_read_like_turtle() {
    let text = r##"<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY skos "http://www.w3.org/2004/02/skos/core#"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="&skos;">
  <skos:Concept rdf:about="http://example.org/x/a">
    <skos:prefLabel xml:lang="en">arc</skos:prefLabel>
    <skos:definition rdf:parseType="Resource"><rdf:value xml:lang="en">A discharge,
in two lines.</rdf:value></skos:definition>
  </skos:Concept>
  <skos:Collection rdf:about="http://example.org/x/g"><skos:prefLabel xml:lang="en">group</skos:prefLabel></skos:Collection>
</rdf:RDF>
"##;
    let vocabulary = written("x.rdf", text).unwrap();
    let concept = found(&vocabulary, "ARC").await;
    assert_eq!((concept.vocabulary.as_str(), concept.uri.as_str()), ("x", "http://example.org/x/a"));
    assert_eq!(concept.definition.unwrap().text, "A discharge,\nin two lines.");
    assert_eq!(vocabulary.lookup("group").await, Ok(Lookup::Unknown));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name_and_line() {
    let no_file = settings(vec![data("nothing.ttl")]);
    let no_concept = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://a> a skos:Collection .\n";
    let cases = [
        (SkosFiles::load(&no_file), "nothing.ttl cannot be read"),
        (written("v.ttl", "<http://a> <http://b> \"c\" .\n\n<http://a> <http://b> nonsense ."), "v.ttl, line 3: "),
        (written("v.ttl", "<http://a> a \"unfinished"), "v.ttl, line 1: "),
        (written("v.rdf", "<?xml version=\"1.0\"?>\n\n<a>\n</a>\n"), "v.rdf, line 3: "),
        (written("v.rdf", "<?xml version=\"1.0\"?>\n<!DOCTYPE a [\n<!ENTITY b \"&c;&c;\">\n]>\n"), "v.rdf, line 3: "),
        (written("v.ttl", &"[ <http://a> ".repeat(100_000)), "v.ttl, line 1: "),
        (written("v.ttl", no_concept), "v.ttl has no skos:Concept"),
        (written("v.ttl", ""), "v.ttl has no skos:Concept"),
        (written("v.docx", "x"), "v.docx is no vocabulary"),
    ];
    for (outcome, expected) in cases {
        let error = outcome.err().unwrap().to_string();
        assert!(error.contains(expected), "{error:?} does not say {expected:?}");
    }
}

#[test]
fn a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let size = std::fs::metadata(data("gridterms2.ttl")).unwrap().len();
    let limited = |max_file_bytes| {
        SkosFiles::load(&SkosFilesSettings { max_file_bytes, ..settings(vec![data("gridterms2.ttl")]) })
    };
    assert!(limited(size).is_ok());
    assert!(matches!(limited(size - 1), Err(SkosFileError::TooLarge { .. })));
}

#[test]
fn a_folder_is_all_the_vocabularies_in_it_and_an_id_is_used_once() {
    let folder = data("");
    let vocabulary = SkosFiles::load(&settings(vec![folder.clone()])).unwrap();
    let ids: Vec<&str> = vocabulary.word_lists().iter().map(|list| list.id.as_str()).collect();
    assert_eq!(ids, ["gridterms", "gridterms2"]);
    let twice = SkosFiles::load(&settings(vec![folder, data("gridterms.ttl")]));
    assert!(matches!(twice, Err(SkosFileError::SameId { id, .. }) if id == "gridterms"));
}

#[test]
fn reading_a_file_again_gives_the_same_nodes() {
    assert_eq!(load(&["gridterms.ttl"]).word_lists(), load(&["gridterms.ttl"]).word_lists());
}

#[test]
fn every_concept_of_the_demo_is_there() {
    let vocabulary = demo();
    let [list] = vocabulary.word_lists() else { panic!("one file is one vocabulary") };
    let defined = list.entries.values().filter(|entry| !entry.definitions.is_empty()).count();
    let deprecated = list.entries.values().filter(|entry| entry.deprecated).count();
    assert_eq!((list.id.as_str(), list.entries.len(), defined, deprecated), ("halvern", 240, 234, 7));
}

#[tokio::test]
async fn the_demo_suggests_near_terms_and_defines_them_in_both_languages() {
    let vocabulary = demo();
    for (term, expected) in [("circuit braker", "circuit breaker"), ("reserve for balancing", "balancing reserve")] {
        assert_eq!(vocabulary.closest(term, 3).await.unwrap()[0], expected, "{term}");
    }
    for (term, beginning) in [("SVC", "Coils and capacitors behind"), ("Regelzone", "The part of a synchronous area")] {
        let definition = found(&vocabulary, term).await.definition.unwrap();
        assert!(definition.text.starts_with(beginning), "{definition:?}");
    }
    // Two languages, or a note why there is none.
    for entry in vocabulary.word_lists()[0].entries.values() {
        let languages: Vec<_> = entry.definitions.iter().filter_map(|text| text.language.as_deref()).collect();
        assert!(languages.is_empty() || languages == ["en", "de"], "{}: {languages:?}", entry.uri);
    }
}

#[tokio::test]
async fn every_label_of_the_demo_finds_its_concept() {
    let vocabulary = demo();
    let mut looked_up = 0;
    for list in vocabulary.word_lists() {
        for entry in list.entries.values().filter(|entry| !entry.deprecated) {
            for label in entry.labels.iter().filter(|label| label.is_in("en")) {
                let concepts = match vocabulary.lookup(&label.text).await.unwrap() {
                    Lookup::Found { concept, see_also } => [vec![concept], see_also].concat(),
                    Lookup::Ambiguous(concepts) => concepts,
                    Lookup::Unknown => panic!("{:?} is unknown", label.text),
                };
                let tier = concepts[0].matched;
                let named = concepts.iter().any(|concept| concept.uri == entry.uri);
                assert!(named || tier < label.kind, "{:?} does not find {}", label.text, entry.uri);
                looked_up += 1;
            }
        }
    }
    assert!(looked_up > 500, "{looked_up}");
}
