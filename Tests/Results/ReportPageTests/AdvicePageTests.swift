import Reports
import Testing
import TrialModel

@testable import ReportPage

/// The page that `advise` writes.
@Suite(.timeLimit(.minutes(1)))
struct AdvicePageTests {
    private static func html(isRefused: Bool) -> String {
        AdvicePage(
            trace: "hits.meter", headline: "No advice: it is too short.", isRefused: isRefused,
            table: Table(of: ["advice"], [TableColumn("what") { .text($0) }]), curve: []
        ).html
    }

    @Test func `a refusal says that nothing is advice, of a trace and of a meter`() {
        let html = Self.html(isRefused: true)
        #expect(html.contains("This can&#39;t tell; nothing below is advice.") && !html.contains("trace can"))
        #expect(!Self.html(isRefused: false).contains("nothing below is advice"))
    }
}
