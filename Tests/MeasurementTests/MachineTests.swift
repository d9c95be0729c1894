import Foundation
import Testing

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
