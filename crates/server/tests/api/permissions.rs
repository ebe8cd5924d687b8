//! Who may do what, cell by cell of the table, through HTTP.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use ibidem_server::{Least, POWERS, Power, Rules, endpoints};
use ibidem_words::Role;

use super::world::{METRICS_TOKEN, World};

const NOBODY: &str = "00000000-0000-0000-0000-000000000007";

#[test]
fn every_route_stands_in_the_table_once() {
    let described = serde_json::to_value(ibidem_server::openapi()).unwrap();
    // What is not part of the API is not in its description.
    let beside = ["/openapi.json", "/", "/assets/{file}", "/embed.js"];
    let mut routes: BTreeSet<_> = beside.map(|path| ("GET".to_owned(), path.to_owned())).into();
    routes.insert(("POST".to_owned(), "/mcp".to_owned()));
    for (path, methods) in described["paths"].as_object().unwrap() {
        routes.extend(methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())));
    }
    let rows: Vec<_> = endpoints().iter().map(|row| (row.method.to_owned(), row.path.clone())).collect();
    assert_eq!(rows.len(), routes.len());
    assert_eq!(rows.into_iter().collect::<BTreeSet<_>>(), routes);
}

#[tokio::test]
async fn every_cell_of_the_table_holds_through_http() {
    let world = World::create().await;
    let mut callers = vec![(None, None), (None, Some(format!("Bearer {METRICS_TOKEN}")))];
    for role in [Role::Asker, Role::Curator, Role::Admin] {
        callers.push((Some(role), Some(world.key(role.as_str(), &[]).await)));
    }
    let mut cells = 0;
    for Rules { method, path, least, .. } in endpoints() {
        let path = path.replace("{request_id}", NOBODY).replace("{id}", NOBODY);
        for (role, credentials) in &callers {
            let shows_token = role.is_none() && credentials.is_some();
            let expected = match least {
                Least::Anybody => None,
                Least::Operator => (!shows_token).then_some(StatusCode::UNAUTHORIZED),
                Least::Role(least) => match role {
                    None => Some(StatusCode::UNAUTHORIZED),
                    Some(role) => (role < least).then_some(StatusCode::FORBIDDEN),
                },
            };
            let reply = world.call(method, &path, credentials.as_deref(), "{}").await;
            let turned_away = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&reply.status);
            let found = turned_away.then_some(reply.status);
            assert_eq!(found, expected, "{method} {path} as {role:?}: {}", reply.text);
            assert!(!reply.status.is_server_error(), "{method} {path} as {role:?}: {}", reply.text);
            cells += 1;
        }
    }
    assert_eq!(cells, 5 * endpoints().len());
    let admin = callers.last().and_then(|(_, key)| key.as_deref());
    assert_eq!(world.call("HEAD", "/v1/keys", admin, "").await.status, StatusCode::OK, "as GET");
    let asker = callers[2].1.as_deref();
    assert_eq!(world.call("HEAD", "/v1/keys", asker, "").await.status, StatusCode::FORBIDDEN, "as GET");
    world.end().await;
}

#[tokio::test]
async fn only_an_admin_hands_in_documents_for_tags_they_do_not_carry() {
    let world = World::create().await;
    let [(Power::GiveForeignTags, least, _)] = POWERS else { panic!("another power needs a test of its own") };
    let form = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nText.\r\n\
                --b\r\ncontent-disposition: form-data; name=\"collection\"\r\n\r\nPolicy\r\n\
                --b\r\ncontent-disposition: form-data; name=\"tags\"\r\n\r\nfinance\r\n--b--\r\n";
    for role in [Role::Curator, Role::Admin] {
        let key = world.key(role.as_str(), &["support"]).await;
        let headers = [("authorization", key.as_str()), ("content-type", "multipart/form-data; boundary=b")];
        let reply = world.call_with("POST", "/v1/documents", &headers, form).await;
        let expected = if role >= *least { StatusCode::ACCEPTED } else { StatusCode::FORBIDDEN };
        assert_eq!(reply.status, expected, "{role:?}: {}", reply.text);
    }
    world.end().await;
}
