//! Chinese, in simplified and traditional signs.

use super::{Denials, NOTHING, Tables, Turning};

pub(super) const TABLES: Tables = Tables {
    name: "chinese",
    turning: Turning {
        denying: &["不", "没", "沒", "无", "無", "未", "勿", "禁"],
        demanding: &["必", "须", "須", "应", "應"],
        always: &["总", "總", "永"],
    },
    denials: Denials {
        sources: &["文档", "文檔", "文件", "资料", "資料", "来源", "來源", "笔记", "文中", "上下文", "信息", "材料"],
        denying: &["没有", "沒有", "未", "不", "无", "無"],
        saying: &["提", "说", "說", "包含", "指", "涉及", "回答", "记载", "記載", "给出", "給出", "找到"],
        confessions: &[
            "不知道",
            "不清楚",
            "抱歉",
            "无法回答",
            "無法回答",
            "无法确定",
            "無法確定",
            "没有相关信息",
            "沒有相關信息",
        ],
    },
    asserting_signs: "不没沒无無非未是可能会會要必须須應应該该禁勿别莫总總皆都全每只最因",
    ..NOTHING
};
