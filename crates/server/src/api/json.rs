//! JSON bodies, read and checked, with problems that say where.

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use garde::Validate;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// A JSON body that was read; whatever is made of it checks it.
pub(crate) struct Sent<T>(pub(crate) T);

impl<S, T> FromRequest<S> for Sent<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let axum::Json(body) = axum::Json::<T>::from_request(request, state)
            .await
            .map_err(|rejection: JsonRejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
        Ok(Self(body))
    }
}

/// A JSON body that was read and passed its own checks.
pub(crate) struct Checked<T>(pub(crate) T);

impl<S, T> FromRequest<S> for Checked<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Validate<Context = ()>,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let Sent(body) = Sent::<T>::from_request(request, state).await?;
        body.validate().map_err(|report| Problem::invalid(report.to_string().trim().replace('\n', "; ")))?;
        Ok(Self(body))
    }
}
