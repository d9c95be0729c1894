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

    @Test func `a load that saw a write may not insert, a later one may`() {
        var register = LoadRegister<Int>()
        let overtaken = register.begin(1)
        register.noteWrite(to: 1)
        let later = register.begin(1)
        let mayInsert = [overtaken, later].map { register.end($0) }
        #expect(mayInsert == [false, true])
    }

    @Test func `of loads that overlap, the first one that ends inserts`() {
        var register = LoadRegister<Int>()
        let loads = (0..<3).map { _ in register.begin(1) }
        let failed = register.end(loads[0], inserts: false)
        let mayInsert = [loads[2], loads[1]].map { register.end($0, inserts: true) }
        #expect(failed && mayInsert == [true, false])
        let later = register.begin(1)
        let laterInserts = register.end(later, inserts: true)
        #expect(laterInserts)
        #expect(register.loads.isEmpty)
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

    @Test func `a load does not take a newer load of the same key for itself`() {
        var register = LoadRegister<Int>()
        let old = register.begin(1)
        register.noteWrite(to: 1)
        let new = register.begin(1)
        register.noteWrite(to: 1)
        register.noteWrite(to: 1)
        let newest = register.begin(1)
        var mayInsert = [register.end(old)]
        #expect(register.joinable(1)?.number == newest.number)
        mayInsert += [register.end(new), register.end(newest)]
        #expect(mayInsert == [false, false, true])
        #expect(register.loads.isEmpty)
    }

    @Test func `a load is joined until it ends, is overtaken or is abandoned`() {
        var register = LoadRegister<Int>()
        #expect(register.joinable(1) == nil)
        let ended = register.begin(1)
        #expect(register.joinable(1)?.number == ended.number)
        register.end(ended)
        #expect(register.joinable(1) == nil)
        let overtaken = register.begin(1)
        register.noteWrite(to: 1)
        #expect(register.joinable(1) == nil)
        let abandoned = register.begin(1)
        let isAbandoned = register.abandon(abandoned)
        #expect(isAbandoned)
        #expect(register.joinable(1) == nil)
        let all = register.begin(1)
        register.noteRemovalOfAll()
        #expect(register.joinable(1) == nil)
        let mayInsert = [overtaken, abandoned, all].map { register.end($0) }
        #expect(mayInsert == [false, false, false])
    }

    @Test func `a write prevents inserts by loads that began before its end`() {
        var register = LoadRegister<Int>()
        let before = register.begin(1)
        let mayWrite = register.beginWrite(to: 1)
        let during = register.begin(1)
        var landings = [before, during].map { register.beginLanding($0) }
        register.end(before)
        register.endWrite(to: 1)
        #expect(register.joinable(1) == nil)
        landings.append(register.beginLanding(during))
        register.end(during)
        let after = register.begin(1)
        landings.append(register.beginLanding(after))
        register.endLanding(after)
        register.end(after)
        #expect(mayWrite && landings == [false, false, false, true])
        #expect(register.loads.isEmpty && register.landingCount == 0)
    }

    @Test func `a load that is inserting is not abandoned, and still joined`() {
        var register = LoadRegister<Int>()
        let load = register.begin(1)
        let lands = register.beginLanding(load)
        let isAbandoned = register.abandon(load)
        #expect(lands && !isAbandoned && register.joinable(1)?.number == load.number)
        let mayWrite = register.beginWrite(to: 1)
        #expect(!mayWrite)
        register.endLanding(load)
        register.end(load)
        register.endWrite(to: 1)
        #expect(register.loads.isEmpty)
    }

    @Test func `a write waits for an insert by a load of its key, and not of another key`() {
        var register = LoadRegister<Int>()
        let load = register.begin(1)
        let lands = register.beginLanding(load)
        let mayWrite = [2, 1].map { register.beginWrite(to: $0) }
        let mayClear = register.beginRemovalOfAll()
        #expect(lands && mayWrite == [true, false] && !mayClear && register.isLanding(1))
        register.endLanding(load)
        #expect(!register.isLanding(1) && register.landingCount == 0)
        register.end(load)
        register.endWrite(to: 1)
        register.endWrite(to: 2)
        let late = register.begin(3)
        let landsDuringClear = register.beginLanding(late)
        #expect(!landsDuringClear)
        register.endRemovalOfAll()
        register.end(late)
        #expect(register.loads.isEmpty)
    }
}
