import TrialModel
import TrialRunner

/// What a timed operation costs beyond the least it can, and how two clients add up.
enum OverheadGoals {
    static func measure(rounds: Int) async -> [Goal] {
        let calibration = await Calibration.measure(rounds: rounds)
        let limits: [(Driver, Double)] = [(.threads, 1.25), (.tasks, 1.5)]
        let loops = limits.map { driver, limit in
            let loop = Calibration.Loop(keys: .integer, driver: driver, clients: 1)
            return Goal(
                what: "an operation on \(driver.rawValue), every one timed and recorded", side: .atMost, limit: limit,
                unit: "× two clock reads and a record", samples: calibration.ratiosToFloor[loop]?.values ?? [])
        }
        let pairs = calibration.twoClients.map { driver, multiple in
            Goal(
                what: "two clients on \(driver.rawValue)", side: .atLeast, limit: 1.8, unit: "× one client",
                samples: multiple.values)
        }
        return loops + pairs
    }
}
