use super::*;

const LADDERS: &[u8] = include_bytes!("../../../tests/fixtures/ladders.mbox");

#[test]
fn each_mail_is_a_section() {
    let read = extract(LADDERS).unwrap();
    assert_eq!(
        read.text,
        "Ladders in the store (Anna Bell, 2027-05-03)\n\nFrom: Anna Bell <anna@example.org>\nTo: store@example.org\nDate: 2027-05-03 09:15 +02:00\n\nDear all,\n\nthe red ladder may not be used any more.\nFrom June on there is a new one.\n\nAnna\n\nAttachment: ladder.pdf, not read\n\nRe: Ladders in the store (Ben Cole, 2027-05-04)\n\nFrom: Ben Cole <ben@example.org>\nTo: Anna Bell <anna@example.org>\nDate: 2027-05-04 10:00 +02:00\n\nQuoted: From June on there is a new one.\n\nFrom the 7th, I am told. How long is it?"
    );
    assert_eq!(read.title.as_deref(), Some("Ladders in the store"));
    let sections: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(
        sections,
        ["Ladders in the store (Anna Bell, 2027-05-03)", "Re: Ladders in the store (Ben Cole, 2027-05-04)"]
    );
    assert_eq!(read.stated.updated_at.unwrap().to_rfc3339(), "2027-05-04T08:00:00+00:00");
    assert_eq!(read.remarks, ["4 lines that quote earlier mails were left out"]);
}

#[test]
fn mails_of_several_threads_have_no_common_title() {
    let mail = |subject: &str| format!("From a@b Mon\nFrom: a@example.org\nSubject: {subject}\n\nText.\n\n");
    let read = extract((mail("One") + &mail("Two")).as_bytes()).unwrap();
    assert_eq!((read.title, read.sections.len()), (None, 2));
}

#[test]
fn what_is_damaged_or_hostile_ends_in_a_reason() {
    for bytes in [b"".as_slice(), b"Text.", b"Subject: x\n\nText."] {
        assert!(matches!(extract(bytes), Err(ReadError::Unreadable { .. })), "{bytes:?}");
    }
    assert_eq!(extract(b"From nobody"), Err(ReadError::NoText { format: Format::Mailbox }));
    let many = "From a\nFrom: a@example.org\nSubject: s\n\nx\n\n".repeat(60_000);
    assert!(extract(many.as_bytes()).unwrap_err().to_string().contains("50000 headings"));
}
