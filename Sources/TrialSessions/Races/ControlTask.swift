/// The request to the process of a control. It answers nothing: the sanitizer's report and the exit code are the
/// answer.
package struct ControlTask: Codable, Sendable {
    /// The control's name.
    package var name: String
}
