use super::*;

fn text(html: &str) -> String {
    extract(html).unwrap().text
}

#[test]
fn html_becomes_the_text_a_browser_shows() {
    let cases = [
        ("<p>One\n  two</p><p>three</p>", "One two\n\nthree"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("a<br>b<hr>c", "a\nb\n\nc"),
        ("<ul><li>a<li>b<ul><li>c</ul><li><p>d</p><p>e</p></ul>f", "- a\n- b\n  - c\n- d\n  e\n\nf"),
        ("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b"),
        (
            "<table><thead><tr><th>City<th>Rate</thead><tr><td>Oslo<td><p>120</p></table>x",
            "City | Rate\nOslo | 120\n\nx",
        ),
        ("<table><tr><td><h2>A</h2><p>one</p><p>two</p></td></tr></table>", "A\n\none\n\ntwo"),
        ("<pre>\nfn a() {\n    b();\n}\n</pre><p>after", "fn a() {\n    b();\n}\n\nafter"),
        ("<pre><div>a</div><div>  b</div></pre>", "a\n  b"),
        ("<dl><dt>Term<dd>Meaning</dl>", "Term\n\nMeaning"),
        (
            "<p>He said <q>yes</q>, <del>never</del> <img alt='a map' src='data:x'>&nbsp;&euro;5</p>",
            "He said “yes”, ~~never~~ a map €5",
        ),
        ("<p>1<sup>st</sup> H<sub>2</sub>O</p>", "1st H2O"),
    ];
    for (html, expected) in cases {
        assert_eq!(text(html), expected, "{html:?}");
    }
}

#[test]
fn what_is_not_for_reading_is_left_out() {
    let html = "<html><head><title>T</title><style>p{}</style><meta name=x content=y></head><body>
        <nav><a href=/>Home</a></nav><script>var a = '<p>no</p>';</script><noscript>no</noscript><template>no</template>
        <p hidden>no</p><p aria-hidden=true>no</p><div style='color:red; DISPLAY : none'>no <p>no</p></div>
        <svg><title>no</title></svg><button>no</button><!-- no --><p aria-hidden=false>yes</p></body></html>";
    assert_eq!(text(html), "yes");
}

#[test]
fn titles_and_sections() {
    let cases: [(&str, Option<&str>, &[&str]); 5] = [
        (
            "<title>Leave – Intranet</title><h1>Leave</h1><p>x<h2>Carry-over</h2><p>y",
            Some("Leave – Intranet"),
            &["Carry-over"],
        ),
        (
            "<title>Intranet</title><h1>Leave</h1><p>x<h2>Carry-over</h2><p>y",
            Some("Intranet"),
            &["Leave", "Leave > Carry-over"],
        ),
        ("<h1>Leave <small>2025</small></h1><p>x<h3>Deep</h3><p>y<h2>Up</h2>z", Some("Leave 2025"), &["Deep", "Up"]),
        ("<p>No headings", None, &[]),
        ("<h2><div>A <br> B</div></h2><p>x", None, &["A B"]),
    ];
    for (html, title, expected) in cases {
        let document = extract(html).unwrap();
        assert_eq!(document.title.as_deref(), title, "{html:?}");
        let paths: Vec<_> = document.sections.iter().map(|section| section.path.join(" > ")).collect();
        assert_eq!(paths, expected, "{html:?}");
    }
}

#[test]
fn a_hundred_thousand_nested_elements_are_refused_and_a_thousand_are_read() {
    let nested = |depth: usize| format!("{}deep{}", "<div>".repeat(depth), "</div>".repeat(depth));
    assert_eq!(text(&nested(1_000)), "deep");
    let refused = extract(&nested(100_000)).unwrap_err();
    assert!(refused.to_string().contains("nested too deep"), "{refused}");
}

#[test]
fn pages_with_many_elements_are_read_in_reasonable_time() {
    let html = format!("<table>{}</table>", "<tr><td>a</td><td><b>b</b></td></tr>".repeat(10_000));
    let started = std::time::Instant::now();
    assert_eq!(text(&html).lines().count(), 10_000);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
