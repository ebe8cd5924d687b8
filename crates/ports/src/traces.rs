//! Traces: which one a request begins, where its caller has begun none.

use uuid::Uuid;

/// The trace that a request begins has the request's id.
///
/// It is a value of the OpenTelemetry context in which the request's span starts; the exporter's id generator reads it
/// there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BegunBy(pub Uuid);
