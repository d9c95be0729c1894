import Foundation
import Reports

/// The frame of a page: one file with its script and its style sheet, and a content security policy that forbids
/// everything else.
enum PageDocument {
    /// The whole file.
    static func html(title: String, body: String) -> String {
        let policy =
            "default-src 'none'; style-src \(source(PageStyle.sheet)); "
            + "script-src \(source(PageScript.text)); base-uri 'none'; form-action 'none'"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Markup.escaped(title))</title>
            <style>\(PageStyle.sheet)</style>
            </head>
            <body>
            <main>
            \(body)</main>
            <script>\(PageScript.text)</script>
            </body>
            </html>

            """
    }

    /// The name of a script or a style sheet in the policy, by its hash; `'none'` where the library can't compute it, so
    /// that a browser runs nothing.
    private static func source(_ text: String) -> String {
        FileDigest.bytes(ofText: text).map { "'sha256-\($0.base64EncodedString())'" } ?? "'none'"
    }
}
