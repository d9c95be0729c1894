import Testing
import TrialModel

@testable import Traces

/// A small hand-written trace, and its content.
struct FormatSample: Sendable, CustomTestStringConvertible {
    let format: TraceFormat
    let bytes: [UInt8]
    let requests: [TraceRequest]

    var testDescription: String { format.rawValue }

    private init(_ format: TraceFormat, _ text: String, _ requests: [TraceRequest]) {
        self.init(format, Array(text.utf8), requests)
    }

    private init(_ format: TraceFormat, _ bytes: [UInt8], _ requests: [TraceRequest]) {
        self.format = format
        self.bytes = bytes
        self.requests = requests
    }

    private static func keys(_ keys: UInt64...) -> [TraceRequest] { keys.map { TraceRequest(key: $0) } }

    static let all = [
        FormatSample(.arc, "7 1 0 0\n100 3 0 1\n7 1 0 2\n", keys(7, 100, 101, 102, 7)),
        FormatSample(.lirs, "5\r\n*\r\n9 \r\n5\r\n18446744073709551615\r\n\r\n", keys(5, 9, 5, .max)),
        FormatSample(.cache2k, Bytes.cache2k(0, 1, 2, 0, 3), keys(0, 1, 2, 0, 3)),
        FormatSample(
            .oracleGeneral,
            Bytes.oracleGeneral(10, 0xFFFF_FFFF_FFFF_FFFF, 512, 3) + Bytes.oracleGeneral(11, 7, 1, -1)
                + Bytes.oracleGeneral(4_000_000_000, 0xFFFF_FFFF_FFFF_FFFF, .max, -1),
            [
                TraceRequest(key: .max, timeNanoseconds: 10_000_000_000, size: 512, nextAccess: 3),
                TraceRequest(key: 7, timeNanoseconds: 11_000_000_000, size: 1, nextAccess: -1),
                TraceRequest(
                    key: .max, timeNanoseconds: 4_000_000_000_000_000_000, size: 4_294_967_295, nextAccess: -1),
            ]),
        FormatSample(.keys, "v2/a\nv2\n0 ü,x\nv2/a\n", keys(0, 1, 2, 0)),
        FormatSample(
            .csv, "time,key,size,operation,lifetime\n1.5,30,10,read,\n2,31,20,SET,60\n2.000000001,30,0,delete,0\n",
            [
                TraceRequest(key: 30, timeNanoseconds: 1_500_000_000, size: 10),
                TraceRequest(key: 31, timeNanoseconds: 2_000_000_000, size: 20, operation: .write, lifetimeSeconds: 60),
                TraceRequest(key: 30, timeNanoseconds: 2_000_000_001, size: 0, operation: .remove),
            ]),
        FormatSample(
            .tsv, "size\tunknown\tKey\n5\t\"\ta,\"b\n6\tx\tc\n5\t\ta,\"b\n",
            [TraceRequest(key: 0, size: 5), TraceRequest(key: 1, size: 6), TraceRequest(key: 0, size: 5)]),
        FormatSample(
            .twitter, "0,q:1,2,100,5,get,0\n0,a,b,1,3,5,set,3600\n1,q:1,2,100,5,delete,0\n",
            [
                TraceRequest(key: 0, timeNanoseconds: 0, size: 102),
                TraceRequest(key: 1, timeNanoseconds: 0, size: 4, operation: .write, lifetimeSeconds: 3600),
                TraceRequest(key: 0, timeNanoseconds: 1_000_000_000, size: 102, operation: .remove),
            ]),
        FormatSample(
            .msr,
            "128166372003061629,hm,0,Read,383496192,32768,413\n128166372016382155,hm,1,Write,4096,512,9\n"
                + "128166372016382156,hm,0,Write,0,512,9\n",
            [
                TraceRequest(key: 383_496_192, timeNanoseconds: 12_816_637_200_306_162_900, size: 32768),
                TraceRequest(
                    key: 1 << 52 | 4096, timeNanoseconds: 12_816_637_201_638_215_500, size: 512, operation: .write),
                TraceRequest(key: 0, timeNanoseconds: 12_816_637_201_638_215_600, size: 512, operation: .write),
            ]),
        FormatSample(
            .redis,
            "OK\n1.5 [0 a:1] \"SET\" \"x\" \"12\" \"EX\" \"60\"\n2.0 [0 a:1] \"get\" \"y\"\n3.0 [0 a:1] \"del\" \"x\"\n",
            [
                TraceRequest(key: 0, timeNanoseconds: 1_500_000_000, size: 2, operation: .write, lifetimeSeconds: 60),
                TraceRequest(key: 1, timeNanoseconds: 2_000_000_000, size: 0),
                TraceRequest(key: 0, timeNanoseconds: 3_000_000_000, size: 0, operation: .remove),
            ]),
    ]
}
