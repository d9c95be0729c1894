import Foundation
import Reports
import Testing
import TrialModel

@testable import ReportPage

/// The page in a browser. Needs `chromium` on PATH; `scripts/check-report` installs it.
@Suite(.timeLimit(.minutes(3)), .serialized, .enabled(if: Browser.path != nil, "there is no chromium on PATH"))
struct BrowserTests {
    @Test func `the page loads without an error and draws every chart`() async throws {
        let folder = try PageFolder()
        let page = folder.path("page.html")
        try ReportPage(PageSamples.everything()).html.write(toFile: page, atomically: true, encoding: .utf8)
        let ending = try await Browser.load(page, profile: folder.path("profile"), log: folder.path("net.json"))

        let charts = ending.page.matches(of: #/<svg xmlns[^>]*class="chart.*?</svg>/#.dotMatchesNewlines()).map(\.0)
        #expect(charts.count > 20)
        // The script has run to its end, and found the same number of charts.
        #expect(ending.page.contains("data-ready=\"\(charts.count)\""))
        for chart in charts { #expect(chart.contains("class=\"mark")) }
        #expect(!ending.errors.contains("CONSOLE"), "\(ending.errors)")
    }

    @Test func `the page requests nothing from the network`() async throws {
        let folder = try PageFolder()
        let page = folder.path("page.html")
        try ReportPage(PageSamples.everything()).html.write(toFile: page, atomically: true, encoding: .utf8)
        let log = folder.path("net.json")
        _ = try await Browser.load(page, profile: folder.path("profile"), log: log)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let asked = text.matches(of: #/"url":"(https?:[^"]*)"/#).map { String($0.1) }
        // The browser itself contacts its makers; the page has no part in it.
        let foreign = asked.filter { !$0.contains("google") && !$0.contains("gvt1") }
        #expect(foreign == [])
    }

    @Test func `a click sorts a table, and hides a strategy`() async throws {
        let folder = try PageFolder()
        let page = folder.path("page.html")
        let clicks = """
            <script>
            const head = Array.from(document.querySelectorAll('th')).find(th => th.textContent === 'strategy');
            head.querySelector('button').click();
            document.querySelector('.legend button').click();
            </script>
            """
        let html = ReportPage(PageSamples.content([PageSamples.phase("b"), PageSamples.phase("a")])).html
            .replacing(#/<meta http-equiv="Content-Security-Policy"[^>]*>/#, with: "")
            .replacing("</body>", with: clicks + "</body>")
        try html.write(toFile: page, atomically: true, encoding: .utf8)
        let ending = try await Browser.load(page, profile: folder.path("profile"), log: folder.path("net.json"))
        #expect(ending.page.contains("aria-sort=\"ascending\""))
        #expect(ending.page.contains("aria-pressed=\"false\""))
        #expect(ending.page.contains("class=\"s h0 off\""))
        let first = try #require(ending.page.firstRange(of: "data-v=\"a\""))
        let second = try #require(ending.page.firstRange(of: "data-v=\"b\""))
        #expect(first.lowerBound < second.lowerBound)
    }

    @Test func `no table is cut off at 1280 pixels`() async throws {
        let folder = try PageFolder()
        let page = folder.path("page.html")
        let measure = """
            <script>
            const cut = Array.from(document.querySelectorAll('.scroll')).filter(s => s.scrollWidth > s.clientWidth);
            document.body.dataset.cut = String(cut.length) + ' at ' + String(innerWidth);
            </script>
            """
        var content = PageSamples.content(
            ["articles-with-lifetime", "shifting-popularity"].flatMap { (scenario: ScenarioPoint) in
                ["sharded-s3-fifo", "published-barrier-nscache", "none"].flatMap { strategy in
                    (1...3).map { PageSamples.phase(strategy, scenario: scenario, repetition: $0) }
                }
            } + [PageSamples.phase("lru", scenario: "shifting-popularity", status: .crashed)])
        content.races = [
            RaceRow().with {
                ($0.scenario, $0.strategy, $0.verdict, $0.runs) = ("contended", "sharded-s3-fifo", .undecided, 3)
            }
        ]
        content.promises = [
            ConsistencyRow().with {
                $0.trial = TrialIdentity(scenario: "steady", strategy: "sharded-s3-fifo", repetition: 1)
                ($0.promise, $0.verdict) = (.freshness, .inconsistent)
            }
        ]
        let html = ReportPage(content).html
            .replacing(#/<meta http-equiv="Content-Security-Policy"[^>]*>/#, with: "")
            .replacing("</body>", with: measure + "</body>")
        try html.write(toFile: page, atomically: true, encoding: .utf8)
        let ending = try await Browser.load(
            page, profile: folder.path("profile"), log: folder.path("net.json"), width: 1_280)
        let seen = ending.page.firstMatch(of: #/data-cut="([^"]*)"/#).map { String($0.1) }
        #expect(seen == "0 at 1280")
    }

    @Test func `a page that tries to load something is caught`() async throws {
        let folder = try PageFolder()
        let page = folder.path("page.html")
        let html = ReportPage(PageSamples.everything()).html
            .replacing(
                "</main>", with: "<img src=\"http://127.0.0.1:9/x.png\"><script>document.title = 'x'</script></main>")
        try html.write(toFile: page, atomically: true, encoding: .utf8)
        let ending = try await Browser.load(page, profile: folder.path("profile"), log: folder.path("net.json"))
        #expect(ending.errors.contains("CONSOLE"))
        #expect(!ending.page.contains("<title>x</title>"))
    }
}

/// Debian's Chromium without a window.
enum Browser {
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/chromium" }.first(where: FileManager.default.isExecutableFile(atPath:))
    }()

    /// Loads a file, and returns the resulting page and the text on standard error.
    static func load(
        _ page: String, profile: String, log: String, width: Int = 800
    ) async throws -> (page: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "/nonexistent")
        process.arguments = [
            "--headless=new", "--window-size=\(width),1000", "--hide-scrollbars", "--no-sandbox", "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run", "--enable-logging=stderr",
            "--user-data-dir=\(profile)", "--log-net-log=\(log)", "--virtual-time-budget=5000", "--dump-dom",
            "file://\(page)",
        ]
        // Into files, so that there is no need to read two pipes at once.
        let (output, errors) = (profile + ".out", profile + ".err")
        for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
        let handles = try [output, errors].map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
        // A `Process` that has ended keeps its files open.
        defer { for handle in handles { try? handle.close() } }
        (process.standardOutput, process.standardError) = (handles[0], handles[1])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        for await _ in ends {}
        return (
            try String(contentsOfFile: output, encoding: .utf8), try String(contentsOfFile: errors, encoding: .utf8)
        )
    }
}
