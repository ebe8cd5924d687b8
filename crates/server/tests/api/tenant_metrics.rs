//! `GET /v1/metrics`: a tenant's own numbers, for its admins.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::world::World;

async fn read(world: &World, key: &str, query: &str) -> Value {
    let reply = world.call("GET", &format!("/v1/metrics{query}"), Some(key), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

/// A number of all days together: the test may run over midnight.
fn sum(body: &Value, field: &str) -> u64 {
    body["days"].as_array().unwrap().iter().map(|day| day[field].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn an_admin_reads_the_numbers_of_the_own_tenant_and_of_no_other() {
    let world = World::create().await;
    let (asker, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    let outside = world.key_of("other", "admin").await;
    let ask = async |query: &str| {
        let body = json!({ "query": query }).to_string();
        world.call("POST", "/v1/answers", Some(&asker), &body).await.body
    };
    let answered = ask("How many days of leave may be carried over?").await;
    assert_eq!(answered["action"], "cite", "{answered}");
    let refused = ask("Who painted the ceiling of the chapel?").await;
    world.written(2).await;
    let path = format!("/v1/answers/{}/feedback", answered["request_id"].as_str().unwrap());
    assert_eq!(world.call("POST", &path, Some(&asker), r#"{"thumb": "up"}"#).await.status, StatusCode::NO_CONTENT);

    let own = read(&world, &admin, "").await;
    assert_eq!(own["days"].as_array().unwrap().len(), 30);
    assert_eq!((&own["documents"], sum(&own, "document_versions")), (&json!(2), 2));
    assert_eq!((sum(&own, "questions"), sum(&own, "answered")), (2, 1));
    assert_eq!((sum(&own, "feedback_up"), sum(&own, "feedback_down")), (1, 0));
    let days = own["days"].as_array().unwrap();
    let reasons: Vec<_> = days.iter().flat_map(|day| day["not_answered"].as_object().unwrap()).collect();
    assert_eq!(reasons, [(&refused["reason"].as_str().unwrap().to_owned(), &json!(1))]);
    assert!(days.iter().any(|day| day["feedback_up_rate"] == json!(1.0)), "{own}");

    let other = read(&world, &outside, "?days=2").await;
    assert_eq!(other["days"].as_array().unwrap().len(), 2);
    assert_eq!((&other["documents"], sum(&other, "questions"), sum(&other, "feedback_up")), (&json!(1), 0, 0));
    for query in ["?days=0", "?days=91", "?days=x", "?tenant=other"] {
        let reply = world.call("GET", &format!("/v1/metrics{query}"), Some(&admin), "").await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
    }
    let curator = world.key("curator", &[]).await;
    assert_eq!(world.call("GET", "/v1/metrics", Some(&curator), "").await.status, StatusCode::FORBIDDEN);
    world.end().await;
}
