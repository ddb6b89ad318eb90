package snmp

import (
	"encoding/hex"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
	"github.com/gosnmp/gosnmp"
)

// What to request for an OID.
const (
	whatObject  = "object"
	whatNext    = "next"    // "+"
	whatSubtree = "subtree" // ".*"
	whatAgent   = "agent"   // no OID: the context itself
)

const maxOIDs = 64 // in one PDU; RFC 3416 has no limit, but a datagram has

// A request is a parsed snmp URI (RFC 4088 section 3), with what the options add to it.
type request struct {
	Scheme   string       `json:"scheme"`
	Host     string       `json:"host"`
	Port     int          `json:"port"`
	User     bool         `json:"has_security_name"` // the name itself is a secret
	Context  fetch.Octets `json:"context"`           // decoded
	EngineID *string      `json:"engine_id"`         // hex
	What     string       `json:"what"`
	OIDs     []string     `json:"oids"`

	engine  string // decoded, "" for the agent's own
	version gosnmp.SnmpVersion
	pdu     gosnmp.PDUType
	targets []string // the OIDs of the first PDU
	walks   bool     // the PDU is repeated
	bulk    int
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	urifield.Map(m.Text, &r.Context)
	return *r, nil
}

func parse(u uri.URI) (*request, error) {
	r := &request{Scheme: "snmp", Host: u.Hostname(), Port: u.PortNumber(port), What: whatAgent, OIDs: []string{}}
	_, r.User = u.Userinfo()
	_, query := u.Query()
	switch {
	case r.Host == "":
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "host missing in an snmp URI")
	case query:
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "an snmp URI cannot have a query (RFC 4088 section 3)")
	}
	context, oids, both := strings.Cut(strings.TrimPrefix(string(u.Path()), "/"), "/")
	if !both && looksLikeOID(context) {
		context, oids = "", context
	}
	if err := r.context(context); err != nil || oids == "" {
		return r, err
	}
	return r, r.oids(uri.Escaped(oids).Decode())
}

// looksLikeOID reports whether a lone segment is an OID rather than the name of a context.
func looksLikeOID(s string) bool {
	return strings.Contains(s, ".") && s[0] >= '0' && s[0] <= '9' && strings.Trim(s, "0123456789.*+") == "" || strings.HasPrefix(s, "(")
}

// context parses contextName [ ";" contextEngineID ].
func (r *request) context(raw string) error {
	name, engine, has := strings.Cut(raw, ";")
	r.Context = fetch.Octets(uri.Escaped(name).Decode())
	if !has {
		return nil
	}
	b, err := hex.DecodeString(engine)
	if err != nil || len(b) < 5 || len(b) > 32 { // RFC 3411 section 5, SnmpEngineID
		return fetch.Errorf(fetch.ErrRefusedURL, "an engine ID must have 5 to 32 bytes in hexadecimal")
	}
	engine = strings.ToLower(engine)
	r.EngineID, r.engine = &engine, string(b)
	return nil
}

// oids parses, with names for prefixes, ( oid / "(" oid *( "," oid ) ")" ) [ "+" / ".*" ].
func (r *request) oids(s string) error {
	r.What = whatObject
	if rest, ok := strings.CutSuffix(s, "+"); ok {
		r.What, s = whatNext, rest
	} else if rest, ok := strings.CutSuffix(s, ".*"); ok {
		r.What, s = whatSubtree, rest
	}
	list := []string{s}
	if in, ok := strings.CutPrefix(s, "("); ok {
		if in, ok = strings.CutSuffix(in, ")"); !ok {
			return fetch.Errorf(fetch.ErrRefusedURL, "a group of OIDs must end with a parenthesis")
		}
		list = strings.Split(in, ",")
	}
	if len(list) > maxOIDs {
		return fetch.Errorf(fetch.ErrRefusedURL, "more than %d OIDs", maxOIDs)
	}
	for i, o := range list {
		list[i] = numberOf(o)
		if !isOID(list[i]) {
			return fetch.Errorf(fetch.ErrRefusedURL, "an OID must consist of at least two numbers and dots (RFC 3061)")
		}
	}
	r.OIDs = list
	return nil
}

// isOID reports whether s has 2 to 128 arcs of 32 bits (RFC 3416 section 4.1). The first is 0, 1 or 2, and the second below 40 under 0 and 1.
func isOID(s string) bool {
	arcs := strings.Split(s, ".")
	if len(arcs) < 2 || len(arcs) > 128 {
		return false
	}
	for i, a := range arcs {
		n, err := strconv.ParseUint(a, 10, 32)
		if err != nil || a[0] == '+' || len(a) > 1 && a[0] == '0' || i == 0 && n > 2 || i == 1 && n > 39 && arcs[0] != "2" {
			return false
		}
	}
	return true
}
