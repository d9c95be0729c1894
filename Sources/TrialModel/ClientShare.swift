/// Which clients of a phase belong to one generator, when several generators load a shared cache together.
///
/// Generator *g* of *n*, counted from 0, has the clients *g*, *g* + *n*, *g* + 2 *n* and so on of the whole phase, and
/// under open arrival every *n*-th operation from the *g*-th on. Together the generators send what one generator would.
package struct ClientShare: Codable, Hashable, Sendable {
    /// From 0.
    package var generator: Int
    package var generatorCount: Int
    /// The number of clients of all generators together.
    package var clientCount: Int

    /// How many clients this generator has.
    package var ownClientCount: Int {
        guard generatorCount > 0, clientCount > generator else { return 0 }
        return (clientCount - generator - 1) / generatorCount + 1
    }

    /// The index, from 0, that one of its clients has among the clients of all generators.
    package func number(ofClient client: Int) -> Int { generator &+ client &* generatorCount }

    /// Whether this generator sends the operation with a given index, from 0, in the order of all operations.
    package func sends(_ place: UInt64) -> Bool {
        generatorCount <= 1 || place % UInt64(generatorCount) == UInt64(max(generator, 0))
    }
}

extension Scenario {
    /// The scenario as one of several generators runs it.
    ///
    /// - Parameters:
    ///   - generator: the number of the generator, from 1.
    ///   - count: how many generators there are.
    package func share(ofGenerator generator: Int, of count: Int) -> Scenario {
        var shared = self
        for index in phases.indices {
            let share = ClientShare(
                generator: generator - 1, generatorCount: count, clientCount: phases[index].clients)
            shared.phases[index].share = share
            shared.phases[index].clients = share.ownClientCount
            // Expectations hold for all generators together.
            shared.phases[index].expectations = []
        }
        return shared
    }

    /// The scenario as all generators together run it.
    package var undivided: Scenario {
        var whole = self
        for (index, phase) in phases.enumerated() {
            guard let share = phase.share else { continue }
            whole.phases[index].clients = share.clientCount
            whole.phases[index].share = nil
        }
        return whole
    }
}

extension Phase {
    /// How many operations the phase's clients send; `nil` when the phase ends by the clock.
    ///
    /// Operations are split evenly, and the first clients take the remainder; under open arrival the generators take
    /// turns.
    package var operationCount: UInt64? {
        guard case .operations(let total) = length else { return nil }
        let operations = UInt64(max(total, 0))
        guard let share, share.clientCount > 0, share.generatorCount > 0 else { return operations }
        if arrival.isOpen {
            let (generator, count) = (UInt64(max(share.generator, 0)), UInt64(share.generatorCount))
            return operations > generator ? (operations - generator - 1) / count + 1 : 0
        }
        let each = operations / UInt64(share.clientCount)
        let larger = Int(operations % UInt64(share.clientCount))
        let mine = UInt64((0..<share.ownClientCount).count { share.number(ofClient: $0) < larger })
        return each * UInt64(share.ownClientCount) + mine
    }
}
