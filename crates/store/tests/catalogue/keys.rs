//! API keys: what they stand for, and when they end.

use chrono::{Duration, Utc};
use ibidem_store::{KeyError, NewKey};

use super::*;

#[tokio::test]
async fn a_key_stands_for_its_tenant_role_and_tags_until_it_ends() {
    with_store(|store, tenant| async move {
        let new = NewKey {
            tenant,
            name: "desk".to_owned(),
            role: Role::Curator,
            tags: tags(&["support"]),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        let key = store.create_key(&new).await.unwrap();
        assert!(key.secret.starts_with("ibk_") && key.secret.len() == 47);
        let identity = store.authenticate(&key.secret).await.unwrap().identity;
        assert_eq!((identity.tenant(), identity.role()), (tenant, Role::Curator));
        assert_eq!(identity.tags().iter().cloned().collect::<Vec<_>>(), tags(&["support"]));

        for wrong in ["", "ibk_", &key.secret[..46], &key.secret.to_uppercase(), &key.id.to_string()] {
            assert!(matches!(store.authenticate(wrong).await, Err(KeyError::Invalid)), "{wrong:?}");
        }
        let other = store.ensure_tenant("other").await.unwrap();
        assert!(!store.revoke_key(other, key.id).await.unwrap(), "another tenant's key");
        assert!(store.revoke_key(tenant, key.id).await.unwrap());
        assert!(matches!(store.authenticate(&key.secret).await, Err(KeyError::Invalid)));
        assert_eq!(store.list_keys(tenant).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_expired_key_is_no_key() {
    with_store(|store, tenant| async move {
        let expires_at = Some(Utc::now() - Duration::seconds(1));
        let new = NewKey {
            tenant,
            name: "old".to_owned(),
            role: Role::Asker,
            tags: Vec::new(),
            hand_in: HandIn::Everywhere,
            expires_at,
        };
        let key = store.create_key(&new).await.unwrap();
        assert!(matches!(store.authenticate(&key.secret).await, Err(KeyError::Invalid)));
    })
    .await;
}
