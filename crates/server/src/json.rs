//! JSON bodies, read and checked, with problems that say where.

use std::fmt;

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use garde::Validate;
use serde::Deserializer;
use serde::de::{DeserializeOwned, Error, Unexpected, Visitor};

use crate::problem::Problem;

/// A count. JSON has one kind of number, so that 13.0 is 13.
pub(crate) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    struct Count;

    impl Visitor<'_> for Count {
        type Value = usize;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number")
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<usize, E> {
            usize::try_from(number).map_err(E::custom)
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<usize, E> {
            // Through its digits: no number that is not whole, or too large, is cut to fit.
            format!("{number}").parse().map_err(|_| E::invalid_value(Unexpected::Float(number), &self))
        }
    }

    from.deserialize_any(Count)
}

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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Counted {
        #[serde(deserialize_with = "count")]
        limit: usize,
    }

    #[test]
    fn a_count_is_a_whole_number_however_it_is_written() {
        let read =
            |text: &str| serde_json::from_str::<Counted>(&format!("{{\"limit\": {text}}}")).map(|read| read.limit);
        for (text, expected) in [("13", 13), ("13.0", 13), ("1.3e1", 13), ("0", 0)] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        for wrong in ["-1", "13.5", "1e99", "\"13\"", "null", "[13]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
