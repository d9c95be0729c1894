import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Checks that a text is XML, and lists its elements.
enum XMLParsing {
    private final class Names: NSObject, XMLParserDelegate {
        var found: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            found.append(name)
        }
    }

    /// The names of all elements in order.
    ///
    /// - Throws: the parser's error when the text is not well formed.
    static func elements(_ text: String) throws -> [String] {
        let parser = XMLParser(data: Data(text.utf8))
        let names = Names()
        parser.delegate = names
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
        return names.found
    }
}
