//! The pages for people, as `just web` built them: `/` and the files it loads. In a release they are inside the program;
//! a development build reads them from `web/dist`.

use std::borrow::Cow;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use ibidem_words::Sha256Hash;

use crate::problem::Problem;
use crate::state::AppState;

#[derive(rust_embed::Embed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Built;

/// No script and no style but the files beside the page, no request to another host, and no text that becomes markup:
/// the policies for trusted types are that of the templates, and one that knows a single address, the script that reads
/// PDF files in a thread of its own.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types svelte-trusted-html ibidem-pdf-reader";

const NOT_BUILT: &str = "The pages are not built. Run `just web`, which needs Node.js 20.19 or newer, and compile a \
     release again after it. The API and the command line work without them: `ibidem ask`, `ibidem openapi`.\n";

const INDEX: &str = "index.html";
const WIDGET: &str = "embed.js";

/// What the page learns of this installation, and where the server writes it.
const NO_SIGN_IN: &str = r#"name="ibidem-sign-in" content="none""#;
const SIGN_IN: &str = r#"name="ibidem-sign-in" content="provider""#;

/// The page itself changes with every release; what it loads has names that change with the content.
const ASK_AGAIN: &str = "no-cache";
const FOR_A_YEAR: &str = "public, max-age=31536000, immutable";
/// The widget has one name for ever, which stands in pages of other sites.
const FOR_TEN_MINUTES: &str = "public, max-age=600";

/// Whether there are pages to serve: inside a release, or in `web/dist` for a development build.
pub fn pages_are_built() -> bool {
    Built::get(INDEX).is_some()
}

/// `GET /`
pub(crate) async fn index(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let Some(page) = Built::get(INDEX) else {
        return (StatusCode::NOT_FOUND, [(X_CONTENT_TYPE_OPTIONS, "nosniff")], NOT_BUILT).into_response();
    };
    let page = with_sign_in(page.data, state.sign_in.is_some());
    reply(&headers, "text/html; charset=utf-8", ASK_AGAIN, page, None)
}

/// `GET /assets/{file}`
pub(crate) async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Response {
    // A name, never a path: the files lie side by side.
    let kind = content_type(&file).filter(|_| !file.contains(['/', '\\']));
    let found = kind.and_then(|kind| Some((kind, Built::get(&format!("assets/{file}"))?.data)));
    let Some((kind, bytes)) = found else {
        return Problem::no_such("There is no such file", "The pages begin at /.").into_response();
    };
    let packed = Built::get(&format!("assets/{file}.gz")).map(|packed| packed.data);
    reply(&headers, kind, FOR_A_YEAR, bytes, packed)
}

/// `GET /embed.js`: the one script of ours that pages of other sites load. It holds nothing of anybody's data.
pub(crate) async fn widget(headers: HeaderMap) -> Response {
    let Some(script) = Built::get(WIDGET) else {
        return Problem::no_such("The widget is not built", "Run `just web`.").into_response();
    };
    let packed = Built::get("embed.js.gz").map(|packed| packed.data);
    let mut response = reply(&headers, "text/javascript; charset=utf-8", FOR_TEN_MINUTES, script.data, packed);
    let sent = response.headers_mut();
    sent.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("cross-origin"));
    sent.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

fn content_type(file: &str) -> Option<&'static str> {
    match file.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        // Fonts and character maps for pages of PDF files.
        "pfb" | "ttf" | "bcmap" => Some("application/octet-stream"),
        _ => None,
    }
}

fn with_sign_in(page: Cow<'static, [u8]>, has_sign_in: bool) -> Cow<'static, [u8]> {
    match std::str::from_utf8(&page) {
        Ok(text) if has_sign_in => Cow::Owned(text.replace(NO_SIGN_IN, SIGN_IN).into_bytes()),
        _ => page,
    }
}

/// The file, smaller where the browser takes it so, or the word that it has not changed.
fn reply(
    headers: &HeaderMap,
    kind: &'static str,
    cache: &'static str,
    bytes: Cow<'static, [u8]>,
    packed: Option<Cow<'static, [u8]>>,
) -> Response {
    let packed = packed.filter(|_| takes_gzip(headers));
    let is_packed = packed.is_some();
    let bytes = packed.unwrap_or(bytes);
    let tag = format!("\"{}\"", Sha256Hash::of(&bytes));
    let mut response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Body::from(bytes.into_owned()).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if is_packed {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    };
    let sent = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        sent.insert(ETAG, tag);
    }
    let fixed: [(HeaderName, &'static str); 7] = [
        (CACHE_CONTROL, cache),
        (VARY, "accept-encoding"),
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        sent.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The values of a header that is a list, wherever it was split.
fn listed(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    listed(headers, ACCEPT_ENCODING).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f64>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_none_or(|weight| weight > 0.0)
    })
}

fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    listed(headers, IF_NONE_MATCH).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    fn script(headers: &HeaderMap) -> Response {
        let packed = Some(Cow::Borrowed(&b"packed"[..]));
        reply(headers, "text/javascript; charset=utf-8", FOR_A_YEAR, Cow::Borrowed(b"plain"), packed)
    }

    #[test]
    fn a_browser_gets_the_smaller_file_only_if_it_takes_it() {
        for (written, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip; q=1", true),
            ("gzip;q=0", false),
            ("br", false),
            ("", false),
            ("xgzip", false),
        ] {
            let response = script(&sent(&[(ACCEPT_ENCODING, written)]));
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), expected, "{written:?}");
            assert_eq!(response.headers()[VARY], "accept-encoding");
        }
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again_and_both_forms_have_a_tag_of_their_own() {
        let plain = script(&HeaderMap::new()).headers()[ETAG].to_str().unwrap().to_owned();
        let packed = script(&sent(&[(ACCEPT_ENCODING, "gzip")])).headers()[ETAG].to_str().unwrap().to_owned();
        assert_ne!(plain, packed);
        for (known, status) in [
            (plain.clone(), StatusCode::NOT_MODIFIED),
            (format!("\"x\", W/{plain}"), StatusCode::NOT_MODIFIED),
            ("*".to_owned(), StatusCode::NOT_MODIFIED),
            (packed, StatusCode::OK),
            ("\"x\"".to_owned(), StatusCode::OK),
        ] {
            let headers = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::try_from(known).unwrap())]);
            let response = script(&headers);
            assert_eq!(response.status(), status, "{headers:?}");
            assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], CONTENT_POLICY);
            assert_eq!(response.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
    }

    #[test]
    fn the_page_says_whether_people_sign_in_here() {
        let source = include_str!("../../../web/index.html");
        assert!(source.contains(NO_SIGN_IN), "web/index.html must hold {NO_SIGN_IN}");
        let page = Cow::Borrowed(source.as_bytes());
        assert_eq!(with_sign_in(page.clone(), false), page);
        let with = with_sign_in(page, true);
        let with = std::str::from_utf8(&with).unwrap();
        assert!(with.contains(SIGN_IN) && !with.contains(NO_SIGN_IN));
    }

    #[test]
    fn only_what_a_page_loads_has_a_type() {
        for (file, is_known) in [
            ("a.js", true),
            ("a.css", true),
            ("a.svg", true),
            ("a.bcmap", true),
            ("a.js.gz", false),
            (".gitignore", false),
            ("a", false),
        ] {
            assert_eq!(content_type(file).is_some(), is_known, "{file}");
        }
    }
}
