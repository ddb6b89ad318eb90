package uri

// Rules describe the URIs of a scheme. A nil *Rules means an unknown scheme. In a known one an empty path after an authority is "/" (RFC 3986
// §6.2.3).
type Rules struct {
	DefaultPort  int  // omitted in the canonical form; 0: none
	Hierarchical bool // the path has segments, and dot segments are special
	Fold         Fold // parts whose case does not matter
	SecretUser   bool // the user name is a secret (snmp: the community, RFC 4088)
	NameOnly     bool // Equal ignores query and fragment (urn: RFC 8141 §3.2)
}

// Fold is a set of parts of a URI, besides scheme and host, in which case does not matter.
type Fold uint8

const (
	FoldDomain Fold = 1 << iota // the path after the last "@": mailto (RFC 6068), sip
	FoldPrefix                  // the path before the first ":": urn's NID (RFC 8141 §3.1)
)
