use super::results::Results;
pub fn page(results: &Results, _baseline: Option<&Results>) -> String {
    format!("{}", results.meta.total)
}
