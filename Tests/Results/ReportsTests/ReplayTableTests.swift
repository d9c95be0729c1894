import Reports
import Testing
import TrialModel

/// The table of policies on one trace.
@Suite(.timeLimit(.minutes(1)))
struct ReplayTableTests {
    private func row(_ policy: String, _ hitRatio: Double, error: Double? = nil) -> ReplayRow {
        ReplayRow().with {
            ($0.trace, $0.policy, $0.capacity) = ("t", policy, Capacity(entries: 100))
            ($0.hitRatio, $0.hitRatioError) = (hitRatio, error)
        }
    }

    private func cells(_ rows: [ReplayRow]) -> [String] {
        ReplayTable.table(rows, trace: "t", caption: "", notes: []).rows.map { $0[1].text }
    }

    @Test func `the best policy of a size is marked, and bounds are none`() {
        let rows = [row("lru", 0.5), row("sieve", 0.6), row("fifo", 0.6), row("optimal", 0.8), row("pfoo-u", 0.9)]
        #expect(cells(rows) == ["50.00 % (63 %)", "● 60.00 % (75 %)", "= 60.00 % (75 %)", "80.00 %", "90.00 %"])
        let table = ReplayTable.table(rows, trace: "t", caption: "", notes: ["a note"])
        #expect(table.notes == ["● best, = can't be told apart from the best, the rest is worse", "a note"])
    }

    @Test func `in a sample, figures within the error of both can't be told apart`() {
        #expect(
            cells([row("lru", 0.5, error: 0.01), row("sieve", 0.52, error: 0.01), row("arc", 0.4, error: 0.01)])
                == ["= 50.00 % ± 2.00", "● 52.00 % ± 2.00", "40.00 % ± 2.00"])
    }

    @Test func `a single policy is compared with none`() {
        #expect(cells([row("lru", 0.5), row("optimal", 0.8)]) == ["50.00 % (63 %)", "80.00 %"])
    }
}
