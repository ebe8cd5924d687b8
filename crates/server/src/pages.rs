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
use crate::sign_in::Cookie;
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
/// The browser has the cookie of a session, valid or not: the page need not wait for the answer before it shows itself.
const SESSION: &str = r#"name="ibidem-sign-in" content="session""#;

/// How files are packed, the smallest first, and how the names of the packed ones end.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

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
    let meant = match &state.sign_in {
        None => NO_SIGN_IN,
        Some(sign_in) if Cookie::Session.value(sign_in, &headers).is_some() => SESSION,
        Some(_) => SIGN_IN,
    };
    let mut response = reply(&headers, "text/html; charset=utf-8", ASK_AGAIN, with_sign_in(page.data, meant), None);
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding, cookie"));
    response
}

/// `GET /assets/{file}`
pub(crate) async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Response {
    // A name, never a path: the files lie side by side.
    let kind = content_type(&file).filter(|_| !file.contains(['/', '\\']));
    let found = kind.and_then(|kind| Some((kind, Built::get(&format!("assets/{file}"))?.data)));
    let Some((kind, bytes)) = found else {
        return Problem::no_such("There is no such file", "The pages begin at /.").into_response();
    };
    let packed = packed(&headers, &format!("assets/{file}"));
    reply(&headers, kind, FOR_A_YEAR, bytes, packed)
}

/// `GET /embed.js`: the one script of ours that pages of other sites load. It holds nothing of anybody's data.
pub(crate) async fn widget(headers: HeaderMap) -> Response {
    let Some(script) = Built::get(WIDGET) else {
        return Problem::no_such("The widget is not built", "Run `just web`.").into_response();
    };
    let packed = packed(&headers, WIDGET);
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

fn with_sign_in(page: Cow<'static, [u8]>, meant: &str) -> Cow<'static, [u8]> {
    match std::str::from_utf8(&page) {
        Ok(text) if meant != NO_SIGN_IN => Cow::Owned(text.replace(NO_SIGN_IN, meant).into_bytes()),
        _ => page,
    }
}

/// A file in a packed form, with the name of the coding.
type Packed = (&'static str, Cow<'static, [u8]>);

/// The smallest form of a file that the browser takes.
fn packed(headers: &HeaderMap, file: &str) -> Option<Packed> {
    let mut taken = CODINGS.into_iter().filter(|(coding, _)| takes(headers, coding));
    taken.find_map(|(coding, ending)| Some((coding, Built::get(&format!("{file}{ending}"))?.data)))
}

/// The file, smaller where the browser takes it so, or the word that it has not changed.
fn reply(
    headers: &HeaderMap,
    kind: &'static str,
    cache: &'static str,
    bytes: Cow<'static, [u8]>,
    packed: Option<Packed>,
) -> Response {
    let (coding, bytes) = packed.map_or((None, bytes), |(coding, packed)| (Some(coding), packed));
    let tag = format!("\"{}\"", Sha256Hash::of(&bytes));
    let mut response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Body::from(bytes.into_owned()).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if let Some(coding) = coding {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
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

fn takes(headers: &HeaderMap, coding: &str) -> bool {
    listed(headers, ACCEPT_ENCODING).any(|listed| {
        let (name, weight) = listed.split_once(';').unwrap_or((listed, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f64>().ok());
        name.trim().eq_ignore_ascii_case(coding) && weight.is_none_or(|weight| weight > 0.0)
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

    fn script(headers: &HeaderMap, packed: Option<&'static str>) -> Response {
        let packed = packed.map(|coding| (coding, Cow::Borrowed(&b"packed"[..])));
        reply(headers, "text/javascript; charset=utf-8", FOR_A_YEAR, Cow::Borrowed(b"plain"), packed)
    }

    #[test]
    fn a_browser_gets_a_packed_file_only_if_it_takes_it() {
        for (written, gzip, br) in [
            ("gzip", true, false),
            ("br, GZIP;q=0.5", true, true),
            ("gzip; q=1", true, false),
            ("gzip;q=0", false, false),
            ("br", false, true),
            ("", false, false),
            ("xgzip, brx", false, false),
        ] {
            let headers = sent(&[(ACCEPT_ENCODING, written)]);
            assert_eq!((takes(&headers, "gzip"), takes(&headers, "br")), (gzip, br), "{written:?}");
        }
        assert_eq!(packed(&HeaderMap::new(), WIDGET), None);
        for coding in [Some("br"), Some("gzip"), None] {
            let response = script(&HeaderMap::new(), coding);
            let sent = response.headers().get(CONTENT_ENCODING).map(|coding| coding.to_str().unwrap());
            assert_eq!(sent, coding);
            assert_eq!(response.headers()[VARY], "accept-encoding");
        }
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again_and_both_forms_have_a_tag_of_their_own() {
        let plain = script(&HeaderMap::new(), None).headers()[ETAG].to_str().unwrap().to_owned();
        let packed = script(&HeaderMap::new(), Some("gzip")).headers()[ETAG].to_str().unwrap().to_owned();
        assert_ne!(plain, packed);
        for (known, status) in [
            (plain.clone(), StatusCode::NOT_MODIFIED),
            (format!("\"x\", W/{plain}"), StatusCode::NOT_MODIFIED),
            ("*".to_owned(), StatusCode::NOT_MODIFIED),
            (packed, StatusCode::OK),
            ("\"x\"".to_owned(), StatusCode::OK),
        ] {
            let headers = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::try_from(known).unwrap())]);
            let response = script(&headers, None);
            assert_eq!(response.status(), status, "{headers:?}");
            assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], CONTENT_POLICY);
            assert_eq!(response.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
    }

    #[test]
    fn the_page_says_whether_people_sign_in_here_and_whether_this_browser_has() {
        let source = include_str!("../../../web/index.html");
        assert!(source.contains(NO_SIGN_IN), "web/index.html must hold {NO_SIGN_IN}");
        let page = Cow::Borrowed(source.as_bytes());
        assert_eq!(with_sign_in(page.clone(), NO_SIGN_IN), page);
        for meant in [SIGN_IN, SESSION] {
            let with = with_sign_in(page.clone(), meant);
            let with = std::str::from_utf8(&with).unwrap();
            assert!(with.contains(meant) && !with.contains(NO_SIGN_IN));
        }
    }

    #[test]
    fn only_what_a_page_loads_has_a_type() {
        for (file, is_known) in [
            ("a.js", true),
            ("a.css", true),
            ("a.svg", true),
            ("a.bcmap", true),
            ("a.js.gz", false),
            ("a.js.br", false),
            (".gitignore", false),
            ("a", false),
        ] {
            assert_eq!(content_type(file).is_some(), is_known, "{file}");
        }
    }
}
