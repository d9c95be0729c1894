/// A search for the smallest input that still shows a fault: delta debugging, one step at a time (Zeller and
/// Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).
///
/// ```swift
/// var search = ShrinkSearch(script, smaller: candidates)
/// while let candidate = search.next() { if breaks(candidate) { search.accept(candidate) } }
/// ```
///
/// The caller runs the candidates, so that it may do so in its own way: at once, in tasks, with a limit of time.
package struct ShrinkSearch<Input> {
    /// The smallest input so far.
    package private(set) var best: Input
    private let smaller: (Input) -> [Input]
    private var untried: ArraySlice<Input>

    /// - Parameter smaller: the inputs that are one step smaller, in the order in which to try them.
    package init(_ first: Input, smaller: @escaping (Input) -> [Input]) {
        best = first
        self.smaller = smaller
        untried = smaller(first)[...]
    }

    /// The next input to try; `nil` when no smaller one shows the fault.
    package mutating func next() -> Input? { untried.popFirst() }

    /// The input shows the fault as well: the search goes on from it.
    package mutating func accept(_ input: Input) {
        best = input
        untried = smaller(input)[...]
    }
}
