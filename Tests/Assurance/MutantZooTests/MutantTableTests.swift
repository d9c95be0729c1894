import Foundation
import Mutants
import Testing

@Suite(.timeLimit(.minutes(120)))
struct MutantTableTests {
    // With `UPDATE_MUTANTS` the test writes the table. With `UPDATE_MUTANTS=new` it runs only those that are not yet in
    // the table.
    @Test func `the table lists every mutant and every sound strategy`() async throws {
        let environment = ProcessInfo.processInfo.environment
        if let which = environment["UPDATE_MUTANTS"] {
            let rows = which == "new" ? try MutantTable.rows() : []
            let known = Dictionary(rows.map { ($0.fields[0], $0.line) }) { first, _ in first }
            try await Self.table(known: known).csv.write(to: MutantTable.file, atomically: true, encoding: .utf8)
        }
        #expect(try MutantTable.rows().map(\.fields[0]) == MutantZoo.all.map(\.name) + SoundStrategy.all.map(\.name))
    }

    // A table in which a mutant escapes must not be committed.
    @Test func `in the table every mutant is caught in 99 of 100 runs, and no sound strategy is reported`() throws {
        for (fields, line) in try MutantTable.rows() {
            try #require(fields.count == 7, "\(line)")
            let runs = try #require(Int(fields[3]))
            #expect(runs >= 3, "\(line)")
            if fields[1] == "sound" {
                #expect(fields[5] == "0", "\(line)")
            } else {
                let caught = try #require(Int(fields[4]))
                #expect(caught * 100 >= runs * 99, "\(line)")
            }
        }
    }

    private static func table(known: [String: String]) async throws -> MutantTable {
        var table = MutantTable()
        table.known = known
        let races = try raceTallies()
        for mutant in MutantZoo.all {
            guard known[mutant.name] == nil else {
                table.mutants.append((mutant, MutantTable.Tally()))
                continue
            }
            guard let alarms = mutant.alarms else {
                table.mutants.append((mutant, races[mutant.name] ?? MutantTable.Tally()))
                continue
            }
            var tally = MutantTable.Tally()
            for seed in MutantTable.seeds { tally.add(await alarms(seed, .all), expected: mutant.expected) }
            print("\(mutant): \(tally.caught) of \(tally.runs)")
            table.mutants.append((mutant, tally))
        }
        for strategy in SoundStrategy.all {
            var tally = MutantTable.Tally()
            for seed in MutantTable.seeds where known[strategy.name] == nil {
                let alarms = await strategy.alarms(seed, .all)
                tally.add(alarms, expected: nil)
                for alarm in alarms { print("\(strategy.name), seed \(seed): \(alarm)") }
            }
            print("\(strategy.name): \(tally.alarmed) alarms in \(tally.runs)")
            table.strategies.append((strategy, tally))
        }
        return table
    }

    /// The results that `scripts/races` measured.
    private static func raceTallies() throws -> [String: MutantTable.Tally] {
        let file = MutantTable.file.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "races/controls.csv")
        // Lines end as in RFC 4180, and "\r
        // " is one character.
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        let header = try #require(lines.first)
        let name = try #require(header.firstIndex(of: "control"))
        let runs = try #require(header.firstIndex(of: "runs"))
        let flagged = try #require(header.firstIndex(of: "runs_flagged"))
        var tallies: [String: MutantTable.Tally] = [:]
        for row in lines.dropFirst() where row.count == header.count {
            let caught = try #require(Int(row[flagged]))
            tallies[row[name]] = MutantTable.Tally(runs: try #require(Int(row[runs])), caught: caught, alarmed: caught)
        }
        return tallies
    }
}
