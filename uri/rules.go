package uri

// Rules is what a scheme knows about its URIs; package uri has no list of
// schemes. A nil *Rules knows nothing; with any, a void path after an authority
// is "/" (RFC 3986 §6.2.3).
type Rules struct {
	DefaultPort  int  // left out of the canonical form; 0: none
	Hierarchical bool // the path is made of segments: dot segments count
	Fold         Fold // parts whose case does not matter
	SecretUser   bool // the user name is the secret (snmp: the community, RFC 4088)
	NameOnly     bool // query and fragment are no part of what is compared (urn: RFC 8141 §3.2)
}

// Fold is a set of parts of a URI in which case does not matter, besides the
// scheme and the host.
type Fold uint8

const (
	FoldDomain Fold = 1 << iota // of the path, what follows the last "@": mailto (RFC 6068), sip
	FoldPrefix                  // of the path, what precedes the first ":": urn's NID (RFC 8141 §3.1)
	FoldPath                    // the whole path
	FoldQuery                   // the query
)
