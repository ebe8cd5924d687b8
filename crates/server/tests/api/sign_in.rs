//! People: access tokens, sign-in, sessions and logout.

mod bearer;
mod browser;
mod code;
mod discovery;
mod issuer;
mod real;
mod speaking;

use std::sync::Arc;

use ibidem_ports::identity_provider::IdentityProvider;
use ibidem_store::NewGroup;
use ibidem_words::Role;

use crate::world::{Extras, POLICY, World, policy};

/// A client for loopback; whoever comes first installs what it would need for https.
fn http_client() -> reqwest::Client {
    install_tls();
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap()
}

fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Where browsers reach the servers of these tests: no browser is sent there.
const PUBLIC_URL: &str = "http://127.0.0.1:9";

/// A world where people sign in at this provider.
async fn signing_in(provider: Arc<dyn IdentityProvider>) -> World {
    signing_in_at(provider, PUBLIC_URL).await
}

async fn signing_in_at(provider: Arc<dyn IdentityProvider>, public_url: &str) -> World {
    let sign_in = Some((provider, public_url.to_owned()));
    World::create_with(policy(POLICY), Extras { sign_in, ..Extras::default() }).await
}

/// `staff` may read what is internal, and `finance` may curate what is of finance.
async fn let_in(world: &World) {
    for (name, role, tag) in [("staff", Role::Asker, "internal"), ("finance", Role::Curator, "finance")] {
        let group = NewGroup::new(name, role, vec![tag.parse().unwrap()]).unwrap();
        world.store().map_group(world.tenant, &group).await.unwrap();
    }
}
