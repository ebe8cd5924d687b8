//! A browser that follows redirects, keeps cookies and fills in forms: all that a provider's pages ask for.

use std::collections::BTreeMap;

use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, Method, Url};

/// Nobody is sent round in circles for longer.
const MOST_STEPS: usize = 30;

pub(crate) struct Browser {
    client: Client,
    /// By name and path.
    cookies: BTreeMap<(String, String), String>,
    /// What is typed as name.
    name: String,
}

/// Where the pages led to.
pub(crate) enum Led {
    /// To an address elsewhere.
    Away(Url),
    /// To a page without a form.
    Page(String),
}

impl Led {
    pub(crate) fn away(self) -> Url {
        match self {
            Self::Away(address) => address,
            Self::Page(page) => panic!("it ended on a page: {page}"),
        }
    }
}

impl Browser {
    pub(crate) fn of(name: &str) -> Self {
        Self { client: super::http_client(), cookies: BTreeMap::new(), name: name.to_owned() }
    }

    /// Opens an address and fills in every form, until it is led away from `home` or to a page without one.
    pub(crate) async fn visit(&mut self, address: &str, home: &str) -> Led {
        let mut next = (Method::GET, Url::parse(address).unwrap(), String::new());
        for _ in 0..MOST_STEPS {
            let (method, address, form) = next;
            if !address.as_str().starts_with(home) {
                return Led::Away(address);
            }
            let request = self.client.request(method, address.clone()).header(COOKIE, self.cookies_for(&address));
            let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form);
            let response = request.send().await.unwrap();
            for cookie in response.headers().get_all(SET_COOKIE) {
                self.keep(cookie.to_str().unwrap());
            }
            if let Some(location) = response.headers().get(LOCATION) {
                next = (Method::GET, address.join(location.to_str().unwrap()).unwrap(), String::new());
                continue;
            }
            let status = response.status();
            let page = response.text().await.unwrap();
            assert!(status.is_success(), "{address}: {status}: {page}");
            let Some((action, form)) = self.filled_in(&page) else { return Led::Page(page) };
            next = (Method::POST, address.join(&action).unwrap(), form);
        }
        panic!("{address} leads nowhere");
    }

    fn keep(&mut self, cookie: &str) {
        let mut parts = cookie.split(';').map(str::trim);
        let (name, value) = parts.next().unwrap().split_once('=').unwrap();
        let path = parts.find_map(|part| part.strip_prefix("path=").or(part.strip_prefix("Path="))).unwrap_or("/");
        self.cookies.insert((name.to_owned(), path.to_owned()), value.to_owned());
    }

    fn cookies_for(&self, address: &Url) -> String {
        let sent = self
            .cookies
            .iter()
            .filter(|((_, path), value)| address.path().starts_with(path.as_str()) && !value.is_empty());
        sent.map(|((name, _), value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    /// Where the first form of a page goes, with everything in it, and yes to whatever it asks.
    fn filled_in(&self, page: &str) -> Option<(String, String)> {
        let form = &page[page.find("<form")?..];
        let form = &form[..form.find("</form>")?];
        let action = attribute(&form[..form.find('>')?], "action")?;
        let mut fields = Vec::new();
        for input in form.split("<input").skip(1) {
            let input = &input[..input.find('>')?];
            let Some(name) = attribute(input, "name") else { continue };
            let value = match name.as_str() {
                "login" => self.name.clone(),
                "password" => "any".to_owned(),
                _ => attribute(input, "value").unwrap_or_default(),
            };
            fields.push((name, value));
        }
        if action.ends_with("/session/end/confirm") {
            fields.push(("logout".to_owned(), "yes".to_owned()));
        }
        let mut written = Url::parse("http://form.test").unwrap();
        written.query_pairs_mut().extend_pairs(&fields);
        Some((action, written.query().unwrap_or_default().to_owned()))
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!("{name}=\""))? + name.len() + 2;
    let end = tag[start..].find('"')? + start;
    Some(tag[start..end].replace("&amp;", "&"))
}
