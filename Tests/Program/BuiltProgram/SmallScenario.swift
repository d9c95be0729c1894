/// A short scenario in memory, with a warm-up and one measured phase of a single client.
package enum SmallScenario {
    package static func text(strategies: String, mix: String, operations: Int = 20_000) -> String {
        """
        title: A small one for tests
        seed: 7
        repetitions: 1
        keys: { kind: integer, count: 300, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 50 }
        origin: { kind: memory }
        strategies: [\(strategies)]
        phases:
          - { name: warm-up, warm-up: true, operations: 100, clients: 1, mix: { load: 1 } }
          - { name: main, operations: \(operations), clients: 1, mix: { \(mix) } }

        """
    }

    /// A short scenario whose schedules are explored.
    package static func explored(clients: Int, operations: Int) -> String {
        """
        title: A small one for tests
        seed: 1
        keys: { kind: integer, count: 300, popularity: uniform }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 50 }
        origin: { kind: memory }
        phases:
          - { name: main, operations: \(operations), clients: \(clients), mix: { load: 1 } }

        """
    }
}
