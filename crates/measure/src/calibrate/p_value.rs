//! How likely labels as good as these are if the risk is above the bound.

use serde::{Deserialize, Serialize};

use super::binomial::{at_most, clopper_pearson, largest};
use super::{as_float, ratio};

/// What the test is made of. Both hold for any number of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Exact where an answer is either wrong or not.
    ClopperPearson,
    /// The smaller of Hoeffding's and Bentkus': also holds where an answer can be wrong in part. Never sharper here.
    HoeffdingBentkus,
}

impl Bound {
    pub(super) fn p_value(self, answered: usize, wrong: usize, max_risk: f64) -> f64 {
        match self {
            Self::ClopperPearson => at_most(answered, wrong, max_risk),
            Self::HoeffdingBentkus => {
                let hoeffding =
                    (-as_float(answered) * divergence(ratio(wrong, answered).min(max_risk), max_risk)).exp();
                let bentkus = std::f64::consts::E * at_most(answered, wrong, max_risk);
                hoeffding.min(bentkus).min(1.0)
            }
        }
    }

    /// The risk above which so few wrong answers would be less likely than this.
    pub(super) fn upper_bound(self, answered: usize, wrong: usize, error: f64) -> f64 {
        match self {
            Self::ClopperPearson => clopper_pearson(answered, wrong, error),
            Self::HoeffdingBentkus => largest(|risk| self.p_value(answered, wrong, risk) > error),
        }
    }
}

/// Kullback and Leibler's, of two coins.
fn divergence(observed: f64, supposed: f64) -> f64 {
    let part = |share: f64, of: f64| if share == 0.0 { 0.0 } else { share * (share / of).ln() };
    part(observed, supposed) + part(1.0 - observed, 1.0 - supposed)
}
