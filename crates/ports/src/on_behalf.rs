//! Whose work it is that the parts are asked for: parts that many share give each tenant its turn by it.
//!
//! It decides when work is done and never what comes of it, so it travels beside the calls and not in them. Work that
//! nobody names is a tenant of its own.

use ibidem_words::TenantId;

tokio::task_local! {
    static TENANT: TenantId;
}

/// Does the work as that tenant's. What comes here is the whole of a question: it is kept beside the stack.
pub async fn of<T>(tenant: TenantId, work: impl Future<Output = T>) -> T {
    TENANT.scope(tenant, Box::pin(work)).await
}

/// Whose work is done here; none where nobody has said so.
pub fn tenant() -> Option<TenantId> {
    TENANT.try_with(|tenant| *tenant).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_its_tenants_as_long_as_it_lasts() {
        let (one, other) = (TenantId::named("one"), TenantId::named("other"));
        assert_eq!(tenant(), None);
        let beside = async { futures::join!(of(other, async { tenant() }), async { tenant() }) };
        assert_eq!(of(one, beside).await, (Some(other), Some(one)));
        assert_eq!(tenant(), None);
    }
}
