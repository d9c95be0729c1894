/// What the process of a control needs to know. It says nothing: the sanitizer does, and how it ends.
package struct ControlTask: Codable, Sendable {
    /// The control's name.
    package var name: String
}
