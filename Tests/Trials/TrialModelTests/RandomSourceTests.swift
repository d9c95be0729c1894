import Testing

@testable import TrialModel

// The expected numbers come from an independent Python program: the published C code of SplitMix64 and xoshiro256**
// in integers modulo 2^64, `below(n)` as `next() * n >> 64` with Lemire's rejection, `fraction` as `(next() >> 11) *
// 2.0**-53`, and the streams as documented.
@Suite(.timeLimit(.minutes(1)))
struct RandomSourceTests {
    @Test
    func `SplitMix64 gives the published sequence`() {
        var mixer = SplitMix64(state: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in mixer.next() } == expected)
    }

    @Test
    func `xoshiro256** gives the published sequence`() {
        var random = RandomSource(state: (1, 2, 3, 4))
        let expected: [UInt64] = [
            11520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360, 607_988_272_756_665_600,
            16_172_922_978_634_559_625, 8_476_171_486_693_032_832, 10_595_114_339_597_558_777,
            2_904_607_092_377_533_576,
        ]
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test(
        arguments: [
            ([1, 2], [0x978A_FB63_81BC_AD1C, 0xD274_5941_9A21_DADF, 0xF49B_318C_5872_78FB, 0x5634_1A36_DAFB_59E1]),
            ([2, 1], [0x592E_C59C_6692_5197, 0x5642_B70C_A98B_A621]),
        ] as [([UInt64], [UInt64])])
    func `the sequence of a seed and a stream never changes`(stream: [UInt64], expected: [UInt64]) {
        var random = RandomSource(seed: 42, stream: stream[0], stream[1])
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test
    func `a source without a stream depends on the seed alone`() {
        var random = RandomSource(seed: 42)
        #expect([random.next(), random.next()] == [0x1578_0B2E_0C2E_C716, 0x6104_D986_6D11_3A7E])
    }

    @Test
    func `a bounded number is the high half of a product`() {
        var random = RandomSource(seed: 42, stream: 1, 2)
        #expect((0..<12).map { _ in random.next(below: 10) } == [5, 8, 9, 3, 9, 4, 8, 0, 3, 6, 6, 3])
    }

    @Test
    func `a bounded number rejects draws that would favour small numbers`() {
        // Half of the words are rejected with this bound.
        var random = RandomSource(seed: 42, stream: 1, 2)
        let expected: [UInt64] = [
            5_459_908_325_655_074_446, 3_105_809_304_477_609_200, 7_378_725_871_183_780_122, 706_904_085_062_394_937,
        ]
        #expect(expected.map { _ in random.next(below: 1 << 63 + 1) } == expected)
    }

    @Test
    func `a bound of 0 or 1 gives 0`() {
        var random = RandomSource(seed: 1)
        #expect(random.next(below: 0) == 0)
        #expect(random.next(below: 1) == 0)
    }

    @Test
    func `a fraction has 53 random bits`() {
        var random = RandomSource(seed: 42, stream: 1, 2)
        let expected = [0.5919644468246924, 0.8220878396188093, 0.9554930656090138, 0.3367325195240317]
        #expect(expected.map { _ in random.nextFraction() } == expected)
    }

    @Test
    func `a fraction is never 1`() {
        // The state's second word decides the result; this one gives a word of ones.
        let inverseOf9: UInt64 = 0x8E38_E38E_38E3_8E39
        let inverseOf5: UInt64 = 0xCCCC_CCCC_CCCC_CCCD
        let rotated = UInt64.max &* inverseOf9
        var random = RandomSource(state: (1, ((rotated >> 7) | (rotated << 57)) &* inverseOf5, 0, 0))
        #expect(random.nextFraction() == 1 - 0x1p-53)
    }
}
