//! Spellings of units. Two spellings of one unit are the same; two units never are, whatever the conversion.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A unit by its plain name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Unit(pub(super) &'static str);

/// What is counted rather than measured: a passage that counts without naming it is not contradicted.
const COUNTED: [&str; 10] =
    ["character", "word", "page", "line", "token", "paragraph", "point", "credit", "night", "percentage point"];

impl Unit {
    pub(super) fn is_counted(self) -> bool {
        COUNTED.contains(&self.0)
    }

    /// A length of time, which others can be counted by.
    pub(super) fn is_time(self) -> bool {
        matches!(self.0, "millisecond" | "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year")
    }
}

/// Each line: the unit, then its spellings; symbols keep their case, words are in lower case.
const SPELLINGS: &[(&str, &str)] = &[
    ("percent", "% percent pct"),
    ("percent", "per+cent"),
    ("permille", "‰"),
    ("percentage point", "pp percentage+point percentage+points"),
    ("kilometre", "km kilometre kilometres kilometer kilometers"),
    ("metre", "m metre metres meter meters"),
    ("centimetre", "cm centimetre centimetres centimeter centimeters"),
    ("millimetre", "mm millimetre millimetres millimeter millimeters"),
    ("micrometre", "µm μm micrometre micrometres micrometer micrometers micron microns"),
    ("mile", "mi mile miles"),
    ("nautical mile", "nmi nautical+mile nautical+miles"),
    ("foot", "ft foot feet"),
    ("inch", "inch inches ″"),
    ("yard", "yd yard yards"),
    ("square metre", "m² m2 sqm square+metre square+metres square+meter square+meters"),
    ("square kilometre", "km² km2 square+kilometre square+kilometres square+kilometer square+kilometers"),
    ("square foot", "ft² sqft square+foot square+feet"),
    ("cubic metre", "m³ m3 cubic+metre cubic+metres cubic+meter cubic+meters"),
    ("hectare", "ha hectare hectares"),
    ("acre", "acre acres"),
    ("kilogram", "kg kilogram kilograms kilogramme kilogrammes kilo kilos"),
    ("gram", "g gram grams gramme grammes"),
    ("milligram", "mg milligram milligrams"),
    ("microgram", "µg μg mcg microgram micrograms"),
    ("tonne", "t tonne tonnes"),
    ("ton", "ton tons"),
    ("pound", "lb lbs"),
    ("ounce", "oz ounce ounces"),
    ("nanosecond", "ns nanosecond nanoseconds"),
    ("microsecond", "µs μs us microsecond microseconds"),
    ("millisecond", "ms msec millisecond milliseconds millis"),
    ("second", "s sec secs second seconds"),
    ("minute", "min mins minute minutes"),
    ("hour", "h hr hrs hour hours"),
    ("day", "d day days"),
    ("working day", "workday workdays working+day working+days business+day business+days"),
    ("calendar day", "calendar+day calendar+days"),
    ("week", "wk wks week weeks"),
    ("working week", "working+week working+weeks"),
    ("fortnight", "fortnight fortnights"),
    ("month", "month months"),
    ("quarter", "quarter quarters"),
    ("year", "yr yrs year years"),
    ("decade", "decade decades"),
    ("century", "century centuries"),
    ("night", "night nights"),
    ("bit", "bit bits"),
    ("byte", "B byte bytes"),
    ("kilobyte", "kB KB kilobyte kilobytes"),
    ("megabyte", "MB megabyte megabytes"),
    ("gigabyte", "GB gigabyte gigabytes"),
    ("terabyte", "TB terabyte terabytes"),
    ("petabyte", "PB petabyte petabytes"),
    ("kibibyte", "KiB kibibyte kibibytes"),
    ("mebibyte", "MiB mebibyte mebibytes"),
    ("gibibyte", "GiB gibibyte gibibytes"),
    ("tebibyte", "TiB tebibyte tebibytes"),
    ("kilobit", "kb kbit kilobit kilobits"),
    ("megabit", "Mb Mbit megabit megabits"),
    ("gigabit", "Gb Gbit gigabit gigabits"),
    ("kilobit per second", "kbps kilobits+per+second"),
    ("megabit per second", "Mbps megabits+per+second Mbit/s Mb/s"),
    ("gigabit per second", "Gbps gigabits+per+second Gbit/s Gb/s"),
    ("megabyte per second", "MBps megabytes+per+second MB/s"),
    ("gigabyte per second", "GBps gigabytes+per+second GB/s"),
    ("hertz", "Hz hertz"),
    ("kilohertz", "kHz kilohertz"),
    ("megahertz", "MHz megahertz"),
    ("gigahertz", "GHz gigahertz"),
    ("volt", "V volt volts"),
    ("kilovolt", "kV kilovolt kilovolts"),
    ("millivolt", "mV millivolt millivolts"),
    ("ampere", "A amp amps ampere amperes"),
    ("milliampere", "mA milliamp milliamps"),
    ("watt", "W watt watts"),
    ("kilowatt", "kW kilowatt kilowatts"),
    ("megawatt", "MW megawatt megawatts"),
    ("gigawatt", "GW gigawatt gigawatts"),
    ("watt hour", "Wh watt-hour watt-hours"),
    ("kilowatt hour", "kWh kilowatt+hour kilowatt+hours"),
    ("megawatt hour", "MWh megawatt+hour megawatt+hours"),
    ("gigawatt hour", "GWh gigawatt+hour gigawatt+hours"),
    ("joule", "J joule joules"),
    ("kilojoule", "kJ kilojoule kilojoules"),
    ("calorie", "cal calorie calories"),
    ("kilocalorie", "kcal kilocalorie kilocalories"),
    ("newton", "N newton newtons"),
    ("pascal", "Pa pascal pascals"),
    ("kilopascal", "kPa kilopascal kilopascals"),
    ("hectopascal", "hPa hectopascal hectopascals"),
    ("megapascal", "MPa megapascal megapascals"),
    ("bar", "bar bars"),
    ("psi", "psi"),
    ("degree Celsius", "°C ℃ celsius degrees+celsius degree+celsius degrees+centigrade"),
    ("degree Fahrenheit", "°F ℉ fahrenheit degrees+fahrenheit degree+fahrenheit"),
    ("kelvin", "K kelvin kelvins"),
    ("degree", "° degree degrees"),
    ("litre", "l L litre litres liter liters"),
    ("millilitre", "ml mL millilitre millilitres milliliter milliliters"),
    ("centilitre", "cl cL centilitre centilitres centiliter centiliters"),
    ("hectolitre", "hl hL hectolitre hectolitres hectoliter hectoliters"),
    ("gallon", "gal gallon gallons"),
    ("pint", "pint pints"),
    ("kilometre per hour", "km/h kph kmh kilometres+per+hour kilometers+per+hour"),
    ("mile per hour", "mph miles+per+hour"),
    ("metre per second", "m/s metres+per+second meters+per+second"),
    ("knot", "kn kt knot knots"),
    ("revolution per minute", "rpm revolutions+per+minute"),
    ("decibel", "dB decibel decibels"),
    ("pixel", "px pixel pixels"),
    ("lux", "lx lux"),
    ("lumen", "lm lumen lumens"),
    ("part per million", "ppm parts+per+million"),
    ("character", "character characters chars"),
    ("word", "word words"),
    ("page", "page pages"),
    ("line", "line lines"),
    ("token", "token tokens"),
    ("paragraph", "paragraph paragraphs"),
    ("point", "point points"),
    ("credit", "credit credits"),
    ("euro", "€ EUR euro euros"),
    ("dollar", "$ USD US$ dollar dollars"),
    ("pound sterling", "£ GBP pound pounds"),
    ("yen", "¥ JPY yen"),
    ("Swiss franc", "CHF Fr franc francs"),
    ("Swedish krona", "SEK kronor krona"),
    ("Norwegian krone", "NOK"),
    ("Danish krone", "DKK kroner krone"),
    ("zloty", "PLN zł zloty zlotys"),
    ("cent", "¢ ct cent cents"),
    ("rupee", "₹ INR rupee rupees"),
];

struct Table {
    single: HashMap<&'static str, Unit>,
    /// Of two or three words, by the first.
    several: HashMap<&'static str, Vec<(Vec<&'static str>, Unit)>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { single: HashMap::new(), several: HashMap::new() };
    for (name, spellings) in SPELLINGS {
        for spelling in spellings.split(' ') {
            let words: Vec<&str> = spelling.split('+').collect();
            match words[..] {
                [one] => drop(table.single.insert(one, Unit(name))),
                [first, ..] => table.several.entry(first).or_default().push((words, Unit(name))),
                [] => {}
            }
        }
    }
    table
});

/// A unit of one word: as it is written, or a word in another case.
pub(super) fn single(text: &str) -> Option<Unit> {
    if let Some(unit) = TABLE.single.get(text) {
        return Some(*unit);
    }
    if !text.contains(char::is_uppercase) {
        return None;
    }
    let folded = text.to_lowercase();
    // `KM` and `Days` are the unit; `mB`, one letter or two in the wrong case, is not.
    (folded.len() > 2 || folded == "km" || folded == "kg" || folded == "ms")
        .then(|| TABLE.single.get(folded.as_str()).copied())
        .flatten()
}

/// A unit of several words, beginning with the first of these; and how many of them it takes.
pub(super) fn several(words: &[&str]) -> Option<(usize, Unit)> {
    let candidates = TABLE.several.get(words.first()?)?;
    let fits = candidates.iter().filter(|(spelling, _)| words.starts_with(spelling));
    fits.max_by_key(|(spelling, _)| spelling.len()).map(|(spelling, unit)| (spelling.len(), *unit))
}

/// Currencies, which may stand before their amount.
pub(super) fn currency(text: &str) -> Option<Unit> {
    const CURRENCIES: [&str; 9] = [
        "euro",
        "dollar",
        "pound sterling",
        "yen",
        "Swiss franc",
        "Swedish krona",
        "Norwegian krone",
        "Danish krone",
        "rupee",
    ];
    TABLE.single.get(text).copied().filter(|unit| CURRENCIES.contains(&unit.0))
}

/// How often: `daily` is once a day.
pub(super) fn adverb(folded: &str) -> Option<Unit> {
    Some(Unit(match folded {
        "hourly" => "hour",
        "daily" | "nightly" | "overnight" => "day",
        "weekly" => "week",
        "monthly" => "month",
        "quarterly" => "quarter",
        "yearly" | "annual" | "annually" => "year",
        _ => return None,
    }))
}
