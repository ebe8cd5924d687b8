//! Every way to change a document of JSON in a single place: what a digest of it must notice.

use serde_json::{Value, json};

/// Every document that differs from this one in a single place, with where and how.
pub fn changed_once(json: &Value) -> Vec<(String, Value)> {
    match json {
        Value::Object(_) => of_object(json),
        Value::Array(_) => of_array(json),
        Value::String(text) => named(of_text(text)),
        Value::Number(number) => named(of_number(number)),
        Value::Bool(value) => named(vec![json!(!value), Value::Null]),
        Value::Null => named(vec![json!("x"), json!(0), json!(false), json!([]), json!({})]),
    }
}

/// The same document as text, each time with one name twice in an object, before and after its true value. Readers of
/// JSON disagree about which of the two counts.
pub fn with_names_twice(json: &Value) -> Vec<(String, String)> {
    // Stands where the second name will, and in no document of ours.
    const STAND_IN: &str = "\u{1}";
    let mut texts = Vec::new();
    for place in objects(json, "") {
        let fields = json.pointer(&place).and_then(Value::as_object).unwrap();
        for (name, value) in fields {
            let other = changed_once(value).swap_remove(0).1;
            let mut doubled = json.clone();
            doubled.pointer_mut(&place).unwrap()[STAND_IN] = other;
            let written = doubled.to_string();
            let (stand_in, name) = (Value::from(STAND_IN).to_string(), Value::from(name.as_str()).to_string());
            assert!(written.contains(&stand_in));
            texts.push((format!("{place}/{name} twice"), written.replace(&stand_in, &name)));
            // The same value twice is no less ambiguous to whoever writes it anew.
            doubled.pointer_mut(&place).unwrap()[STAND_IN] = value.clone();
            texts.push((format!("{place}/{name} repeated"), doubled.to_string().replace(&stand_in, &name)));
        }
    }
    texts
}

fn named(changed: Vec<Value>) -> Vec<(String, Value)> {
    changed.into_iter().map(|other| (format!(" -> {other}"), other)).collect()
}

fn objects(json: &Value, place: &str) -> Vec<String> {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match json {
        Value::Object(fields) => {
            let inner = fields.iter().flat_map(|(name, value)| objects(value, &format!("{place}/{}", escaped(name))));
            inner.chain([place.to_owned()]).collect()
        }
        Value::Array(values) => {
            values.iter().enumerate().flat_map(|(at, value)| objects(value, &format!("{place}/{at}"))).collect()
        }
        _ => Vec::new(),
    }
}

fn with(json: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut json = json.clone();
    change(&mut json);
    json
}

fn of_object(json: &Value) -> Vec<(String, Value)> {
    let mut changed = Vec::new();
    for (name, value) in json.as_object().into_iter().flatten() {
        for (place, other) in changed_once(value) {
            changed.push((format!("/{name}{place}"), with(json, |it| it[name] = other.clone())));
        }
        let without = |it: &mut Value| drop(it.as_object_mut().unwrap().remove(name));
        changed.push((format!("/{name} left out"), with(json, without)));
    }
    changed.push(("/ with a field more".to_owned(), with(json, |it| it["also"] = json!(1))));
    changed
}

fn of_array(json: &Value) -> Vec<(String, Value)> {
    let values = json.as_array().map_or(&[][..], Vec::as_slice);
    let list = |it: &mut Value, change: &dyn Fn(&mut Vec<Value>)| change(it.as_array_mut().unwrap());
    let mut changed = Vec::new();
    for (place, value) in values.iter().enumerate() {
        for (inner, other) in changed_once(value) {
            changed.push((format!("/{place}{inner}"), with(json, |it| it[place] = other.clone())));
        }
        changed.push((format!("/{place} gone"), with(json, |it| list(it, &|it| drop(it.remove(place))))));
        let double = |it: &mut Vec<Value>| it.insert(place, value.clone());
        changed.push((format!("/{place} doubled"), with(json, |it| list(it, &double))));
        for (other, _) in values.iter().enumerate().skip(place + 1).filter(|(_, other)| *other != value) {
            let swapped = with(json, |it| list(it, &|it| it.swap(place, other)));
            changed.push((format!("/{place} and {other} swapped"), swapped));
        }
    }
    changed.push(("/ with one more".to_owned(), with(json, |it| list(it, &|it| it.push(json!("x"))))));
    changed.push((" -> null".to_owned(), Value::Null));
    changed
}

fn of_text(text: &str) -> Vec<Value> {
    let mut others = vec![format!("{text}x"), format!(" {text}"), text.to_uppercase(), text.to_lowercase()];
    others.push(text.chars().skip(1).collect());
    // A digit more or less is the change that does harm.
    if let Some((place, sign)) = text.char_indices().find(|(_, sign)| sign.is_ascii_digit()) {
        let next = if sign == '9' { "8" } else { "9" };
        others.push(format!("{}{next}{}", &text[..place], &text[place + 1..]));
    }
    others.retain(|other| other != text);
    others.into_iter().map(Value::from).chain([Value::Null]).collect()
}

fn of_number(number: &serde_json::Number) -> Vec<Value> {
    let float = number.as_f64().unwrap_or_default();
    let mut others = vec![json!(float + 1.0), json!(float / 2.0 + 0.25), json!(float.to_string()), Value::Null];
    // The nearest other numbers that a reader of JSON can tell from it.
    others.extend([json!(float.next_up()), json!(float.next_down())]);
    others.extend(number.as_u64().map(|whole| json!(whole + 1)));
    others.retain(|other| other.as_f64() != Some(float));
    others
}
