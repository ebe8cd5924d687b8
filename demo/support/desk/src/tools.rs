//! The desk's tools: what each is described as, and what it looks up.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use sqlx::PgPool;

/// Policy files pin these descriptions by their digests: a change here is a change there.
const DESCRIBED: &str = include_str!("../tools.json");

/// What is not there is a result too, and says so in its status. Each statement gives one JSON object.
const PRICE: &str = "
SELECT coalesce(
    (SELECT to_jsonb(plan) FROM support_desk.plans plan WHERE plan_code = $1),
    jsonb_build_object('plan_code', $1, 'plan_name', '', 'price_monthly_pln', 0, 'status', 'not_found'))";
const SUBSCRIPTION: &str = "
SELECT coalesce(
    (SELECT jsonb_build_object('customer_id', customer_id, 'plan_code', plan.plan_code, 'plan_name', plan_name,
                               'price_monthly_pln', price_monthly_pln, 'status', own.status,
                               'start_date', start_date::text)
     FROM support_desk.subscriptions own JOIN support_desk.plans plan USING (plan_code) WHERE customer_id = $1),
    jsonb_build_object('customer_id', $1, 'plan_code', '', 'plan_name', '', 'price_monthly_pln', 0,
                       'status', 'not_found', 'start_date', NULL))";
const CASE: &str = "
SELECT coalesce(
    (SELECT to_jsonb(own) FROM support_desk.cases own WHERE case_id = $1),
    jsonb_build_object('case_id', $1, 'customer_id', '', 'invoice_id', '', 'subject', '', 'amount_pln', 0,
                       'status', 'not_found', 'sla_days', 0))";
const ORDER: &str = "
SELECT coalesce(
    (SELECT to_jsonb(own) FROM support_desk.orders own WHERE order_id = $1),
    jsonb_build_object('order_id', $1, 'item', '', 'status', 'not_found', 'expected_on', NULL))";
const OPEN_CASE: &str = "
INSERT INTO support_desk.cases
SELECT 'R' || coalesce(max(substr(case_id, 2)::bigint), 10000) + 1, $1, $2, 'Refund', $3, 'opened', 5
FROM support_desk.cases
RETURNING jsonb_build_object('case_id', case_id, 'status', status, 'sla_days', sla_days)";

#[derive(Clone)]
pub(crate) struct Desk {
    pool: PgPool,
    tools: Arc<Vec<Tool>>,
}

impl Desk {
    pub(crate) fn new(pool: PgPool) -> serde_json::Result<Self> {
        Ok(Self { pool, tools: Arc::new(serde_json::from_str(DESCRIBED)?) })
    }

    /// What the tool gives; the error is in words for whoever called.
    async fn looked_up(&self, tool: &str, arguments: &JsonObject) -> Result<Value, String> {
        let text = |name: &str| {
            let value = arguments.get(name).and_then(Value::as_str);
            value.ok_or_else(|| format!("{name} is missing, or no text"))
        };
        let statement = match tool {
            "get_price" => sqlx::query_scalar(PRICE).bind(text("plan_code")?),
            "get_subscription" => sqlx::query_scalar(SUBSCRIPTION).bind(text("customer_id")?),
            "get_case" => sqlx::query_scalar(CASE).bind(text("case_id")?),
            "get_order" => sqlx::query_scalar(ORDER).bind(text("order_id")?),
            "open_refund_case" => {
                let amount = arguments.get("amount_pln").and_then(Value::as_f64).filter(|amount| *amount > 0.0);
                let amount = amount.ok_or("amount_pln is missing, or no amount")?;
                sqlx::query_scalar(OPEN_CASE).bind(text("customer_id")?).bind(text("invoice_id")?).bind(amount)
            }
            other => return Err(format!("there is no tool {other:?}")),
        };
        // What the database says is not the caller's business.
        statement.fetch_one(&self.pool).await.map_err(|_| "the desk's database does not answer".to_owned())
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ibidem-support-desk", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.looked_up(&request.name, &arguments).await {
            Ok(found) => CallToolResult::structured(found),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        };
        Ok(result.into())
    }
}
