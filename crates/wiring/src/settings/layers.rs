//! Laying one source of settings over another.

use serde_json::{Map, Value};

use super::SettingsError;

/// Starts the name of every environment variable that is a setting.
pub(super) const ENVIRONMENT_PREFIX: &str = "IBIDEM__";

/// One source of settings, before it is known what they mean.
pub(super) enum Layer {
    /// Values with types, as a file writes them.
    Typed(Value),
    /// Key paths and text, as the environment and flags give them; the layer below says what type they have.
    Text(Vec<(Vec<String>, String)>),
}

impl Layer {
    pub(super) fn yaml(source_name: &str, text: &str) -> Result<Self, SettingsError> {
        let value: Value = serde_saphyr::from_str(text)
            .map_err(|error| SettingsError::Yaml { source_name: source_name.to_owned(), reason: error.to_string() })?;
        // A file with nothing but comments is an empty layer.
        Ok(Self::Typed(if value.is_null() { Value::Object(Map::new()) } else { value }))
    }

    pub(super) fn environment(variables: impl Iterator<Item = (String, String)>) -> Self {
        let settings = variables.filter_map(|(name, text)| {
            let path = name.strip_prefix(ENVIRONMENT_PREFIX)?;
            Some((path.split("__").map(str::to_lowercase).collect(), text))
        });
        let mut settings: Vec<_> = settings.collect();
        settings.sort();
        Self::Text(settings)
    }

    pub(super) fn flags(flags: &[String]) -> Result<Self, SettingsError> {
        let settings = flags.iter().map(|flag| {
            let (path, text) = flag.split_once('=').ok_or_else(|| SettingsError::Flag(flag.clone()))?;
            Ok((path.split('.').map(str::to_owned).collect(), text.to_owned()))
        });
        settings.collect::<Result<_, _>>().map(Self::Text)
    }
}

/// All layers as one value, later ones winning key by key.
pub(super) fn merged(layers: Vec<Layer>) -> Result<Value, SettingsError> {
    let mut settings = Value::Object(Map::new());
    for layer in layers {
        match layer {
            Layer::Typed(value) => lay_over(&mut settings, value),
            Layer::Text(entries) => {
                for (path, text) in entries {
                    set(&mut settings, &path, &text)?;
                }
            }
        }
    }
    Ok(settings)
}

fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                lay_over(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

fn set(settings: &mut Value, path: &[String], text: &str) -> Result<(), SettingsError> {
    let unknown = || SettingsError::Key {
        key: path.join("."),
        reason: "there is no such setting; config/ibidem.yaml describes every setting".to_owned(),
    };
    let mut place = settings;
    for key in path {
        place = place.get_mut(key).ok_or_else(unknown)?;
    }
    *place = match place {
        Value::Object(_) => return Err(unknown()),
        // Where the default is a number or a switch the text must be one too; the check that follows names the key.
        Value::Number(_) | Value::Bool(_) => {
            serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::String(text.to_owned()))
        }
        // Where it is a list, the text is one too, separated by commas.
        Value::Array(_) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            items.map(|item| Value::String(item.to_owned())).collect()
        }
        _ => Value::String(text.to_owned()),
    };
    Ok(())
}
