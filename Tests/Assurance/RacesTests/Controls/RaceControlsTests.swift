import Races
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RaceControlsTests {
    static let clean = RaceControls.all.filter { $0.kind == .clean }

    @Test func `a control is found by its name, which no other has, and says in a line what it is`() {
        for control in RaceControls.all {
            #expect(RaceControls[control.name]?.summary == control.summary)
            #expect(control.name.wholeMatch(of: /[a-z]+(?:-[a-z]+)*/) != nil, "\(control.name)")
            #expect((10...100).contains(control.summary.count), "\(control.name)")
            #expect(!control.summary.contains("\n") && !control.summary.hasSuffix("."), "\(control.name)")
        }
        #expect(Set(RaceControls.all.map(\.name)).count == RaceControls.all.count)
        #expect(RaceControls["no-such-control"] == nil)
    }

    // A detector that calls everything racy, or nothing, must fail on many of them.
    @Test func `there are 4 racy controls and 4 clean ones`() {
        #expect(RaceControls.all.count - Self.clean.count == 4)
        #expect(Self.clean.count == 4)
    }

    @Test(arguments: clean.map(\.name)) func `a clean control computes the right result`(name: String) async throws {
        #expect(try await #require(RaceControls[name]).run())
    }
}
