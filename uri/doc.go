// Package uri parses, resolves, normalizes, compares and escapes URIs, and finds them in text. It does not use the network, and it has no
// list of schemes.
//
// # Parsing
//
// [Parse] parses a URI reference of RFC 3986 into a [URI]: a small comparable value with the original string and the offsets of its components.
// It decodes nothing. Accessors return components as [Escaped]. [Escaped.Decode] decodes one, and a [Context] escapes text for one place in a
// URI. Split a component into its parts before you decode it.
//
// # Building
//
// A [Builder] makes a URI of components: [Build] starts with a scheme, [URI.Edit] with another URI. The result parses into the same components,
// or is an error. A URI is a flag.Value and a string in JSON, and log/slog shows it without user and password.
//
// # Modes
//
// The meaning of URIs has changed since 1993. A [Mode] selects the specification: the drafts and RFC 1630, RFC 1738 and 1808, RFC 2396, or
// RFC 3986. [Mode.Resolve], [Mode.Relativize], [Mode.Normalize], [Mode.Equal], [Mode.Encode] and [Context.Escape] follow it. Methods of URI
// follow RFC 3986. In RFC3986 URIs are UTF-8; in modes before it each byte is a character of ISO Latin 1 ([Mode.Octets], [Mode.Text]).
//
// # IRIs
//
// Parse accepts IRIs and raw bytes. [URI.ASCII] converts them: text becomes UTF-8 escapes, bytes become escapes, and a host becomes its A-labels. A
// [Resolver] does it for the references of a document, as browsers do.
//
// # Rules
//
// [Rules] describe the URIs of one scheme: its default port, whether its path has segments, where case does not matter, and whether the user
// name is a secret.
//
// # Text
//
// [Find] finds URIs in running text. Package links finds those in HTML, gopher menus and text/uri-list.
//
// # Bounds
//
// A URI has at most [MaxLen] bytes. Every function takes linear time; Relativize tries a bounded number of candidates.
//
// Comments that cite D1 to D21 refer to the rows of DECISIONS.md, which say what this package does where the specifications contradict each
// other.
package uri
