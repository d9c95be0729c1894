import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct NearestNameTests {
    @Test(arguments: [
        ("laod", "load"), ("lru2", "lru"), ("LOAD", "load"), ("barrier-nschache", "barrier-nscache"),
        ("wirte", "write"),
    ])
    func `a typing mistake finds its name`(slip: String, name: String) {
        #expect(NearestName.of(slip, in: ["load", "write", "lru", "barrier-nscache"]) == name)
    }

    @Test(arguments: ["", "fifo", "x", String(repeating: "load", count: 100)])
    func `a text without a similar name finds nothing`(name: String) {
        #expect(NearestName.of(name, in: ["load", "write", "lru"]) == nil)
    }
}
