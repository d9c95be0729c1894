import CCrypto
import Foundation

/// The hash by which a page's content security policy names a script or a style sheet.
enum ContentDigest {
    /// `'sha256-…'` with the SHA-256 (FIPS 180-4) of the text in Base64; `'none'` where the library can't compute it,
    /// so that a browser runs nothing. O(bytes).
    static func source(_ text: String) -> String {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard let context, EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1,
            EVP_DigestUpdate(context, bytes, bytes.count) == 1, EVP_DigestFinal_ex(context, &digest, &count) == 1
        else { return "'none'" }
        return "'sha256-\(Data(digest.prefix(Int(count))).base64EncodedString())'"
    }
}
