import Testing

@testable import ReportPage

@Suite(.timeLimit(.minutes(1)))
struct MarkupTests {
    @Test func `markup characters are escaped`() {
        #expect(Markup.escaped("<script>\"a\" & 'b'") == "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;")
    }

    @Test func `an attribute can't end early`() {
        #expect(Markup.text("a", ["title": "\" onload=\"x"], "t") == "<a title=\"&quot; onload=&quot;x\">t</a>")
    }

    @Test func `characters that change the text direction are written out`() {
        #expect(Markup.escaped("a\u{202E}b\u{0}") == "a\\u{202E}b\\u{0}")
    }

    @Test func `backticks mark words and nothing else`() {
        #expect(Markup.sentence("`<b>` and `x") == "<code>&lt;b&gt;</code> and <code>x</code>")
    }
}
