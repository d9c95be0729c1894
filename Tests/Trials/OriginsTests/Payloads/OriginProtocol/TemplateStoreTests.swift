import Testing
import TrialModel

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct TemplateStoreTests {
    /// Keeps ten blocks of about a thousand bytes.
    private let store = TemplateStore(factory: PayloadFactory(1_000, of: .bytes), byteCountMax: 10_240)

    @Test func `a template that was made is kept`() async throws {
        #expect(store.kept(1) == nil)
        let made = try await store.template(1, version: 5).encoded(version: 5)
        #expect(store.kept(1)?.encoded(version: 5) == made)
        #expect(try store.templateBlocking(1, version: 5).encoded(version: 5) == made)
        #expect(try PayloadFactory(1_000, of: .bytes).encoded(key: 1, version: 5) == made)
    }

    @Test func `the bytes kept stay within the limit`() throws {
        for key in 0..<1_000 as Range<UInt64> {
            _ = try store.templateBlocking(key % 37, version: 1)
            #expect(store.keptByteCount <= 10_240)
        }
        #expect(store.keptByteCount > 5_000)
    }

    @Test func `a template used often outlives one used once`() throws {
        for key in 0..<100 as Range<UInt64> {
            _ = try store.templateBlocking(key, version: 1)
            #expect(store.kept(0) != nil, "after \(key)")
        }
        #expect(store.kept(50) == nil)
    }

    @Test func `stores with one budget stay within it, and the one used first is emptied first`() throws {
        let budget = TemplateBudget(byteCountMax: 10_240)
        var stores = (0..<16).map { _ in
            TemplateStore(factory: PayloadFactory(1_000, of: .bytes), byteCountMax: 10_240, budget: budget)
        }
        func together() -> Int { stores.reduce(0) { $0 + $1.keptByteCount } }
        for store in stores {
            budget.use(store)
            for key in 0..<4 as Range<UInt64> { _ = try store.templateBlocking(key, version: 1) }
            #expect(together() <= 10_240)
        }
        #expect(stores.map { $0.kept(0) != nil }.suffix(3) == [false, true, true])
        // Used again, it outlives the one after it; and what is freed makes room.
        budget.use(stores[14])
        for key in 4..<7 as Range<UInt64> { _ = try stores[14].templateBlocking(key, version: 1) }
        #expect(stores.map { $0.kept(0) != nil }.suffix(2) == [true, false])
        stores.removeLast(2)
        for key in 0..<9 as Range<UInt64> { _ = try stores[0].templateBlocking(key, version: 1) }
        #expect(together() > 8_000)
    }

    @Test func `a template larger than half of the limit is made each time`() throws {
        let small = TemplateStore(factory: PayloadFactory(1_000, of: .bytes), byteCountMax: 1_500)
        #expect(try small.templateBlocking(1, version: 1).encoded(version: 1).count == 1_000)
        #expect(small.kept(1) == nil)
    }

    @Test func `preparing keeps the first keys as far as there is room`() async throws {
        try await store.prepare([0..<1_000])
        #expect(store.kept(0) != nil)
        #expect(store.kept(1) != nil)
        #expect(store.kept(100) == nil)
        #expect(store.keptByteCount > 2_000 && store.keptByteCount <= 5_120)
    }

    @Test func `preparing fewer keys than there is room for keeps all of them`() async throws {
        try await store.prepare([0..<3])
        #expect((0..<4).map { store.kept($0) != nil } == [true, true, true, false])
    }

    @Test func `concurrent callers get the same template`() async throws {
        let pictures = TemplateStore(factory: PayloadFactory(40_000, of: .image), byteCountMax: 1 << 20)
        try await withThrowingTaskGroup(of: Payload.self) { group in
            for version in 1...20 as ClosedRange<UInt64> {
                group.addTask {
                    try await Payload(encoded: pictures.template(9, version: version).encoded(version: version))
                }
            }
            var versions: Set<UInt64> = []
            for try await payload in group {
                #expect(payload.isIntact(seed: 5))
                versions.insert(payload.identity.version)
            }
            #expect(versions.count == 20)
        }
    }
}
