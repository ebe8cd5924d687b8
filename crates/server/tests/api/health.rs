//! `/healthz` and `/readyz`.

use axum::http::StatusCode;

use crate::world::World;

#[tokio::test]
async fn a_process_whose_parts_answer_is_ready() {
    let world = World::create().await;
    let reply = world.call("GET", "/readyz", None, "").await;
    assert_eq!((reply.status, reply.body["status"].as_str()), (StatusCode::OK, Some("ok")));
    world.end().await;
}
