//! The API's description: a change of the contract shows as a change of this snapshot.

#[test]
fn the_api_is_described_as_before() {
    let mut description = serde_json::to_value(ibidem_server::openapi()).unwrap();
    description["info"]["version"] = "[version]".into();
    insta::assert_json_snapshot!(description);
}
