//! Chat programs on the wire: characters of several bytes, cut wherever a network may cut them.

use ibidem_words::Role;
use serde_json::{Value, json};

use crate::installation::with_installation;
use crate::model::Model;
use crate::wire::{Reply, connect, request, rest_of, write_cut};
use crate::world::{Document, key, take_in_one};

const OVERHANG: Document = Document {
    tag: "public",
    name: "ADR-0041.md",
    text: "# Carrying leave over\n\nUp to five days of unused leave, called “Überhang” – naïvely put: 休暇 🌍 – may be \
           carried over to the next year.\n",
    own_word: "Überhang",
};
const SENTENCE: &str = "Up to five days of unused leave, called “Überhang” – naïvely put: 休暇 🌍 – may be carried over to the next year.[^1]";
const QUESTION: &str = "How many days of unused leave, “Überhang”, 休暇 🌍, may be carried over?";

/// Sends a question whose characters are cut, and reads the reply to its end.
async fn ask_in_cut_bytes(url: &str, key: &str, path: &str, body: &Value) -> Reply {
    let authorization = format!("Bearer {key}");
    let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
    let mut connection = connect(url).await;
    write_cut(&mut connection, &request("POST", path, &headers, &body.to_string())).await.unwrap();
    let reply = Reply::of(&rest_of(&mut connection).await);
    assert_eq!(reply.status, Some(200), "{reply:?}");
    reply
}

/// The chunks in which a body came.
fn chunks(mut body: &[u8]) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").expect("a chunk begins with its length");
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return chunks;
        }
        chunks.push(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn characters_that_a_network_cuts_in_two_arrive_whole() {
    with_installation(async |installation| {
        take_in_one(installation, &OVERHANG).await;
        let model = Model::saying([SENTENCE]).await;
        model.may_write.add_permits(3);
        let settings = model.settings();
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let served = installation.serve(&settings).await;
        let key = key(installation, "default", Role::Asker, &[]).await;

        let answer = ask_in_cut_bytes(&served.url, &key, "/v1/answers", &json!({ "query": QUESTION })).await.json();
        assert_eq!(answer["answer"], SENTENCE.replace("[^1]", "[1]"), "{answer}");
        let mut body = json!({ "model": "ibidem", "messages": [{ "role": "user", "content": QUESTION }] });
        let plain = ask_in_cut_bytes(&served.url, &key, "/v1/chat/completions", &body).await.json();
        let content = plain["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(content.starts_with(answer["answer"].as_str().unwrap()), "{content}");
        assert_eq!(plain["ibidem"]["citations"], answer["citations"]);

        body["stream"] = json!(true);
        let streamed = ask_in_cut_bytes(&served.url, &key, "/v1/chat/completions", &body).await;
        let mut text = String::new();
        for chunk in chunks(&streamed.body) {
            let chunk = std::str::from_utf8(chunk).expect("no character is cut between two chunks");
            for data in chunk.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]") {
                let piece: Value = serde_json::from_str(data).expect("an event is whole");
                text.push_str(piece["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
            }
        }
        assert_eq!(text, content);
        served.stop().await;
    })
    .await;
}
