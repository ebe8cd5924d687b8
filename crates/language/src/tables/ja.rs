//! Japanese. It shares the signs that assert something with Chinese; what is written in hiragana is grammar.

use super::{Denials, NOTHING, Tables, Turning};

pub(super) const TABLES: Tables = Tables {
    name: "japanese",
    turning: Turning {
        denying: &["ない", "ません", "なく", "ず"],
        demanding: &["べき", "なければ"],
        always: &["いつも", "常"],
    },
    denials: Denials {
        sources: &["資料", "文書", "文章", "ドキュメント", "出典", "ソース", "メモ", "情報", "文脈", "本文"],
        denying: &["ない", "ません", "なし", "ず"],
        saying: &["記載", "言及", "述べ", "書", "含ま", "記され", "示さ", "見つか", "あり", "答え"],
        confessions: &[
            "わかりません",
            "分かりません",
            "知りません",
            "答えられません",
            "回答できません",
            "申し訳",
            "不明です",
            "情報がありません",
            "記載がありません",
        ],
    },
    ..NOTHING
};
