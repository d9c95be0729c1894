import Reports
import TrialLoop
import TrialModel
import TrialSessions

/// The cost of a timed operation above its minimum, and the scaling to two clients.
enum OverheadGoals {
    static func measure(rounds: Int) async -> [Goal] {
        let calibration = await Calibration.measure(rounds: rounds)
        let limits: [(KeyKind, Driver, Double)] = [
            (.integer, .threads, 1.2), (.string, .threads, 1.35), (.url, .threads, 1.35), (.integer, .tasks, 1.3),
        ]
        let loops = limits.map { keys, driver, limit in
            let loop = Calibration.Loop(keys: keys, driver: driver, clients: 1)
            return Goal(
                what: "an operation on \(driver.rawValue) with \(keys.rawValue) keys, timed and recorded",
                side: .atMost,
                limit: limit, unit: "× two clock reads and a record",
                samples: calibration.ratiosToFloor[loop]?.values ?? [])
        }
        // Other processes may have used one of the cores, so the goal is for each core that was free.
        let pairs = calibration.twoClients.map { pair in
            Goal(
                what: "two clients on \(pair.driver.rawValue), for each core that was free "
                    + "(\(DecimalText.fixed(pair.freeCores.median, places: 2)) were)",
                side: .atLeast, limit: 0.94, unit: "× one client", samples: pair.perFreeCore.values)
        }
        return loops + pairs
    }
}
