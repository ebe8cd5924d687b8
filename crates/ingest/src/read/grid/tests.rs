use ibidem_ports::intake::Format;

use super::*;
use crate::read::Stated;
use crate::read::manuscript::TitleHeading;

/// A sheet drawn with `|` between its cells and `.` for an empty one.
fn grid(drawn: &str) -> Grid {
    let mut grid = Grid::default();
    for (row, line) in (0..).zip(drawn.lines()) {
        for (column, cell) in (0..).zip(line.split('|')) {
            let cell = cell.trim();
            grid.put(row, column, if cell == "." { "" } else { cell }, &mut Allowance::default()).unwrap();
        }
    }
    grid
}

fn written(grid: &Grid) -> String {
    let mut manuscript = Manuscript::new(TitleHeading::No);
    grid.write(&mut manuscript);
    manuscript.finish(Format::Csv, Stated::default()).unwrap().text
}

fn check(drawn: &str, expected: &str) {
    assert_eq!(written(&grid(drawn)), expected, "{drawn}");
}

/// `merged` are first and last row, first and last column.
fn with_merged(drawn: &str, merged: &[[u32; 4]]) -> String {
    let mut grid = grid(drawn);
    for [top, bottom, left, right] in merged {
        let merged = Merged { rows: (*top, *bottom), columns: (*left, *right) };
        grid.merge(merged, &mut Allowance::default()).unwrap();
    }
    written(&grid)
}

#[test]
fn tables_have_their_notes_and_heads() {
    check(
        "Prices 2027|.\nProduct|Price\nDSL|1.00\nCable|2.00",
        "Prices 2027\n\nProduct | Price\nDSL | 1.00\n\nProduct | Price\nCable | 2.00",
    );
    check(".|2025|2026\nSales|10|12", " | 2025 | 2026\nSales | 10 | 12");
    check("Product|Price|Weight\n.|(EUR)|(kg)\nBox|3.50|2", "Product | Price (EUR) | Weight (kg)\nBox | 3.50 | 2");
}

#[test]
fn several_tables_stand_on_one_sheet() {
    check("A|B\nx|1\n.|.\nC|D\ny|2", "A | B\nx | 1\n\nC | D\ny | 2");
    check("A|B|.|C|D\nx|1|.|p|7\ny|2|.|.|.", "A | B\nx | 1\n\nA | B\ny | 2\n\nC | D\np | 7");
    // The same rows on both sides of a gap: one table.
    check("A|B|.|C|D\nx|1|.|p|7", "A | B | C | D\nx | 1 | p | 7");
}

#[test]
fn rows_that_go_on_below_a_gap_keep_their_head() {
    check("A|B|C\nx|1|2\n.\ny|3|4", "A | B | C\nx | 1 | 2\n\nA | B | C\ny | 3 | 4");
}

#[test]
fn labels_inside_a_table_stand_above_their_rows() {
    check(
        "Tariff|Price\nHome|.\nS|1\nM|2\nL|3\nOffice|.\nXL|4\nXXL|5",
        &rows_under(&["Home", "S | 1", "M | 2", "L | 3", "Office", "XL | 4", "XXL | 5"], "Tariff | Price"),
    );
}

#[test]
fn labels_with_values_are_no_table() {
    check(
        "Company:|Example Ltd\nFounded|1999\nVAT|19 %\nSeat|Bonn",
        "Company: Example Ltd\nFounded: 1999\nVAT: 19 %\nSeat: Bonn",
    );
    check("Valid from|2027-01-01", "Valid from: 2027-01-01");
    check("1|2|3\n4|5|6", "1; 2; 3\n4; 5; 6");
    check("Customer|Example Ltd|.|.\nA|B|C|D\nx|1|2|3", "Customer: Example Ltd\n\nA | B | C | D\nx | 1 | 2 | 3");
}

#[test]
fn merged_cells_name_all_their_columns_and_rows() {
    let drawn = "Product|2026|.|2027|.\n.|Monthly|Yearly|Monthly|Yearly\nDSL|1|2|3|4";
    assert_eq!(
        with_merged(drawn, &[[0, 1, 0, 0], [0, 0, 1, 2], [0, 0, 3, 4]]),
        "Product | 2026 Monthly | 2026 Yearly | 2027 Monthly | 2027 Yearly\nDSL | 1 | 2 | 3 | 4"
    );
    let drawn = "Region|City|Fee\nNorth|Kiel|1\n.|Bremen|2\nSouth|Ulm|3";
    assert_eq!(
        with_merged(drawn, &[[1, 2, 0, 0]]),
        rows_under(&["North | Kiel | 1", "North | Bremen | 2", "South | Ulm | 3"], "Region | City | Fee")
    );
}

/// Each row below its head; a label stands by itself.
fn rows_under(rows: &[&str], head: &str) -> String {
    let row = |row: &&str| if row.contains('|') { format!("{head}\n{row}") } else { (*row).to_owned() };
    rows.iter().map(row).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn every_row_stands_under_its_head() {
    let rows: Vec<String> = (0..100).map(|number| format!("Product number {number}|{number}.00")).collect();
    let text = written(&grid(&format!("Product|Price\n{}", rows.join("\n"))));
    let tables: Vec<&str> = text.split("\n\n").collect();
    assert!(tables.len() == 100 && tables.iter().all(|table| table.starts_with("Product | Price\n")), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("Product number")).count(), 100);
}

#[test]
fn a_sign_that_parts_cells_shifts_none() {
    let mut grid = grid("A|B\nx|1");
    grid.put(2, 0, "y|z", &mut Allowance::default()).unwrap();
    grid.put(2, 1, "2", &mut Allowance::default()).unwrap();
    assert_eq!(written(&grid), "A | B\nx | 1\n\nA | B\ny¦z | 2");
}

#[test]
fn cells_far_apart_cost_no_more_than_others() {
    let mut grid = grid("A|B\nx|1");
    grid.put(u32::MAX - 1, u32::MAX - 1, "far", &mut Allowance::default()).unwrap();
    grid.merge(Merged { rows: (0, u32::MAX), columns: (0, u32::MAX) }, &mut Allowance::default()).unwrap();
    assert!(written(&grid).contains("far"));
    let mut allowance = Allowance { cells: 3, characters: 5 };
    assert!(grid.put(9, 9, "ab", &mut allowance).is_ok());
    assert!(matches!(grid.put(9, 10, "abcd", &mut allowance), Err(ReadError::TooLarge { .. })));
    assert!(grid.put(9, 11, "a", &mut allowance).is_ok());
    assert!(matches!(grid.put(9, 12, "a", &mut allowance), Err(ReadError::TooLarge { .. })));
}

#[test]
fn a_table_that_would_grow_too_long_has_several_rows_under_each_head() {
    let mut grid = Grid::default();
    let head = "x".repeat(100_000);
    for row in 0..100_u32 {
        for column in 0..2 {
            let text = if row == 0 { head.clone() } else { format!("{row}") };
            grid.put(row, column, &text, &mut Allowance::default()).unwrap();
        }
    }
    let text = written(&grid);
    assert_eq!(text.split("\n\n").count(), 99_usize.div_ceil(ROWS_TOGETHER));
}

/// The rows of each table with the text that begins there, and the numbers of the rows.
fn tables(grid: &Grid) -> Vec<Vec<(String, u32)>> {
    let mut manuscript = Manuscript::new(TitleHeading::No);
    grid.write(&mut manuscript);
    let read = manuscript.finish(Format::Csv, Stated::default()).unwrap();
    let line = |at: usize| read.text.chars().skip(at).collect::<String>().trim().lines().nth(1).unwrap().to_owned();
    read.tables.iter().map(|table| table.rows.iter().map(|(at, number)| (line(*at), *number)).collect()).collect()
}

#[test]
fn rows_know_where_they_stood() {
    let numbered =
        |rows: &[(&str, u32)]| rows.iter().map(|(row, number)| ((*row).to_owned(), *number)).collect::<Vec<_>>();
    let mut labelled = grid("Prices|.\nTariff|Price\nS|1\nHome|.\nM|2\nL|3\n.\nXL|4\nNote below");
    assert_eq!(tables(&labelled), [numbered(&[("S | 1", 3), ("M | 2", 5), ("L | 3", 6)]), numbered(&[("XL | 4", 8)])]);
    labelled.numbers = (10..30).collect();
    assert_eq!(tables(&labelled)[0][0].1, 12);
    let mut manuscript = Manuscript::new(TitleHeading::No);
    labelled.write(&mut manuscript);
    let read = manuscript.finish(Format::Csv, Stated::default()).unwrap().tables;
    assert_eq!(read.iter().map(|table| (table.continues, table.labels)).collect::<Vec<_>>(), [(false, 1), (true, 1)]);
}
