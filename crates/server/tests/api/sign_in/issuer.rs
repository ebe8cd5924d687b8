//! An issuer of the test's own on loopback, which signs whatever it is told to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use ibidem_adapters::oidc::{Oidc, OidcSettings};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub(crate) const AUDIENCE: &str = "urn:ibidem:api";
pub(crate) const CLIENT: &str = "ibidem-web";

/// A key pair with the name that tokens call it by.
pub(crate) struct Pair {
    id: String,
    algorithm: Algorithm,
    private: EncodingKey,
    public: Value,
}

impl Pair {
    pub(crate) fn es256(id: &str) -> Self {
        let random = SystemRandom::new();
        let written = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, written.as_ref(), &random).unwrap();
        let [x, y] = [1..33, 33..65].map(|part| URL_SAFE_NO_PAD.encode(&pair.public_key().as_ref()[part]));
        let public = json!({ "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": id, "x": x, "y": y });
        let private = EncodingKey::from_ec_der(written.as_ref());
        Self { id: id.to_owned(), algorithm: Algorithm::ES256, private, public }
    }

    pub(crate) fn ed25519(id: &str) -> Self {
        let written = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(written.as_ref()).unwrap();
        let x = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        let public = json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": id, "x": x });
        let private = EncodingKey::from_ed_der(written.as_ref());
        Self { id: id.to_owned(), algorithm: Algorithm::EdDSA, private, public }
    }

    pub(crate) fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.id.clone()), ..Header::new(self.algorithm) };
        encode(&header, claims, &self.private).unwrap()
    }

    /// The same signature under another name, or none.
    pub(crate) fn sign_as(&self, id: Option<&str>, claims: &Value) -> String {
        let header = Header { kid: id.map(str::to_owned), ..Header::new(self.algorithm) };
        encode(&header, claims, &self.private).unwrap()
    }

    pub(crate) fn public(&self) -> &Value {
        &self.public
    }
}

struct IssuerState {
    url: String,
    keys: Mutex<Vec<Value>>,
    key_fetches: AtomicUsize,
    userinfo: Mutex<Value>,
    /// What the token endpoint replies.
    tokens: Mutex<Value>,
}

/// The issuer. It serves until its runtime ends.
#[derive(Clone)]
pub(crate) struct Issuer(Arc<IssuerState>);

impl Issuer {
    pub(crate) async fn start(keys: &[&Pair]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let told = Arc::new(IssuerState {
            url,
            keys: Mutex::new(keys.iter().map(|pair| pair.public.clone()).collect()),
            key_fetches: AtomicUsize::new(0),
            userinfo: Mutex::new(json!({})),
            tokens: Mutex::new(json!({ "error": "invalid_grant" })),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(description))
            .route("/keys", get(keys_of))
            .route(
                "/userinfo",
                get(|State(told): State<Arc<IssuerState>>| async move { Json(told.userinfo.lock().unwrap().clone()) }),
            )
            .route(
                "/token",
                post(|State(told): State<Arc<IssuerState>>| async move { Json(told.tokens.lock().unwrap().clone()) }),
            )
            .with_state(told.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self(told)
    }

    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    pub(crate) fn rotate_to(&self, keys: &[&Pair]) {
        *self.0.keys.lock().unwrap() = keys.iter().map(|pair| pair.public.clone()).collect();
    }

    pub(crate) fn publish(&self, keys: Vec<Value>) {
        *self.0.keys.lock().unwrap() = keys;
    }

    pub(crate) fn key_fetches(&self) -> usize {
        self.0.key_fetches.load(Ordering::SeqCst)
    }

    pub(crate) fn say_of_users(&self, userinfo: Value) {
        *self.0.userinfo.lock().unwrap() = userinfo;
    }

    pub(crate) fn reply_with_tokens(&self, tokens: Value) {
        *self.0.tokens.lock().unwrap() = tokens;
    }

    /// Good claims of an access token; what is given stands in their place, and null takes one out.
    #[expect(clippy::needless_pass_by_value, reason = "made for it, and read better so")]
    pub(crate) fn claims(&self, others: Value) -> Value {
        let now = Utc::now().timestamp();
        let mut claims = json!({
            "iss": self.url(), "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 600,
            "groups": ["staff", "finance"], "name": "Ada", "email": "ada@example.test", "email_verified": true,
        });
        for (name, value) in others.as_object().unwrap() {
            claims[name] = value.clone();
            if value.is_null() {
                claims.as_object_mut().unwrap().remove(name);
            }
        }
        claims
    }

    pub(crate) fn settings(&self) -> OidcSettings {
        settings(self.url())
    }

    pub(crate) fn provider(&self) -> Arc<Oidc> {
        Arc::new(Oidc::new(self.settings()).unwrap())
    }
}

pub(crate) fn settings(issuer: &str) -> OidcSettings {
    super::install_tls();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    OidcSettings {
        issuer: issuer.to_owned(),
        client_id: CLIENT.to_owned(),
        client_secret: Some("a secret of the tests".to_owned()),
        audiences: names(&[AUDIENCE]),
        groups_claim: "groups".to_owned(),
        scopes: names(&["openid", "profile", "email", "groups"]),
        algorithms: names(&["RS256", "ES256", "EdDSA"]),
        leeway: std::time::Duration::from_secs(30),
        // Long: a busy machine is no provider that hangs.
        timeout: std::time::Duration::from_secs(60),
    }
}

async fn description(State(told): State<Arc<IssuerState>>) -> Json<Value> {
    let at = |path: &str| format!("{}{path}", told.url);
    Json(json!({
        "issuer": told.url, "jwks_uri": at("/keys"), "userinfo_endpoint": at("/userinfo"),
        "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
        "end_session_endpoint": at("/logout"),
    }))
}

async fn keys_of(State(told): State<Arc<IssuerState>>) -> Json<Value> {
    told.key_fetches.fetch_add(1, Ordering::SeqCst);
    Json(json!({ "keys": *told.keys.lock().unwrap() }))
}
