//! The desk's tables, and what stands in them to begin with.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

/// Nothing here exists. The dates are fixed, so that answers can be compared.
const TABLES: &str = "
CREATE SCHEMA IF NOT EXISTS support_desk;
CREATE TABLE IF NOT EXISTS support_desk.plans (
    plan_code text PRIMARY KEY, plan_name text NOT NULL, price_monthly_pln double precision NOT NULL,
    status text NOT NULL DEFAULT 'offered'
);
CREATE TABLE IF NOT EXISTS support_desk.subscriptions (
    customer_id text PRIMARY KEY, plan_code text NOT NULL REFERENCES support_desk.plans, status text NOT NULL,
    start_date date NOT NULL
);
CREATE TABLE IF NOT EXISTS support_desk.cases (
    case_id text PRIMARY KEY, customer_id text NOT NULL, invoice_id text NOT NULL, subject text NOT NULL,
    amount_pln double precision NOT NULL, status text NOT NULL, sla_days bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS support_desk.orders (
    order_id text PRIMARY KEY, item text NOT NULL, status text NOT NULL, expected_on date
);
INSERT INTO support_desk.plans VALUES
    ('S', 'Mobile S', 29.99, 'offered'), ('M', 'Mobile M', 45, 'offered'), ('L', 'Mobile L', 65.5, 'offered'),
    ('XS', 'Mobile XS', 19, 'withdrawn') ON CONFLICT DO NOTHING;
INSERT INTO support_desk.subscriptions VALUES
    ('u123', 'M', 'active', '2024-03-01'), ('u124', 'S', 'suspended', '2023-11-15'), ('u125', 'XS', 'ended', '2019-06-30')
    ON CONFLICT DO NOTHING;
INSERT INTO support_desk.cases VALUES
    ('R10001', 'u123', 'INV-20251001', 'Overcharge', 150, 'opened', 5),
    ('R10002', 'u124', 'INV-20250915', 'Refund of a returned router', 89.9, 'in review', 10) ON CONFLICT DO NOTHING;
INSERT INTO support_desk.orders VALUES
    ('ORD-1001', 'Fibre router FR-2', 'shipped', '2026-11-20'), ('ORD-1002', 'SIM card', 'delivered', NULL)
    ON CONFLICT DO NOTHING;
";

/// The database with the desk's tables in it. Several desks may begin at once: one makes the tables, the others wait.
pub(crate) async fn ready(url: &str) -> sqlx::Result<PgPool> {
    /// Any number that nobody else locks by.
    const LOCK: i64 = 0x6465_736b;
    let pool = PgPoolOptions::new().max_connections(2).connect(url).await?;
    let mut transaction = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    sqlx::raw_sql(TABLES).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(pool)
}
