// Package uri is the URI workbench: what a name is, before anything is fetched.
// It knows no network and no list of schemes.
//
// # Reading
//
// [Parse] reads a reference of RFC 3986 into a [URI], a small comparable value
// that holds the string as it was written and where its components stand.
// Nothing is decoded and nothing is lost. A component comes as [Escaped]; text
// comes from [Escaped.Decode], and goes in through a [Context], which knows what
// must be escaped in which place. Take a component apart before you decode it.
//
// # Modes
//
// The same string has meant different things since 1993. A [Mode] names the
// specification: the drafts and RFC 1630, RFC 1738 and 1808, RFC 2396, RFC 3986.
// [Mode.Resolve], [Mode.Relativize], [Mode.Normalize], [Mode.Equal],
// [Mode.Encode] and [Context.Escape] follow it. The methods of URI without a
// mode are those of RFC 3986. In the modes before it an octet is a character of
// ISO Latin 1, in RFC3986 it is a part of UTF-8 ([Mode.Octets], [Mode.Text]).
//
// # Rules
//
// What only a scheme knows (its port, whether its path has segments, where case
// does not matter, whether the user name is the secret) comes in as [Rules].
//
// # Text
//
// [Find] finds URIs in running text; package links those of HTML, of gopher
// menus and of text/uri-list.
//
// # Bounds
//
// A URI has at most [MaxLen] octets. Every function takes time linear in its
// input; but a relative form is sought among a bounded number of candidates,
// each of which is tried.
//
// Decisions numbered D1 to D21 are the project's answers where the
// specifications contradict each other or themselves; the rows of testdata/uri
// whose basis is "decision" show what each comes to.
package uri
