import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct MachineSelectionTests {
    private func row(_ repetition: Int, _ kind: String) -> MachineRow {
        MachineRow().with {
            $0.trial = Samples.key("steady", "lru", repetition).trial
            ($0.shard, $0.machine, $0.kind) = (UInt64(repetition), "box", kind)
        }
    }

    private let results = (1...3).map { Samples.phase(Samples.key("steady", "lru", $0)) }

    private func repetitions(_ selection: MachineSelection) -> [Int] {
        selection.selected(results).map(\.trial.key.repetition)
    }

    @Test func `one kind of machine leaves nothing out`() throws {
        let selection = try MachineSelection([row(1, "A"), row(2, "A"), row(3, "A")])
        #expect(repetitions(selection) == [1, 2, 3])
        #expect(selection.note == nil)
    }

    @Test func `of two kinds the one with the most trials is compared, and a note names the other`() throws {
        let selection = try MachineSelection([row(1, "EPYC"), row(2, "Xeon"), row(3, "EPYC")])
        #expect(repetitions(selection) == [1, 3])
        #expect(
            selection.note
                == "times are compared within one kind of machine: 2 trials on EPYC; left out: 1 on Xeon; compare --machine "
                + "chooses another kind")
    }

    @Test func `a part of its name chooses the other kind`() throws {
        let selection = try MachineSelection([row(1, "EPYC 7"), row(2, "Xeon 8"), row(3, "EPYC 7")], wanted: "Xeon")
        #expect(repetitions(selection) == [2])
    }

    @Test(arguments: [("Arm", 0), ("E", 2)]) func `a name of no kind, or of two, is refused with all kinds`(
        name: String, matches: Int
    ) {
        let error = #expect(throws: MachineSelectionError.self) {
            try MachineSelection([row(1, "EPYC"), row(2, "XEON")], wanted: name)
        }
        #expect(error?.description.hasSuffix("called '\(name)'; there are: EPYC; XEON") == true)
    }
}
