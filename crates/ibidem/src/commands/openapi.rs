//! `ibidem openapi`: the API's description, without any server.

use crate::console;

pub(crate) fn run() -> anyhow::Result<()> {
    console::say_json(&ibidem_server::openapi())
}
