import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct LoadRegisterTests {
    @Test func `a load that saw no write may insert`() {
        var register = LoadRegister<Int>()
        let ticket = register.begin(1)
        register.noteWrite(to: 2)
        let mayInsert = register.end(ticket)
        #expect(mayInsert)
    }

    @Test func `a load that saw a write may not insert, one that begins later may`() {
        var register = LoadRegister<Int>()
        let overtaken = register.begin(1)
        register.noteWrite(to: 1)
        let later = register.begin(1)
        let mayInsert = [overtaken, later].map { register.end($0) }
        #expect(mayInsert == [false, true])
    }

    @Test func `removing all overtakes every load`() {
        var register = LoadRegister<Int>()
        let tickets = (0..<3).map { register.begin($0) }
        register.noteRemovalOfAll()
        #expect(register.count == 3)
        let mayInsert = tickets.map { register.end($0) }
        #expect(mayInsert == [false, false, false])
        #expect(register.loads.isEmpty)
    }
}
