import Testing
import WorkloadGeneration

@testable import TrialModel

/// The first operations of streams, from a Python program written from the documentation: keys from
/// `RandomSource(seed, phase, client, 1)`, kinds and cancellations from `RandomSource(seed, phase, client, 2)`, each
/// kind before its cancellation. They change when workloads change; results from before such a change are not
/// comparable.
@Suite(.timeLimit(.minutes(1)))
struct OperationStreamGoldenTests {
    private func describe(_ scenario: Scenario, client: Int = 0) -> String {
        operations(of: scenario, client: client, count: 12).map { operation in
            "\(operation.kind) \(operation.key)"
                + (operation.cancelAfter > 0 ? " cancelled after \(operation.cancelAfter)" : "")
        }.joined(separator: "; ")
    }

    @Test(arguments: [
        (
            0,
            """
            read 800; read 387; read 378; read 858; read 927; read 638; read 926; read 545; \
            read 123; read 594; read 113; read 743
            """
        ),
        (
            3,
            """
            read 712; read 642; read 161; read 567; read 559; read 981; read 685; read 839; \
            read 50; read 152; read 669; read 446
            """
        ),
    ])
    func `uniform reads`(client: Int, expected: String) {
        #expect(describe(makeScenario(.uniform, mix: [.read: 1], clients: 4), client: client) == expected)
    }

    @Test
    func `a mix over half of the keys in a second phase`() {
        let scenario = makeScenario(
            .uniform, keyCount: 1_500, mix: [.read: 8, .load: 1, .write: 1], clients: 4,
            selection: KeySelection(first: 500, popularity: .zipf(exponent: 0.99)), phaseIndex: 1)
        #expect(
            describe(scenario, client: 2)
                == """
                read 524; read 502; load 507; read 558; write 520; read 1248; load 638; read 520; \
                load 504; read 500; read 656; read 502
                """
        )
    }

    @Test
    func `loads of a hotspot, some cancelled`() {
        let scenario = makeScenario(
            .hotspot(keys: 0.1, operations: 0.9), mix: [.load: 1], clients: 4,
            cancel: Cancellation(share: 0.3, after: 5_000))
        #expect(
            describe(scenario)
                == """
                load 38; load 85; load 674; load 590; load 59; load 74 cancelled after 5000; \
                load 9 cancelled after 5000; load 10 cancelled after 5000; load 35; load 11; load 55; \
                load 26
                """
        )
    }

    @Test
    func `latest`() {
        #expect(
            describe(makeScenario(.latest(exponent: 0.99), mix: [.read: 1, .write: 1], clients: 4))
                == """
                write 0; write 1; write 2; read 666; write 3; read 3; read 507; read 860; write 4; \
                write 5; write 6; write 7
                """
        )
    }

    @Test
    func `a shift`() {
        let scenario = makeScenario(
            .zipf(exponent: 0.99), keyCount: 100, shift: PopularityShift(every: 10, by: 7), mix: [.read: 1])
        #expect(
            describe(scenario)
                == """
                read 57; read 20; read 68; read 1; read 83; read 6; read 31; read 47; read 5; \
                read 1; read 12; read 7
                """
        )
    }

    @Test
    func `a walk with clears`() {
        let scenario = makeScenario(
            .uniform, mix: [.read: 1, .clear: 1], clients: 3,
            selection: KeySelection(first: 5, count: 10, popularity: .sequential))
        #expect(
            describe(scenario, client: 1)
                == """
                read 6; clear 0; read 12; clear 0; clear 0; read 11; clear 0; clear 0; read 10; \
                clear 0; read 6; clear 0
                """
        )
    }
}
