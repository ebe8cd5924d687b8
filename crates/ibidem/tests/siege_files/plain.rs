//! Texts of odd bytes, and things that are only named like files.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::files::{End, Hostile, file};

fn thing(about: &'static str, name: &str, put: fn(&Path), end: End) -> Hostile {
    Hostile { about, name: name.to_owned(), put: Box::new(put), end }
}

pub(crate) fn files() -> Vec<Hostile> {
    let text = || b"Some text.".to_vec();
    vec![
        file("100 MB of one line", "line.txt", || vec![b'a'; 100 << 20], End::Outside("larger than 64 MiB")),
        file("60 MB of one line", "long.txt", || b"word ".repeat(12 << 20), End::Failed("its text")),
        file("a word of 256 KB", "word.txt", || vec![b'a'; 1 << 18], End::Read),
        file(
            "bytes that are no UTF-8",
            "bytes.txt",
            || b"Text \xff\xfe\xc3\x28 \xed\xa0\x80 \xf8\x88".repeat(1_000),
            End::Read,
        ),
        file(
            "half characters in UTF-16",
            "utf16.txt",
            || [b"\xff\xfe".as_slice(), &b"T\0e\0\x00\xd8\x00\xdc\x00\xd8".repeat(1_000), b"x"].concat(),
            End::Read,
        ),
        file("10 MB of NULs", "nul.txt", || [vec![0; 10 << 20].as_slice(), b"Some text."].concat(), End::Read),
        file(
            "only what cannot be seen",
            "unseen.txt",
            || "\u{200b}\u{feff}\u{202e}\u{fe0f}".repeat(100_000).into_bytes(),
            End::Failed("holds no text"),
        ),
        file(
            "letters that turn around",
            "turned.txt",
            || "The \u{202e}oil\u{202c} is \u{2067}harmless\u{2069}. ".repeat(1_000).into_bytes(),
            End::Read,
        ),
        file("a name of two lines", "two\nlines.txt", text, End::Outside("name: has a character that cannot be seen")),
        file(
            "a name that steers a terminal",
            "\u{1b}[2Jname.txt",
            text,
            End::Outside("name: has a character that cannot be seen"),
        ),
        file(
            "a name that reads backwards",
            "report\u{202e}fdp.txt",
            text,
            End::Outside("name: has a character that cannot be seen"),
        ),
        file("a name of 255 bytes", &("x".repeat(251) + ".txt"), text, End::Read),
        file("a hidden name like a way up", "..txt", text, End::Outside("")),
        thing(
            "a link to a file of ours",
            "link.txt",
            |path| symlink("/etc/passwd", path).unwrap(),
            End::Outside("links that lead out of the folder"),
        ),
        thing(
            "a link to itself",
            "circle.txt",
            |path| symlink(path, path).unwrap(),
            End::Outside("links that lead nowhere"),
        ),
        thing(
            "a pipe that nobody writes to",
            "pipe.txt",
            |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            End::Outside("skipped because of their format"),
        ),
        thing("a folder named like a file", "folder.txt", |path| std::fs::create_dir(path).unwrap(), End::Outside("")),
        file("an empty file", "empty.txt", Vec::new, End::Failed("holds no text")),
    ]
}
