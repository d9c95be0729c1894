import Foundation
import Testing
import TrialModel

@testable import Measurement

@Suite(.timeLimit(.minutes(1)))
struct MachineTests {
    @Test
    func `the machine describes itself`() {
        let machine = Machine.current()
        #expect(!machine.host.isEmpty)
        #expect(machine.coreCount >= 1)
        #expect(machine.memoryBytes > 64 << 20)
        #expect(!machine.kernel.isEmpty && !machine.operatingSystem.isEmpty && !machine.architecture.isEmpty)
        #expect(machine.swiftVersion.hasPrefix("6."))
    }

    #if os(Linux)
        @Test
        func `on Linux load and steal are read`() {
            let machine = Machine.current()
            #expect(machine.loadAverage != nil)
            #expect(machine.stealTicks != nil)
            #expect(!machine.operatingSystem.contains("\""))
        }
    #endif

    @Test
    func `a machine survives JSON`() throws {
        let machine = Machine.current()
        #expect(try JSONDecoder().decode(Machine.self, from: JSONEncoder().encode(machine)) == machine)
    }

    @Test
    func `a line of a kernel file is found by its name`() {
        let text = "processor\t: 0\nmodel name\t:  Some CPU @ 2: fast \nmodel\t: 1\n"
        #expect(ProcessFiles.field("model name", in: text) == "Some CPU @ 2: fast")
        #expect(ProcessFiles.field("model", in: text) == "1")
        #expect(ProcessFiles.field("cores", in: text) == nil)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct NoiseReadingTests {
    private static func reading(
        stolen: UInt64? = 0, busy: UInt64? = 0, all: UInt64? = 0, own: UInt64 = 0, switches: UInt64 = 0,
        megahertz: ClosedRange<Double>? = 2_000...2_000
    ) -> NoiseReading {
        NoiseReading(
            stealTicks: stolen, busyTicks: busy, allTicks: all, ownTicks: own, involuntarySwitches: switches,
            megahertz: megahertz)
    }

    @Test func `noise is the difference between two readings`() throws {
        let noise = MachineNoise(
            from: Self.reading(stolen: 100, all: 10_000, switches: 7, megahertz: 2_000...2_400),
            to: Self.reading(
                stolen: 130, busy: 500, all: 11_000, own: 450, switches: 19, megahertz: 1_900...2_100))
        #expect(try abs(#require(noise.stealShare) - 0.03) < 1e-12)
        #expect(noise.involuntarySwitches == 12)
        #expect(noise.megahertz == 1_900...2_400)
        #expect(noise.othersShare == 0.05)
    }

    @Test func `unreadable figures are not measured`() {
        let nothing = Self.reading(stolen: nil, busy: nil, all: nil, megahertz: nil)
        let noise = MachineNoise(from: nothing, to: nothing)
        #expect(noise.stealShare == nil && noise.megahertz == nil && noise.othersShare == nil)
        #expect(noise.warnings.isEmpty)
    }

    @Test func `work of this process and of its children is not that of others`() {
        let noise = MachineNoise(from: Self.reading(), to: Self.reading(busy: 1_900, all: 2_000, own: 1_901))
        #expect(noise.othersShare == 0)
        #expect(noise.warnings.isEmpty)
    }

    @Test func `counters that run backwards give no figure`() {
        let noise = MachineNoise(
            from: Self.reading(stolen: 50, all: 1_000, switches: 9), to: Self.reading(stolen: 10, all: 2_000))
        #expect(noise.stealShare == nil)
        #expect(noise.involuntarySwitches == 0)
        #expect(MachineNoise(from: Self.reading(), to: Self.reading()).stealShare == nil)
    }

    @Test func `a quiet machine gets no warning, up to the limits`() {
        let noise = MachineNoise(
            from: Self.reading(all: 1, megahertz: 1_800...2_000),
            to: Self.reading(stolen: 2, busy: 5, all: 101, megahertz: 1_800...2_000))
        #expect(noise.stealShare == 0.02 && noise.othersShare == 0.05)
        #expect(noise.warnings == [])
    }

    @Test func `the shares of an instant are not known`() {
        let noise = MachineNoise(from: Self.reading(), to: Self.reading(stolen: 1, busy: 4, all: 99, own: 0))
        #expect(noise.stealShare == nil && noise.othersShare == nil && noise.warnings.isEmpty)
    }

    @Test func `each kind of noise is a line that says what it means`() {
        let noise = MachineNoise(
            from: Self.reading(megahertz: 1_200...2_000), to: Self.reading(stolen: 123, busy: 500, all: 1_000, own: 430)
        )
        #expect(
            noise.warnings == [
                "CPU steal was 12.3 %, the cores' time that the host gave to others: times and throughput are worse than they "
                    + "would be",
                "other processes used 7.0 % of the cores' time: times and throughput are worse than they would be",
                "the cores ran at 1200 to 2000 MHz: times of different moments are hard to compare",
            ])
    }

    #if os(Linux)
        @Test func `this machine reports its ticks, and they increase`() throws {
            let first = NoiseReading.current()
            let all = try #require(first.allTicks)
            #expect(try #require(first.stealTicks) <= all)
            #expect(try #require(NoiseReading.current().allTicks) >= all)
            #expect(try #require(first.busyTicks) <= all)
        }
    #endif

    @Test func `the parts of an operation have a cost`() {
        let costs = BasicCosts.round(nanoseconds: 1_000_000)
        for cost in [costs.emptyLoop, costs.clockRead, costs.record, costs.floor] {
            #expect(cost.isFinite && cost > 0)
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct HarnessOverheadTests {
    @Test
    func `the harness measures its own cost`() {
        let overhead = HarnessOverhead.measure()
        #expect(overhead.clockReadNanoseconds > 0)
        #expect(overhead.recordNanoseconds > 0)
    }
}
