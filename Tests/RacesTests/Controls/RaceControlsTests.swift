import Races
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RaceControlsTests {
    static let clean = RaceControls.all.filter { $0.kind == .clean }

    @Test func `all controls have different names`() {
        #expect(Set(RaceControls.all.map(\.name)).count == RaceControls.all.count)
    }

    @Test(arguments: RaceControls.all.map(\.name)) func `a name is in kebab case`(name: String) {
        #expect(name.wholeMatch(of: /[a-z]+(?:-[a-z]+)*/) != nil)
    }

    @Test(arguments: RaceControls.all.map(\.name)) func `a control is found by its name`(name: String) {
        #expect(RaceControls[name]?.name == name)
    }

    @Test func `no control has an unknown name`() {
        #expect(RaceControls["no-such-control"] == nil)
    }

    // A detector that calls everything racy, or nothing, must fail on many of them.
    @Test func `there are 8 racy controls and 12 clean ones`() {
        #expect(RaceControls.all.count - Self.clean.count == 8)
        #expect(Self.clean.count == 12)
    }

    @Test(arguments: RaceControls.all.map(\.name)) func `a summary is one short line`(name: String) throws {
        let summary = try #require(RaceControls[name]).summary
        #expect((10...100).contains(summary.count))
        #expect(!summary.contains("\n"))
        #expect(!summary.hasSuffix("."))
    }

    @Test(arguments: clean.map(\.name)) func `a clean control computes the right result`(name: String) async throws {
        #expect(try await #require(RaceControls[name]).run())
    }
}
