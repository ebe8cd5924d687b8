//! What every tool server must do, on the tools and the data of `demo/support/desk`.

use serde_json::{Map, Value, json};

use crate::fakes::FakeTools;
use ibidem_ports::tools::{ToolDescription, ToolReply, Tools};

/// The desk's tools, as its server describes them.
const DESCRIBED: &str = include_str!("../../../../demo/support/desk/tools.json");

/// # Panics
/// When the server does not behave as the port says.
pub async fn check(tools: &dyn Tools) {
    tools_are_listed_with_both_schemas_and_the_same_pins_each_time(tools).await;
    a_result_is_structured_and_what_is_not_there_is_a_result_too(tools).await;
    what_cannot_be_done_is_said_to_have_failed(tools).await;
}

async fn tools_are_listed_with_both_schemas_and_the_same_pins_each_time(tools: &dyn Tools) {
    let mut listed = tools.list().await.unwrap();
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    let mut expected = descriptions();
    expected.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(listed, expected);
    let pins = |tools: &[ToolDescription]| tools.iter().map(ToolDescription::pin).collect::<Vec<_>>();
    let mut again = tools.list().await.unwrap();
    again.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(pins(&again), pins(&expected));
}

async fn a_result_is_structured_and_what_is_not_there_is_a_result_too(tools: &dyn Tools) {
    for (tool, arguments, expected) in known() {
        assert_eq!(tools.call(tool, &arguments).await.unwrap(), ToolReply::Result(expected), "{tool} {arguments:?}");
    }
}

async fn what_cannot_be_done_is_said_to_have_failed(tools: &dyn Tools) {
    for (tool, arguments) in [("get_weather", named("plan_code", "M")), ("get_price", Map::new())] {
        let reply = tools.call(tool, &arguments).await.unwrap();
        assert!(matches!(reply, ToolReply::Failed(_)), "{tool}: {reply:?}");
    }
}

/// The desk's tools, as the port describes them.
///
/// # Panics
/// When the desk's file cannot be read.
pub fn descriptions() -> Vec<ToolDescription> {
    let described: Vec<Value> = serde_json::from_str(DESCRIBED).unwrap();
    let tool = |tool: &Value| ToolDescription {
        name: tool["name"].as_str().unwrap().to_owned(),
        arguments: tool["inputSchema"].clone(),
        result: Some(tool["outputSchema"].clone()),
        read_only: tool["annotations"]["readOnlyHint"].as_bool(),
    };
    described.iter().map(tool).collect()
}

fn named(name: &str, value: &str) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), Value::from(value))])
}

/// What the desk knows, as far as the suite asks.
fn known() -> Vec<(&'static str, Map<String, Value>, Value)> {
    vec![
        (
            "get_price",
            named("plan_code", "M"),
            json!({"plan_code": "M", "plan_name": "Mobile M", "price_monthly_pln": 45, "status": "offered"}),
        ),
        (
            "get_price",
            named("plan_code", "ZZ"),
            json!({"plan_code": "ZZ", "plan_name": "", "price_monthly_pln": 0, "status": "not_found"}),
        ),
        (
            "get_subscription",
            named("customer_id", "u123"),
            json!({"customer_id": "u123", "plan_code": "M", "plan_name": "Mobile M", "price_monthly_pln": 45,
                "status": "active", "start_date": "2024-03-01"}),
        ),
        (
            "get_subscription",
            named("customer_id", "u999"),
            json!({"customer_id": "u999", "plan_code": "", "plan_name": "", "price_monthly_pln": 0,
                "status": "not_found", "start_date": null}),
        ),
        (
            "get_case",
            named("case_id", "R10001"),
            json!({"case_id": "R10001", "customer_id": "u123", "invoice_id": "INV-20251001", "subject": "Overcharge",
                "amount_pln": 150, "status": "opened", "sla_days": 5}),
        ),
        (
            "get_order",
            named("order_id", "ORD-1001"),
            json!({"order_id": "ORD-1001", "item": "Fibre router FR-2", "status": "shipped",
                "expected_on": "2026-11-20"}),
        ),
    ]
}

/// A fake with the desk's tools and the data that the suite asks for.
///
/// # Panics
/// When the desk's file cannot be read.
pub fn desk() -> FakeTools {
    descriptions().into_iter().fold(FakeTools::default(), |fake, tool| {
        let name = tool.name.clone();
        fake.with(tool, move |arguments| {
            let is_asked =
                |(tool, asked, _): &(&'static str, Map<String, Value>, Value)| *tool == name && asked == arguments;
            // The one that changes something: the first new case of a desk that was just filled.
            if name == "open_refund_case" {
                return ToolReply::Result(json!({"case_id": "R10003", "status": "opened", "sla_days": 5}));
            }
            match known().into_iter().find(is_asked) {
                Some((_, _, result)) => ToolReply::Result(result),
                None => ToolReply::Failed("the desk does not know that".to_owned()),
            }
        })
    })
}
