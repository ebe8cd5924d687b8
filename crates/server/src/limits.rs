//! Overload and deadlines: an early answer instead of a growing queue, and a share for every key.

mod body;
mod key_places;
mod quotas;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ibidem_ports::degrade::Deadline;
use ibidem_words::{Sha256Hash, SubjectId, TenantId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::body::BodyInTime;
use self::key_places::KeyPlace;
pub(crate) use self::key_places::KeyPlaces;
pub use self::quotas::{OverLimit, QuotaError, QuotaSettings, Quotas, UseLimits};
use crate::problem::Problem;
use crate::state::{AppState, ServerLimits};

/// A request that does not end with its deadline gets so much of its time more, and then a status.
const GRACE_PARTS: u32 = 12;

/// Probes and readings of the metrics at once. They stand outside the limit on requests, so that a full server still
/// answers them, and they ask the database, so that they need one of their own.
pub(crate) const PROBES_AT_ONCE: usize = 16;

/// A request's slot among those under way. Work that outlives its request keeps the slot until it is done.
#[derive(Clone)]
pub(crate) struct RequestSlot(Arc<Held>);

struct Held {
    _permit: OwnedSemaphorePermit,
    /// Taken once it is known whose request it is.
    of_key: OnceLock<KeyPlace>,
    /// The same of the tenant.
    of_tenant: OnceLock<KeyPlace>,
}

impl RequestSlot {
    /// Counts the request among those of the key or person that it came from, if they have a slot left.
    pub(crate) fn count_for(&self, state: &AppState, caller: SubjectId) -> Result<(), Problem> {
        if self.0.of_key.get().is_some() {
            return Ok(());
        }
        let slot = KeyPlaces::take(&state.key_places, Sha256Hash::of(caller.to_string().as_bytes()));
        let slot = slot.ok_or_else(|| Problem::key_overloaded(state.limits.of_a_key(), state.limits.max_in_flight))?;
        // Whoever was faster has counted it already.
        let _ = self.0.of_key.set(slot);
        Ok(())
    }
}

impl RequestSlot {
    /// Counts the request among those of its tenant: one tenant's requests do not take the places of all others.
    pub(crate) fn count_for_tenant(&self, state: &AppState, tenant: TenantId) -> Result<(), Problem> {
        if self.0.of_tenant.get().is_some() {
            return Ok(());
        }
        let slot = KeyPlaces::take(&state.tenant_places, Sha256Hash::of(tenant.0.as_bytes()));
        let slot =
            slot.ok_or_else(|| Problem::tenant_overloaded(state.limits.of_a_tenant(), state.limits.max_in_flight))?;
        let _ = self.0.of_tenant.set(slot);
        Ok(())
    }
}

impl ServerLimits {
    /// The most requests of one tenant under way at once.
    pub(crate) fn of_a_tenant(&self) -> usize {
        let share = self.max_in_flight.saturating_mul(usize::from(self.tenant_share_percent)) / 100;
        share.clamp(1, self.max_in_flight.max(1))
    }

    /// The most requests of one key under way at once.
    pub(crate) fn of_a_key(&self) -> usize {
        let share = self.max_in_flight.saturating_mul(usize::from(self.key_share_percent)) / 100;
        share.clamp(1, self.max_in_flight.max(1))
    }

    /// After this a request has its response, or a status.
    pub(crate) fn longest_reply(&self) -> Duration {
        self.request_timeout + self.request_timeout / GRACE_PARTS
    }
}

pub(crate) async fn bound(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let Ok(permit) = Arc::clone(&state.in_flight).try_acquire_owned() else {
        return Problem::overloaded().into_response();
    };
    let slot = RequestSlot(Arc::new(Held { _permit: permit, of_key: OnceLock::new(), of_tenant: OnceLock::new() }));
    request.extensions_mut().insert(slot.clone());
    let limit = state.limits.request_timeout;
    request.extensions_mut().insert(Deadline::after(limit));
    in_time(&state.limits, request, next).await
}

/// A body that says itself that it is too large is not waited for.
pub(crate) async fn bound_size(State(most): State<usize>, request: Request, next: Next) -> Response {
    if request.body().size_hint().lower() > most as u64 {
        return Problem::body_too_large(most).into_response();
    }
    next.run(request).await
}

/// For what stands outside the limit on requests under way.
pub(crate) async fn bound_probe(
    State((state, probes)): State<(AppState, Arc<Semaphore>)>,
    request: Request,
    next: Next,
) -> Response {
    let Ok(_permit) = probes.try_acquire() else { return Problem::overloaded().into_response() };
    in_time(&state.limits, request, next).await
}

/// Whoever keeps to the deadline says more about what was late than a status can.
async fn in_time(limits: &ServerLimits, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let (body, was_late) = BodyInTime::new(body, limits.body_timeout);
    let request = Request::from_parts(parts, Body::new(body));
    match tokio::time::timeout(limits.longest_reply(), next.run(request)).await {
        Ok(response) if was_late.is_late() && response.status().is_client_error() => {
            Problem::body_too_slow(limits.body_timeout.as_secs_f64()).into_response()
        }
        Ok(response) => response,
        Err(_) => Problem::deadline(limits.request_timeout.as_secs_f64()).into_response(),
    }
}
