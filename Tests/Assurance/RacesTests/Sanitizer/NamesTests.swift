import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct NamesTests {
    @Test(arguments: [
        ("$s4racy5CacheC6insertyyq__xtF", "racy.Cache.insert(B, A) -> ()"),
        ("_$s4racy5CacheC6insertyyq__xtF", "racy.Cache.insert(B, A) -> ()"),
        ("pthread_create", "pthread_create"), ("$s", "$s"), ("$sé", "$sé"), ("", ""), ("$s\0x", "$s\0x"),
    ])
    func `mangled names become readable, others stay`(name: String, expected: String) {
        var demangler = Demangler()
        #expect(demangler.name(name) == expected)
        #expect(demangler.name(name) == expected)
    }

    @Test func `each name in a line is replaced`() {
        var demangler = Demangler()
        let line = Array("  Location is global '$s4racy1MV' in ($s4racy1MV+0x1) $ $$ a$s4racy1MV".utf8)[...]
        #expect(demangler.line(line) == "  Location is global 'racy.M' in (racy.M+0x1) $ $$ a$s4racy1MV")
    }

    @Test(arguments: [
        ("racy.Cache.insert(B, A) -> ()", "Cache.insert(B, A)"),
        ("static samples.M.main() async -> ()", "M.main()"),
        ("(1) suspend resume partial function for static samples.M.main() async -> ()", "M.main()"),
        (
            "partial apply forwarder for closure #1 @Sendable () -> () in static racy.M.main() -> ()",
            "closure #1 in M.main()"
        ),
        ("closure #2 () -> () in closure #1 () -> () in a.f(Swift.Int) -> ()", "closure #2 in f(Int)"),
        ("Swift._NativeDictionary.lookup(A) -> Swift.Optional<B>", "_NativeDictionary.lookup(A)"),
        ("samples.Table.entries.modify : Swift.Dictionary<Swift.String, Swift.Int>", "Table.entries.modify"),
        ("(extension in Foundation):Swift.String.data() -> Foundation.Data", "String.data()"),
        ("Foundation.(NSThreadStart in _643EAFDBA6441671515D9121EE76E49E)(Swift.Int) -> ()", "NSThreadStart(Int)"),
        ("generic specialization <Swift.Int, Swift.Int> of racy.Cache.value(A) -> B?", "Cache.value(A)"),
        ("swift::runJob(swift::Job*)", "swift::runJob(swift::Job*)"), ("pthread_create", "pthread_create"), ("", ""),
        ("a.f() async throws -> ()", "f()"),
    ])
    func `a short name is what a reader looks for`(name: String, expected: String) {
        #expect(SimplifiedName.of(name) == expected)
    }

    @Test func `a short name is short`() {
        #expect(SimplifiedName.of("a." + String(repeating: "f", count: 10_000)).count == 121)
    }
}
