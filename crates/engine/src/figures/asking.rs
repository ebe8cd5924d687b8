//! Understanding a question for a figure, by rule: which function, which column, which rows.
//!
//! Every word of the question must be accounted for, by the closed list of the language or by the table. A question that
//! says more asks for more than is computed here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ibidem_language::computing::{Comparison, Function, Role, Words, is_currency};
use ibidem_language::same_word;
use ibidem_words::{ComputedCondition, ComputedFunction, ComputedTest};

use super::cells::{Cell, is_day};
use super::compute::{Formula, is_same_unit};
use super::table::Table;

/// Cells with more words are no values that a question names.
const LONGEST_VALUE: usize = 8;
/// A table with more different cells of words is not searched for the values that a question names.
const MOST_VALUES: usize = 100_000;

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    Figure(Formula),
    Rows(WantedRows),
}

/// The rows that meet the conditions, in this order; the first so many, where a number is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WantedRows {
    pub(crate) conditions: Vec<ComputedCondition>,
    pub(crate) order: Option<Order>,
    pub(crate) most: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    pub(crate) column: usize,
    pub(crate) greatest_first: bool,
}

/// How far a question is understood by a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Understood {
    pub(crate) reading: Reading,
    /// The name of the language whose words it has.
    pub(crate) language: &'static str,
    /// How many words of the question name the table: its document's title, its sheet.
    pub(crate) names: usize,
    /// How many words name columns or values of it.
    pub(crate) columns: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Sure(Wanted),
    /// One of these columns is meant, by their places.
    WhichColumn(Vec<usize>),
    /// The question has words that neither the list nor the table knows.
    Unknown(Vec<String>),
    /// Its words are known, and do not come to one thing that can be computed.
    Unclear,
    /// It asks for no figure.
    Not,
}

/// A word of the question, in lower case, and as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Token {
    lower: String,
    written: String,
}

/// Whether the question has the words of one that may be computed, whatever the table.
pub(crate) fn may_ask(question: &str) -> bool {
    asks_for(question, |_| true)
}

/// Whether the question has the words for such a function.
pub(crate) fn asks_for(question: &str, is_it: impl Fn(Function) -> bool) -> bool {
    let tokens = tokens(question);
    let lower: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
    Words::for_question(question).iter().any(|words| {
        (0..lower.len())
            .any(|at| matches!(words.role(&lower[at..]), Some((Role::Function(function), _)) if is_it(function)))
    })
}

/// The words of a text, in lower case.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.lower).filter(|word| word.chars().any(char::is_alphanumeric)).collect()
}

/// Reads the question against a table. `names` are the words of its document's title and of its sheet.
pub(crate) fn understood(question: &str, table: &Table, names: &[String]) -> Understood {
    let tokens = tokens(question);
    let mut best: Option<Understood> = None;
    for words in Words::for_question(question) {
        let found = Reader { tokens: &tokens, table, names, words }.read();
        let is_sure = matches!(found.reading, Reading::Sure(_));
        if best.is_none() || is_sure {
            best = Some(found);
        }
        if is_sure {
            break;
        }
    }
    best.unwrap_or(Understood { reading: Reading::Not, language: "", names: 0, columns: 0 })
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let signs: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < signs.len() {
        let start = at;
        let is_digit = |at: usize| signs.get(at).is_some_and(char::is_ascii_digit);
        while at < signs.len() {
            let sign = signs[at];
            let joins_digits = matches!(sign, '.' | ',' | '-') && at > start && is_digit(at - 1) && is_digit(at + 1);
            let begins_negative = matches!(sign, '-' | '−') && at == start && is_digit(at + 1);
            if !(sign.is_alphanumeric() || joins_digits || begins_negative) {
                break;
            }
            at += 1;
        }
        if at > start {
            let written: String = signs[start..at].iter().collect();
            tokens.push(Token { lower: written.to_lowercase(), written });
            continue;
        }
        if matches!(signs[at], '%' | '‰' | '€' | '$' | '£' | '¥' | '<' | '>' | '=' | '+' | '*' | '/') {
            tokens.push(Token { lower: signs[at].to_string(), written: signs[at].to_string() });
        }
        at += 1;
    }
    tokens
}

/// What a stretch of the question is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    Function(Function),
    Comparison(Comparison),
    Or,
    And,
    Money,
    Rows,
    SortedBy,
    Direction {
        greatest_first: bool,
    },
    /// One of these columns.
    Column(Vec<usize>),
    /// Words of a cell, and the columns that have such a cell.
    Value(String, Vec<usize>),
    /// A figure as a plain decimal, or a day.
    Figure(String),
    Unit(String),
    Name,
}

struct Reader<'a> {
    tokens: &'a [Token],
    table: &'a Table,
    names: &'a [String],
    words: Words,
}

impl Reader<'_> {
    fn read(&self) -> Understood {
        let values = self.values();
        let mut items: Vec<Item> = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        let (mut names, mut columns) = (0, 0);
        let mut at = 0;
        while at < self.tokens.len() {
            let (item, length) = self.item(at, &values);
            match item {
                Known::Item(item) => {
                    match &item {
                        Item::Name => names += length,
                        Item::Column(_) | Item::Value(..) => columns += length,
                        // It may mean both: "the sum of the prices" of a sheet called Prices.
                        Item::Money if self.names.contains(&self.tokens[at].lower) => names += length,
                        _ => {}
                    }
                    items.push(item);
                }
                Known::Neutral => {}
                Known::Not => unknown.push(self.tokens[at].written.clone()),
            }
            at += length;
        }
        let language = self.words.language();
        let understood = |reading| Understood { reading, language, names, columns };
        if !items.iter().any(|item| matches!(item, Item::Function(_))) {
            return understood(Reading::Not);
        }
        if !unknown.is_empty() {
            return understood(Reading::Unknown(unknown));
        }
        understood(Statement::new(self.table, items).reading())
    }

    /// The cells of words, by their words in lower case, each with the columns that have it.
    fn values(&self) -> HashMap<Vec<String>, BTreeSet<usize>> {
        let mut values: HashMap<Vec<String>, BTreeSet<usize>> = HashMap::new();
        let mut read: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (column, cell) in self.table.rows.iter().flat_map(|row| row.cells.iter().enumerate()) {
            if !cell.contains(char::is_alphabetic) || read.len() >= MOST_VALUES || !read.insert((column, cell.as_str()))
            {
                continue;
            }
            if matches!(Cell::read(cell, false), Cell::Number { .. })
                || matches!(Cell::read(cell, true), Cell::Number { .. })
            {
                continue;
            }
            let words: Vec<String> = tokens(cell).into_iter().map(|token| token.lower).collect();
            if !words.is_empty() && words.len() <= LONGEST_VALUE {
                values.entry(words).or_default().insert(column);
            }
        }
        values
    }

    fn item(&self, at: usize, values: &HashMap<Vec<String>, BTreeSet<usize>>) -> (Known, usize) {
        let rest: Vec<&str> = self.tokens[at..].iter().map(|token| token.lower.as_str()).collect();
        let role = self.words.role(&rest);
        let is_neutral = |length: usize| {
            (0..length).all(|place| matches!(self.words.role(&rest[place..=place]), Some((Role::Neutral, _))))
        };
        // A phrase of the title is a name, whatever else its words are: `price list 2027`.
        if let Some(length) = self.name_at(&rest) {
            return (Known::Item(Item::Name), length);
        }
        let column = self.column_at(&rest);
        let value = (1..=rest.len().min(LONGEST_VALUE)).rev().find_map(|length| {
            let words: Vec<String> = rest[..length].iter().map(|word| (*word).to_owned()).collect();
            let found = values.get(&words).filter(|_| !is_neutral(length))?;
            Some((words, found.iter().copied().collect::<Vec<_>>(), length))
        });
        // A phrase for a function counts where it is longer than what the table says: `number of`.
        let of_function = role.map_or(0, |(role, length)| if matches!(role, Role::Function(_)) { length } else { 0 });
        // Of the table's own words the longer; a column before a value where they are the same.
        if let Some((words, columns, length)) = &value
            && *length > of_function
            && column.as_ref().is_none_or(|(_, of_column)| length > of_column)
        {
            return (Known::Item(Item::Value(self.cell_of(words, columns), columns.clone())), *length);
        }
        if let Some((columns, length)) = column
            && length >= of_function
        {
            return (Known::Item(Item::Column(columns)), length);
        }
        if let Some((role, length)) = role {
            let item = match role {
                Role::Function(function) => Item::Function(function),
                Role::Comparison(comparison) => Item::Comparison(comparison),
                Role::Or => Item::Or,
                Role::Money => Item::Money,
                Role::Rows => Item::Rows,
                Role::SortedBy => Item::SortedBy,
                Role::Descending => Item::Direction { greatest_first: true },
                Role::Ascending => Item::Direction { greatest_first: false },
                Role::Neutral if matches!(rest[0], "and" | "und") => Item::And,
                Role::Neutral => return (Known::Neutral, length),
            };
            return (Known::Item(item), length);
        }
        let word = rest[0];
        if self.names.iter().any(|name| name == word) {
            return (Known::Item(Item::Name), 1);
        }
        if let Some(figure) = self.figure(word) {
            return (Known::Item(Item::Figure(figure)), 1);
        }
        if self.units().any(|unit| is_same_unit(&unit, word) || same_word(&unit.to_lowercase(), word)) {
            return (Known::Item(Item::Unit(word.to_owned())), 1);
        }
        if self.names.iter().any(|name| same_word(name, word)) {
            return (Known::Item(Item::Name), 1);
        }
        (Known::Not, 1)
    }

    /// How many words in a row are those of the table's name: two at least.
    fn name_at(&self, rest: &[&str]) -> Option<usize> {
        let in_row = |from: usize| {
            let pairs = self.names[from..].iter().zip(rest);
            pairs.take_while(|(name, word)| same_word(name, word)).count()
        };
        (0..self.names.len()).map(in_row).max().filter(|length| *length > 1)
    }

    /// A value as its cell writes it.
    fn cell_of(&self, words: &[String], columns: &[usize]) -> String {
        let is_it = |cell: &&str| tokens(cell).iter().map(|token| &token.lower).eq(words.iter());
        let mut cells = columns.iter().flat_map(|column| self.table.cells_in(*column));
        cells.find(is_it).map(str::to_owned).unwrap_or_else(|| words.join(" "))
    }

    /// The columns that the question names here, and by how many words: by the whole name, or by some words of it.
    fn column_at(&self, rest: &[&str]) -> Option<(Vec<usize>, usize)> {
        let names: Vec<Vec<String>> = self.table.columns.iter().map(|column| words_of(&column.name)).collect();
        let is_telling = |word: &str| !matches!(self.words.role(&[word]), Some((Role::Neutral, _)));
        let by_name = |name: &Vec<String>| {
            let is_named = name.len() <= rest.len() && name.iter().zip(rest).all(|(own, word)| same_word(own, word));
            (is_named && name.iter().any(|word| is_telling(word))).then_some(name.len())
        };
        let whole: Vec<(usize, usize)> =
            names.iter().enumerate().filter_map(|(place, name)| Some((place, by_name(name)?))).collect();
        if let Some(longest) = whole.iter().map(|(_, length)| *length).max() {
            let columns = whole.iter().filter(|(_, length)| *length == longest).map(|(place, _)| *place).collect();
            return Some((columns, longest));
        }
        // Some words of a name, one after the other in any order: all that have them all.
        let mut columns: Option<BTreeSet<usize>> = None;
        let mut length = 0;
        for word in rest {
            // A word of the list asks for something, whatever else has it.
            let is_listed = self.words.role(&[word]).is_some_and(|(role, _)| role != Role::Money);
            let having = names.iter().enumerate().filter(|(_, name)| name.iter().any(|own| same_word(own, word)));
            let having: BTreeSet<usize> = having.map(|(place, _)| place).collect();
            let both = columns.as_ref().map_or(having.clone(), |columns| columns & &having);
            if is_listed || both.is_empty() {
                break;
            }
            columns = Some(both);
            length += 1;
        }
        columns.map(|columns| (columns.into_iter().collect(), length))
    }

    /// A number or a day of the question.
    fn figure(&self, word: &str) -> Option<String> {
        if is_day(word) {
            return Some(word.to_owned());
        }
        let signs: Vec<char> = word.chars().filter(|sign| matches!(sign, '.' | ',')).collect();
        let comma = match signs.as_slice() {
            [] => false,
            [.., last] if signs.iter().any(|sign| sign != last) => *last == ',',
            // Three digits behind it are thousands in the one language, and decimals in the other.
            [sign] => {
                let decimals = word.rsplit(['.', ',']).next().map_or(0, str::len);
                if decimals == 3 { self.words.writes_decimal_comma() } else { *sign == ',' }
            }
            [sign, ..] => *sign == '.',
        };
        match Cell::read(word, comma) {
            Cell::Number { value, unit: None } => Some(value.to_string()),
            _ => None,
        }
    }

    fn units(&self) -> impl Iterator<Item = String> {
        let mut units: BTreeSet<String> = self.table.columns.iter().filter_map(|column| column.unit.clone()).collect();
        for cell in self.table.rows.iter().take(50).flat_map(|row| &row.cells) {
            for comma in [false, true] {
                if let Cell::Number { unit: Some(unit), .. } = Cell::read(cell, comma) {
                    units.insert(unit);
                }
            }
        }
        units.into_iter()
    }
}

enum Known {
    Item(Item),
    Neutral,
    Not,
}

/// The question's items, of which each is used up once.
struct Statement<'a> {
    table: &'a Table,
    items: Vec<Item>,
}

impl<'a> Statement<'a> {
    fn new(table: &'a Table, items: Vec<Item>) -> Self {
        // What names the table has said so, and stands between nothing else.
        let items = items.into_iter().filter(|item| *item != Item::Name).collect();
        Self { table, items }
    }

    fn reading(mut self) -> Reading {
        let Some(function) = self.function() else { return Reading::Unclear };
        let order = match self.order(function) {
            Ok(order) => order,
            Err(reading) => return reading,
        };
        let most = self.most(function);
        let conditions = match self.conditions() {
            Ok(conditions) => conditions,
            Err(reading) => return reading,
        };
        self.items.retain(|item| *item != Item::And);
        // Alternatives that are no conditions are not computed.
        let is_left = |item: &Item| {
            matches!(item, Item::Or | Item::Comparison(_) | Item::SortedBy | Item::Direction { .. } | Item::Figure(_))
        };
        if self.items.iter().any(is_left) {
            return Reading::Unclear;
        }
        self.by_function(function, conditions, order, most)
    }

    fn by_function(
        self,
        function: Function,
        conditions: Vec<ComputedCondition>,
        order: Option<Order>,
        most: Option<usize>,
    ) -> Reading {
        let figure = |function, column| {
            Reading::Sure(Wanted::Figure(Formula { function, column, conditions: conditions.clone() }))
        };
        match function {
            Function::Count if order.is_some() => Reading::Unclear,
            Function::Count => match self.counted() {
                Ok(column) => figure(ComputedFunction::Count, column),
                Err(reading) => reading,
            },
            Function::Sum | Function::Average | Function::Greatest | Function::Least => {
                if order.is_some() || most.is_some() {
                    return Reading::Unclear;
                }
                let function = match function {
                    Function::Sum => ComputedFunction::Sum,
                    Function::Average => ComputedFunction::Average,
                    Function::Greatest => ComputedFunction::Greatest,
                    _ => ComputedFunction::Least,
                };
                match self.column_of_figures() {
                    Ok(column) => figure(function, Some(column)),
                    Err(reading) => reading,
                }
            }
            Function::List | Function::Top => {
                let columns: Vec<&Vec<usize>> = self.columns().collect();
                // What is listed must be said, and rows are listed whole.
                let is_named = !columns.is_empty() || self.items.contains(&Item::Rows);
                let is_more = columns.iter().any(|columns| columns.len() > 1) || columns.len() > 1;
                let is_all = conditions.is_empty() && order.is_none();
                let is_odd =
                    is_more || self.items.contains(&Item::Money) || (function == Function::Top && most.is_none());
                if is_odd || is_all || !(is_named || order.is_some()) {
                    return Reading::Unclear;
                }
                Reading::Sure(Wanted::Rows(WantedRows { conditions, order, most }))
            }
        }
    }

    fn columns(&self) -> impl Iterator<Item = &Vec<usize>> {
        self.items.iter().filter_map(|item| match item {
            Item::Column(columns) => Some(columns),
            _ => None,
        })
    }

    /// The one thing that is asked for. "Which product has the highest price" asks for the highest.
    fn function(&mut self) -> Option<Function> {
        let mut asked: Vec<Function> = Vec::new();
        self.items.retain(|item| match item {
            Item::Function(function) => {
                asked.push(*function);
                false
            }
            _ => true,
        });
        asked.dedup();
        if asked.len() > 1 {
            asked.retain(|function| *function != Function::List);
            asked.dedup();
        }
        match asked.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// "sorted by price", "top 3 products by price".
    fn order(&mut self, function: Function) -> Result<Option<Order>, Reading> {
        let Some(at) = self.items.iter().position(|item| *item == Item::SortedBy) else { return Ok(None) };
        if !matches!(function, Function::List | Function::Top) {
            return Err(Reading::Unclear);
        }
        let column = match self.items.get(at + 1) {
            Some(Item::Column(columns)) => self.one_of_figures(columns)?,
            Some(Item::Money) => self.money()?,
            _ => return Err(Reading::Unclear),
        };
        let direction = match self.items.get(at + 2) {
            Some(Item::Direction { greatest_first }) => Some(*greatest_first),
            _ => None,
        };
        self.items.drain(at..at + 2 + usize::from(direction.is_some()));
        Ok(Some(Order { column, greatest_first: direction.unwrap_or(function == Function::Top) }))
    }

    /// "top 3": the number is the first item, since its function is taken.
    fn most(&mut self, function: Function) -> Option<usize> {
        if function != Function::Top {
            return None;
        }
        let Some(Item::Figure(figure)) = self.items.first() else { return None };
        let most = figure.parse().ok().filter(|most| *most > 0)?;
        self.items.remove(0);
        Some(most)
    }

    fn conditions(&mut self) -> Result<Vec<ComputedCondition>, Reading> {
        let mut conditions: Vec<ComputedCondition> = Vec::new();
        let mut left: Vec<Item> = Vec::new();
        let items = std::mem::take(&mut self.items);
        let mut at = 0;
        while at < items.len() {
            match &items[at] {
                Item::Comparison(comparison) => {
                    let (values, unit, used) = figures_behind(&items[at + 1..], *comparison).ok_or(Reading::Unclear)?;
                    let column = self.column_compared(&mut left, unit.as_deref(), &values)?;
                    conditions.push(condition(column, test_of(*comparison), values));
                    at += 1 + used;
                }
                // "term 24": a figure right behind a column.
                Item::Figure(figure) if matches!(left.last(), Some(Item::Column(_))) => {
                    let used = 1 + usize::from(matches!(items.get(at + 1), Some(Item::Unit(_))));
                    let column = self.column_compared(&mut left, None, std::slice::from_ref(figure))?;
                    conditions.push(condition(column, ComputedTest::Equals, vec![figure.clone()]));
                    at += used;
                }
                Item::Value(..) => {
                    let (values, columns, used) = values_from(&items[at..]);
                    let named = match left.last() {
                        Some(Item::Column(named)) => named.iter().copied().find(|column| columns.contains(column)),
                        _ => None,
                    };
                    // The column may also stand behind: "the North region".
                    let behind = match items.get(at + used) {
                        Some(Item::Column(named)) => named.iter().copied().find(|column| columns.contains(column)),
                        _ => None,
                    };
                    let column = match (named, behind, columns.as_slice()) {
                        (Some(column), ..) => {
                            left.pop();
                            column
                        }
                        (None, Some(column), _) => {
                            at += 1;
                            column
                        }
                        (None, None, [column]) => *column,
                        _ => return Err(Reading::WhichColumn(columns)),
                    };
                    conditions.push(condition(column, ComputedTest::Is, values));
                    at += used;
                }
                item => {
                    left.push(item.clone());
                    at += 1;
                }
            }
        }
        self.items = left;
        // Two sets of words for one column: nothing has both.
        let mut by_column: BTreeMap<u32, usize> = BTreeMap::new();
        for condition in conditions.iter().filter(|condition| condition.test == ComputedTest::Is) {
            *by_column.entry(condition.column).or_default() += 1;
        }
        if by_column.values().any(|count| *count > 1) { Err(Reading::Unclear) } else { Ok(conditions) }
    }

    /// The column whose cells are compared: the one named last, or the only one in the unit, or the only one of money.
    fn column_compared(&self, left: &mut Vec<Item>, unit: Option<&str>, values: &[String]) -> Result<usize, Reading> {
        let wants_days = values.iter().any(|value| is_day(value));
        while left.last() == Some(&Item::And) {
            left.pop();
        }
        match left.last().cloned() {
            Some(Item::Column(columns)) if columns.iter().any(|column| self.table.is_of_figures(*column)) => {
                left.pop();
                return self.one_of_figures(&columns);
            }
            Some(Item::Money) => {
                left.pop();
                return self.money();
            }
            _ => {}
        }
        let unit = unit.filter(|_| !wants_days).ok_or(Reading::Unclear)?;
        let in_unit = |column: &usize| {
            let is_it = |own: &str| is_same_unit(own, unit) || same_word(&own.to_lowercase(), unit);
            self.table.columns[*column].unit.as_deref().is_some_and(is_it)
                || self.table.cells_in(*column).take(50).any(|cell| {
                    [false, true].into_iter().any(
                        |comma| matches!(Cell::read(cell, comma), Cell::Number { unit: Some(own), .. } if is_it(&own)),
                    )
                })
        };
        one(&(0..self.table.columns.len()).filter(in_unit).collect::<Vec<_>>())
    }

    /// The column of figures among those that may be meant.
    fn one_of_figures(&self, columns: &[usize]) -> Result<usize, Reading> {
        one(&columns.iter().copied().filter(|column| self.table.is_of_figures(*column)).collect::<Vec<_>>())
    }

    /// The only column in a currency.
    fn money(&self) -> Result<usize, Reading> {
        let is_money = |column: &usize| {
            self.table.columns[*column].unit.as_deref().is_some_and(is_currency)
                || self.table.cells_in(*column).take(50).any(|cell| {
                    [false, true].into_iter().any(|comma| {
                        matches!(Cell::read(cell, comma), Cell::Number { unit: Some(unit), .. } if is_currency(&unit))
                    })
                })
        };
        one(&(0..self.table.columns.len()).filter(is_money).collect::<Vec<_>>())
    }

    /// The column that is summed up or compared. Beside it columns of words may be named, whose rows are meant.
    fn column_of_figures(&self) -> Result<usize, Reading> {
        let mut found: Vec<usize> = Vec::new();
        for columns in self.columns() {
            let of_figures: Vec<usize> =
                columns.iter().copied().filter(|column| self.table.is_of_figures(*column)).collect();
            match of_figures.as_slice() {
                [] => {}
                [one] => found.push(*one),
                _ => return Err(Reading::WhichColumn(of_figures)),
            }
        }
        found.dedup();
        match (found.as_slice(), self.items.contains(&Item::Money)) {
            ([column], _) => Ok(*column),
            ([], true) => self.money(),
            ([], false) => Err(Reading::Unclear),
            _ => Err(Reading::WhichColumn(found)),
        }
    }

    /// The column whose cells are counted; none where rows are.
    fn counted(&self) -> Result<Option<usize>, Reading> {
        let columns: Vec<&Vec<usize>> = self.columns().collect();
        if self.items.contains(&Item::Money) {
            return Err(Reading::Unclear);
        }
        match columns.as_slice() {
            [] => Ok(None),
            [columns] if columns.len() == 1 => Ok(columns.first().copied()),
            [columns] => Err(Reading::WhichColumn((*columns).clone())),
            _ => Err(Reading::Unclear),
        }
    }
}

fn one(columns: &[usize]) -> Result<usize, Reading> {
    match columns {
        [one] => Ok(*one),
        [] => Err(Reading::Unclear),
        several => Err(Reading::WhichColumn(several.to_vec())),
    }
}

fn condition(column: usize, test: ComputedTest, values: Vec<String>) -> ComputedCondition {
    ComputedCondition { column: u32::try_from(column).unwrap_or(u32::MAX), test, values }
}

fn test_of(comparison: Comparison) -> ComputedTest {
    match comparison {
        Comparison::Above => ComputedTest::Above,
        Comparison::Below => ComputedTest::Below,
        Comparison::AtLeast => ComputedTest::AtLeast,
        Comparison::AtMost => ComputedTest::AtMost,
        Comparison::Between => ComputedTest::Between,
    }
}

/// The figures that a comparison names, their unit, and how many items that is.
fn figures_behind(items: &[Item], comparison: Comparison) -> Option<(Vec<String>, Option<String>, usize)> {
    let mut values = Vec::new();
    let mut unit = None;
    let mut used = 0;
    let wanted = if comparison == Comparison::Between { 2 } else { 1 };
    for item in items {
        match item {
            Item::Figure(figure) if values.len() < wanted => values.push(figure.clone()),
            Item::Unit(own) if unit.is_none() || unit.as_ref() == Some(own) => unit = Some(own.clone()),
            Item::And if values.len() == 1 && wanted == 2 => {}
            _ => break,
        }
        used += 1;
    }
    (values.len() == wanted).then_some((values, unit, used))
}

/// Values that follow each other, joined by "and" or "or", as far as one column has them all.
fn values_from(items: &[Item]) -> (Vec<String>, Vec<usize>, usize) {
    let (mut values, mut columns, mut used) = (Vec::new(), Vec::new(), 0);
    let mut at = 0;
    while let Some(Item::Value(value, of)) = items.get(at) {
        let both: Vec<usize> = if values.is_empty() {
            of.clone()
        } else {
            of.iter().copied().filter(|own| columns.contains(own)).collect()
        };
        if both.is_empty() {
            break;
        }
        values.push(value.clone());
        columns = both;
        at += 1;
        used = at;
        at += items[at..].iter().take_while(|item| matches!(item, Item::And | Item::Or)).count();
    }
    (values, columns, used)
}
