use super::*;

const NOTICE: &[u8] = include_bytes!("../../../tests/fixtures/notice.eml");

#[test]
fn a_mail_says_who_wrote_what_and_when() {
    let read = extract(NOTICE).unwrap();
    assert_eq!(
        read.text,
        "Prüfung der Leitern\n\nFrom: Anna Bell <anna@example.org>\nTo: Ben Cole <ben@example.org>, Café <cafe@example.org>\nDate: 2027-05-03 09:15 +02:00\n\nDear all,\n\nladders are checked every twelve months – the next time on 1 June.\n\nAnna\n\nAttachment: ladders 2027.pdf, not read"
    );
    assert_eq!(read.title.as_deref(), Some("Prüfung der Leitern"));
    assert_eq!(read.stated.updated_at.unwrap().to_rfc3339(), "2027-05-03T07:15:00+00:00");
    assert_eq!(read.remarks, ["2 lines that quote earlier mails were left out"]);
}

fn text(mail: &str) -> String {
    extract(mail.replace('\n', "\r\n").as_bytes()).unwrap().text
}

const HEAD: &str = "From: a@example.org\nSubject: S\n";

#[test]
fn a_mail_without_plain_text_is_read_from_its_html() {
    let markup = "<html><head><style>p{}</style></head><body><p>Pay <b>10 €</b>.<table><tr><td>a<td>b</table><img src='http://example.org/x.png'>";
    let mail = format!("{HEAD}Content-Type: text/html; charset=utf-8\n\n{markup}");
    assert_eq!(text(&mail), "S\n\nFrom: a@example.org\n\nPay 10 €.\n\na | b");
    let both = format!(
        "{HEAD}Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\nplain\n--x\nContent-Type: text/html\n\n<p>markup</p>\n--x--\n"
    );
    assert_eq!(text(&both), "S\n\nFrom: a@example.org\n\nplain");
}

#[test]
fn what_is_attached_is_named_and_not_read() {
    let part = |head: &str, body: &str| format!("--x\n{head}\n\n{body}\n");
    let mail = format!("{HEAD}Content-Type: multipart/mixed; boundary=x\n\n")
        + &part("Content-Type: text/plain", "body")
        + &part("Content-Type: image/png; name=sign.png\nContent-Disposition: inline; filename=sign.png", "no")
        + &part("Content-Type: message/rfc822", "From: b@example.org\nSubject: Inner\n\ninner words")
        + &part("Content-Type: text/csv\nContent-Disposition: attachment; filename=\"a\tb.csv\"", "secret,cells")
        + "--x--\n";
    let text = text(&mail);
    assert!(text.contains("Attachment: mail “Inner”, not read") && text.contains("b.csv, not read"), "{text}");
    assert!(!text.contains("secret") && !text.contains("inner words") && !text.contains("sign.png"), "{text}");
}

#[test]
fn what_is_no_mail_is_refused() {
    for bytes in
        [b"".as_slice(), b"Some text.", b"Note: only a word and a colon\n\nText", b"\x00\xff\x00", b"PK\x03\x04"]
    {
        assert!(matches!(extract(bytes), Err(ReadError::Unreadable { .. })), "{bytes:?}");
    }
}

#[test]
fn mails_in_mails_and_endless_parts_do_no_harm() {
    let mut nested = format!("{HEAD}\ninnermost");
    for level in 0..200 {
        nested = format!(
            "{HEAD}Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\nContent-Type: text/plain\n\nlevel {level}\n--b{level}\nContent-Type: message/rfc822\n\n{nested}\n--b{level}--\n"
        );
    }
    assert!(text(&nested).contains("level 199"));
    let parts = format!("{HEAD}Content-Type: multipart/mixed; boundary=x\n\n{}", "--x\n\na\n".repeat(20_000));
    assert!(extract(parts.as_bytes()).is_ok());
    let recipients = format!("{HEAD}To: {}\n\nbody", "a@example.org, ".repeat(50_000));
    assert!(text(&recipients).len() < 5_000);
}
