//! English words of which one denies the other.

/// Words of one side, then of the other. A pair stands here only if nobody uses both for the same fact: `retained for
/// 30 days` and `deleted after 30 days` do not deny each other.
pub(crate) const OPPOSITES: &[(&str, &str)] = &[
    ("enable activate", "disable deactivate"),
    ("include including", "exclude excluding omit"),
    ("accept accepted", "reject refuse decline"),
    ("succeed success successful successfully", "fail failure unsuccessful"),
    ("open opened", "close closed shut"),
    ("start begin commence", "stop halt cease"),
    ("online", "offline"),
    ("public publicly", "private privately confidential"),
    ("internal internally", "external externally"),
    ("inbound incoming", "outbound outgoing"),
    ("upstream", "downstream"),
    ("synchronous synchronously", "asynchronous asynchronously"),
    ("manual manually", "automatic automatically automated"),
    ("temporary temporarily", "permanent permanently"),
    ("visible", "hidden"),
    ("present", "absent"),
    ("same identical", "different"),
    ("encrypted", "plaintext"),
    ("primary", "secondary"),
    ("persistent", "ephemeral volatile"),
    ("add added", "remove removed"),
    ("import", "export"),
    ("upload", "download"),
    ("upgrade", "downgrade"),
    ("encrypt", "decrypt"),
    ("ascending", "descending"),
    ("easy easier easily", "difficult harder"),
    ("common commonly", "rare rarely"),
    ("true", "false"),
    ("safe safely", "dangerous"),
    ("strict strictly", "lenient"),
    ("centralised centralized", "decentralised decentralized"),
    ("voluntary", "compulsory"),
    ("stateless", "stateful"),
    ("taxable", "tax-free"),
    ("indoor indoors", "outdoor outdoors"),
    ("dry", "wet"),
    ("left", "right"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
];

/// The same for words that compare.
pub(crate) const DIRECTIONS: &[(&str, &str)] = &[
    (
        "increase increased rise rises rose risen grow grew grown raise raised higher climb",
        "decrease decreased fall falls fell fallen drop dropped reduce reduced shrink shrank lower lowered",
    ),
    ("faster quicker fast quick quickly", "slower slow slowly"),
    ("larger bigger greater large", "smaller small"),
    ("longer long taller tall", "shorter short"),
    ("earlier sooner early", "later late"),
    ("older old oldest", "newer new younger newest youngest"),
    ("stronger strong", "weaker weak"),
    ("cheaper cheap cheapest", "costlier dearer expensive"),
    ("better", "worse"),
    ("best", "worst"),
    ("heavier heavy", "lighter"),
    ("warmer hotter warm hot", "cooler colder cool cold"),
    ("wider wide", "narrower narrow"),
    ("maximum max highest", "minimum min lowest"),
    ("first earliest initial", "last latest final"),
    ("largest biggest", "smallest"),
    ("longest", "shortest"),
    ("fastest", "slowest"),
    ("high", "low"),
    ("majority", "minority"),
    ("ahead", "behind"),
    ("improve improved improves", "worsen worsened degrade degraded degrades"),
];

/// Prefixes that deny the word behind them, and the letters it has at least.
pub(crate) const DENYING_PREFIXES: &[(&str, usize)] =
    &[("un", 4), ("non", 4), ("dis", 5), ("in", 5), ("im", 5), ("ir", 5), ("il", 5)];

/// Beginnings of words that only look like it.
pub(crate) const NOT_DENIED: &[&str] = &[
    "discharge",
    "disclose",
    "discount",
    "discover",
    "dispatch",
    "distribute",
    "improve",
    "include",
    "install",
    "invoice",
    "under",
    "inter",
];
