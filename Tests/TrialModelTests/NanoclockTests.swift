import Testing
import TrialModel

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(1)))
struct NanoclockTests {
    @Test
    func `the clock never goes back`() {
        var last = Nanoclock.now()
        for _ in 0..<10_000 {
            let next = Nanoclock.now()
            #expect(next >= last)
            last = next
        }
    }

    @Test
    func `the clock ticks in nanoseconds`() {
        // A monotonic clock counts from about the machine's start, so it can't have reached a century in seconds.
        #expect(Nanoclock.now() > 1_000_000)
        #expect(Nanoclock.now() < 3_200_000_000_000_000_000)
    }

    @Test
    func `an end before the start is a duration of zero`() {
        #expect(Nanoclock.elapsed(from: 10, to: 25) == 15)
        #expect(Nanoclock.elapsed(from: 10, to: 10) == 0)
        #expect(Nanoclock.elapsed(from: 11, to: 10) == 0)
    }

    #if canImport(Glibc)
        @Test
        func `a wait for a past time does not block`() {
            // A sleep in the kernel gives up the processor each time, however short it is.
            let before = Self.timesGivenUp()
            for _ in 0..<1_000 { Nanoclock.sleep(until: Nanoclock.now()) }
            #expect(Self.timesGivenUp() - before < 100)
        }

        /// How often the calling thread gave up its processor voluntarily.
        private static func timesGivenUp() -> Int {
            var usage = rusage()
            // RUSAGE_THREAD, which is a macro.
            getrusage(1, &usage)
            return usage.ru_nvcsw
        }
    #endif
}
