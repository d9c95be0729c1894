import Testing

@testable import Schedules

/// What a symbolizer answers.
@Suite(.timeLimit(.minutes(1)))
struct CodePlacesTests {
    @Test func `inlined functions come first, and what the compiler made up is no place`() {
        let answers = CodePlaces.read(
            """
            Cache.insert(_:) -> ()
            /package/Sources/Cache.swift:31:9
            protocol witness for Strategy.insert(_:) -> ()
            /package/<compiler-generated>:82:0

            ??
            ??:0:0

            """)
        #expect(
            answers == [
                [CodePlaces.Line(function: "Cache.insert(_:)", file: "/package/Sources/Cache.swift", line: 31)], [],
            ]
        )
    }
}
