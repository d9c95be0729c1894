import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct LoadRegisterTests {
    @Test func `a load that saw no write may insert`() {
        var register = LoadRegister<Int>()
        let ticket = register.begin(1)
        register.noteWrite(to: 2)
        #expect(register.end(ticket))
    }

    @Test func `a load that saw a write may not insert, one that begins later may`() {
        var register = LoadRegister<Int>()
        let overtaken = register.begin(1)
        register.noteWrite(to: 1)
        let later = register.begin(1)
        #expect(!register.end(overtaken))
        #expect(register.end(later))
    }

    @Test func `removing all overtakes every load`() {
        var register = LoadRegister<Int>()
        let tickets = (0..<3).map { register.begin($0) }
        register.noteRemovalOfAll()
        #expect(register.count == 3)
        #expect(tickets.allSatisfy { !register.end($0) })
        #expect(register.loads.isEmpty)
    }
}
