//! Figures of many values.

/// The value that this share of them does not exceed; not a number when there is none.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    let place = (values.len() as f64 * share).ceil() as usize;
    values.get(place.max(1) - 1).or(values.last()).copied().unwrap_or(f64::NAN)
}
