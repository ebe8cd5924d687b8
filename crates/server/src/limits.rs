//! Overload and deadlines: an early answer instead of a growing queue, and a share for every key.

mod body;
mod key_places;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ibidem_ports::degrade::Deadline;
use ibidem_words::{Identity, Sha256Hash};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::body::BodyInTime;
use self::key_places::{KeyPlace, KeyPlaces};
use crate::connections::ConnectionLimits;
use crate::problem::Problem;

/// Limits on what callers can ask of this process.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Of a document that is handed in.
    pub max_body_bytes: usize,
    /// Of every other body.
    pub max_json_bytes: usize,
    /// For all of a body to arrive.
    pub body_timeout: Duration,
    pub request_timeout: Duration,
    pub max_in_flight: usize,
    /// The part of `max_in_flight` that one key may take, in percent.
    pub key_share_percent: u8,
    /// The part of `max_in_flight` that one tenant may take, in percent.
    pub tenant_share_percent: u8,
    pub connections: ConnectionLimits,
}

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

/// The requests under way: how many there may be, and how many of them each key and each tenant has.
#[derive(Clone)]
pub(crate) struct UnderWay {
    limits: ServerLimits,
    all: Arc<Semaphore>,
    of_keys: Arc<KeyPlaces>,
    of_tenants: Arc<KeyPlaces>,
}

impl UnderWay {
    pub(crate) fn within(limits: ServerLimits) -> Self {
        Self {
            limits,
            all: Arc::new(Semaphore::new(limits.max_in_flight)),
            of_keys: KeyPlaces::new(limits.share(limits.key_share_percent)),
            of_tenants: KeyPlaces::new(limits.share(limits.tenant_share_percent)),
        }
    }

    /// Counts the request among those of the key or person that it came from, and among those of its tenant, if they have
    /// places left: neither takes the places of all others.
    pub(crate) fn count(&self, slot: &RequestSlot, caller: &Identity) -> Result<(), Problem> {
        let (most, Held { of_key, of_tenant, .. }) = (self.limits.max_in_flight, &*slot.0);
        take(of_key, &self.of_keys, caller.subject().id().to_string().as_bytes())
            .map_err(|share| Problem::key_overloaded(share, most))?;
        take(of_tenant, &self.of_tenants, caller.tenant().0.as_bytes())
            .map_err(|share| Problem::tenant_overloaded(share, most))
    }
}

/// Takes a place, unless the request has one; an error says how many there are.
fn take(taken: &OnceLock<KeyPlace>, places: &Arc<KeyPlaces>, of: &[u8]) -> Result<(), usize> {
    if taken.get().is_none() {
        let place = KeyPlaces::take(places, Sha256Hash::of(of)).ok_or(places.most)?;
        // Whoever was faster has counted it already.
        let _ = taken.set(place);
    }
    Ok(())
}

impl ServerLimits {
    /// The most requests under way at once of whoever may have so many percent of them.
    fn share(&self, percent: u8) -> usize {
        let share = self.max_in_flight.saturating_mul(usize::from(percent)) / 100;
        share.clamp(1, self.max_in_flight.max(1))
    }

    /// After this a request has its response, or a status.
    pub(crate) fn longest_reply(&self) -> Duration {
        self.request_timeout + self.request_timeout / GRACE_PARTS
    }
}

pub(crate) async fn bound(State(under_way): State<UnderWay>, mut request: Request, next: Next) -> Response {
    let limits = under_way.limits;
    let Ok(permit) = under_way.all.try_acquire_owned() else {
        return Problem::overloaded().into_response();
    };
    let slot = RequestSlot(Arc::new(Held { _permit: permit, of_key: OnceLock::new(), of_tenant: OnceLock::new() }));
    request.extensions_mut().insert(slot.clone());
    request.extensions_mut().insert(Deadline::after(limits.request_timeout));
    in_time(&limits, request, next).await
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
    State((limits, probes)): State<(ServerLimits, Arc<Semaphore>)>,
    request: Request,
    next: Next,
) -> Response {
    let Ok(_permit) = probes.try_acquire() else { return Problem::overloaded().into_response() };
    in_time(&limits, request, next).await
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
