import Reports
import TrialLoop
import TrialModel
import TrialSessions

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
        // 1.8 times one client on two cores. A neighbour may have had one of them, so that each free core is to give 0.9.
        let pairs = calibration.twoClients.map { pair in
            Goal(
                what: "two clients on \(pair.driver.rawValue), for each core that was free "
                    + "(\(DecimalText.fixed(pair.freeCores.median, places: 2)) were)",
                side: .atLeast, limit: 0.9, unit: "× one client", samples: pair.perFreeCore.values)
        }
        return loops + pairs
    }
}
