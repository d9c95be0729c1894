import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct NearestNameTests {
    @Test(arguments: [
        ("laod", "load"), ("lru2", "lru"), ("LOAD", "load"), ("barrier-nschache", "barrier-nscache"),
        ("wirte", "write"),
    ])
    func `a slip of the keyboard finds its name`(slip: String, name: String) {
        #expect(NearestName.of(slip, in: ["load", "write", "lru", "barrier-nscache"]) == name)
    }

    @Test(arguments: ["", "fifo", "x", String(repeating: "load", count: 100)])
    func `a name with nothing near finds nothing`(name: String) {
        #expect(NearestName.of(name, in: ["load", "write", "lru"]) == nil)
    }
}
