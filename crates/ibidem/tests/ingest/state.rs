//! Everything an installation holds, in a form that two of them can be compared in.

use std::collections::{BTreeMap, BTreeSet};

use ibidem_words::{DocumentId, PassageKey, Sha256Hash, TenantId};
use qdrant_client::Qdrant;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::vector_output::Vector;
use qdrant_client::qdrant::{RetrievedPoint, ScrollPointsBuilder};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use crate::installation::Installation;

const POINTS_A_PAGE: u32 = 500;

/// Each table without the moments at which its rows were written, which differ between two runs that agree.
/// Vectors are compared by their bytes.
const TABLES: [(&str, &str); 8] = [
    ("documents", "SELECT (to_jsonb(t) - 'changed_at' - 'address_since')::text FROM documents t"),
    ("document_versions", "SELECT (to_jsonb(t) - 'created_at')::text FROM document_versions t"),
    ("chunks", "SELECT to_jsonb(t)::text FROM chunks t"),
    ("embeddings", "SELECT to_jsonb(t)::text FROM embeddings t"),
    ("memory_entries", "SELECT (to_jsonb(t) - 'created_at' - 'changed_at' - 'removed_at')::text FROM memory_entries t"),
    (
        "memory_passages",
        "SELECT (to_jsonb(p) || jsonb_build_object('document_id', p.entry_id, 'version', e.version))::text
         FROM memory_passages p JOIN memory_entries e ON e.tenant_id = p.tenant_id AND e.id = p.entry_id",
    ),
    ("jobs", "SELECT to_jsonb(t)::text FROM jobs t"),
    ("outbox", "SELECT to_jsonb(t)::text FROM outbox t"),
];

/// A point with everything on it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Point {
    pub(crate) payload: Value,
    vectors: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct State {
    /// Rows as JSON text, each table sorted.
    tables: BTreeMap<&'static str, Vec<String>>,
    pub(crate) points: BTreeMap<Uuid, Point>,
}

impl State {
    pub(crate) async fn of(installation: &Installation) -> Self {
        let mut connection = PgConnection::connect(installation.database_url()).await.unwrap();
        let mut tables = BTreeMap::new();
        for (table, query) in TABLES {
            let mut rows: Vec<String> = sqlx::query_scalar(query).fetch_all(&mut connection).await.unwrap();
            rows.sort_unstable();
            tables.insert(table, rows);
        }
        connection.close().await.unwrap();
        Self { tables, points: points(installation).await }
    }

    pub(crate) fn rows(&self, table: &str) -> Vec<Value> {
        self.tables[table].iter().map(|row| serde_json::from_str(row).unwrap()).collect()
    }

    pub(crate) fn count(&self, table: &str) -> usize {
        self.tables[table].len()
    }

    /// The points that the catalogue's passages and what curators wrote should have.
    pub(crate) fn wanted_points(&self) -> BTreeSet<Uuid> {
        let (chunks, curated) = (self.rows("chunks"), self.rows("memory_passages"));
        let mut ids: BTreeSet<Uuid> = chunks.iter().map(|row| passage_key(row).point_id(tenant(row))).collect();
        ids.extend(curated.iter().map(|row| passage_key(row).point_id(tenant(row).memory())));
        assert_eq!(ids.len(), chunks.len() + curated.len(), "two passages have the same point");
        ids
    }

    /// The points that there are.
    pub(crate) fn point_ids(&self) -> BTreeSet<Uuid> {
        self.points.keys().copied().collect()
    }

    pub(crate) fn points_of(&self, document: &str) -> Vec<&Point> {
        self.points.values().filter(|point| point.payload["document"] == document).collect()
    }

    /// Nothing waits, and the index holds the catalogue's passages and nothing else.
    pub(crate) fn assert_settled(&self) {
        assert_eq!(self.tables["jobs"], Vec::<String>::new());
        assert_eq!(self.tables["outbox"], Vec::<String>::new());
        let (wanted, found) = (self.wanted_points(), self.point_ids());
        assert_eq!(found.difference(&wanted).count(), 0, "points that belong to no passage");
        assert_eq!(wanted.difference(&found).count(), 0, "passages without a point");
    }

    pub(crate) fn assert_same(&self, other: &Self) {
        let (one, other) = (self.lines(), other.lines());
        for (part, lines) in &one {
            let others = &other[part];
            let only = |of: &BTreeSet<String>, not_of: &BTreeSet<String>| {
                let only: Vec<String> = of.difference(not_of).map(|line| line.chars().take(600).collect()).collect();
                format!("{} such as {:#?}", only.len(), only.iter().take(2).collect::<Vec<_>>())
            };
            let [here, there] = [only(lines, others), only(others, lines)];
            assert!(lines == others, "{part} differ.\nOnly in the one: {here}\nOnly in the other: {there}");
        }
        assert_eq!(digest(&one), digest(&other));
    }

    /// One digest over everything.
    pub(crate) fn digest(&self) -> Sha256Hash {
        digest(&self.lines())
    }

    fn lines(&self) -> BTreeMap<&'static str, BTreeSet<String>> {
        let mut lines: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        for (table, rows) in &self.tables {
            let distinct: BTreeSet<String> = rows.iter().cloned().collect();
            assert_eq!(distinct.len(), rows.len(), "{table} has the same row twice");
            lines.insert(table, distinct);
        }
        let points = self.points.iter();
        let points = points.map(|(id, point)| format!("{id} {} {}", point.payload, point.vectors));
        lines.insert("points", points.collect());
        lines
    }
}

fn digest(lines: &BTreeMap<&'static str, BTreeSet<String>>) -> Sha256Hash {
    let parts = lines
        .iter()
        .flat_map(|(part, lines)| std::iter::once(part.as_bytes()).chain(lines.iter().map(|line| line.as_bytes())));
    Sha256Hash::of_parts(parts)
}

fn tenant(chunk: &Value) -> TenantId {
    TenantId(uuid_of(&chunk["tenant_id"]))
}

fn passage_key(chunk: &Value) -> PassageKey {
    let number = |field: &str| u32::try_from(chunk[field].as_u64().unwrap()).unwrap();
    PassageKey {
        document: DocumentId(uuid_of(&chunk["document_id"])),
        version: number("version"),
        chunk_index: number("chunk_index"),
    }
}

pub(crate) fn uuid_of(value: &Value) -> Uuid {
    value.as_str().unwrap().parse().unwrap()
}

/// Every point, asked of the server itself and not through the code under test.
async fn points(installation: &Installation) -> BTreeMap<Uuid, Point> {
    let client = Qdrant::from_url(&installation.index_url).skip_compatibility_check().build().unwrap();
    let mut points = BTreeMap::new();
    let mut from = None;
    loop {
        let mut request = ScrollPointsBuilder::new(installation.index.target())
            .limit(POINTS_A_PAGE)
            .with_payload(true)
            .with_vectors(true);
        if let Some(from) = from {
            request = request.offset::<qdrant_client::qdrant::PointId>(from);
        }
        let page = client.scroll(request).await.unwrap();
        for point in page.result {
            let (id, point) = parse(point);
            assert!(points.insert(id, point).is_none(), "point {id} came twice");
        }
        from = page.next_page_offset;
        if from.is_none() {
            return points;
        }
    }
}

fn parse(point: RetrievedPoint) -> (Uuid, Point) {
    let Some(PointIdOptions::Uuid(id)) = point.id.unwrap().point_id_options else {
        panic!("a point is not numbered but named")
    };
    let vectors = point.vectors.unwrap();
    let vector = |name: &str| match vectors.get_vector_by_name(name) {
        // By their bits: two vectors that print alike need not be the same.
        Some(Vector::Dense(dense)) => json!(dense.data.iter().map(|value| value.to_bits()).collect::<Vec<_>>()),
        Some(Vector::Sparse(sparse)) => {
            let values = sparse.values.iter().map(|value| value.to_bits());
            json!(sparse.indices.iter().copied().zip(values).collect::<BTreeMap<_, _>>())
        }
        other => panic!("point {id} has {other:?} for {name}"),
    };
    let vectors = json!({ "dense": vector("dense"), "bm25": vector("bm25") });
    let payload = point.payload.into_iter().map(|(field, value)| (field, Value::from(value)));
    let payload = json!(payload.collect::<BTreeMap<_, _>>());
    (id.parse().unwrap(), Point { payload, vectors })
}
