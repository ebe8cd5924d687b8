//! Conversations about the demo documents, without a language model: at least 34 of 40 are understood to their end.

use super::common::installation::with_installation;
use super::repository;

#[tokio::test]
async fn follow_ups_about_the_demo_documents_are_understood() {
    with_installation(async |installation| {
        let said = installation.script(&repository(".ci/follow_ups"), &[], &[]).await;
        assert_eq!(said.code, Some(0), "{said:#?}");
    })
    .await;
}
