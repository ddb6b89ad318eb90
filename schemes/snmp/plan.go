package snmp

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

const (
	untilOutside = "until an OID outside the subtree, or not greater"
	ifUnknown    = "the engine is not known" // RFC 5343, RFC 3414 section 4

	// systemGroup is what is read of an agent where the URI names no object: RFC 3418.
	systemGroup = "1.3.6.1.2.1.1"
)

// Plan is one PDU, or for a subtree as many as it takes.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Op != fetch.Retrieve:
		return nil, fetch.NoOperation("snmp", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "snmp has no ranges")
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "udp", Addr: addr, TLS: fetch.NoTLS, Shape: fetch.ShapeListing}
	version := o.Get(setVersion)
	switch version {
	case "", "2c", "1":
		if r.Context != "" || r.EngineID != nil {
			return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "contexts are of SNMP version 3", Hint: "--set " + setVersion + "=3"}
		}
	case "3":
		p.Steps = append(p.Steps, fetch.Step{Verb: "GET", Args: []string{"<engine>"}, If: ifUnknown})
	default:
		return nil, fetch.BadSetting(setVersion, "snmp is spoken in the versions 1, 2c and 3")
	}
	if r.What == whatObject && len(r.OIDs) == 1 {
		p.Shape = fetch.ShapeDocument
	}
	if err := checkSettings(o); err != nil {
		return nil, err
	}
	steps, err := r.steps(version, o.Get(setBulk))
	p.Steps = append(p.Steps, steps...)
	return p, err
}

// checkSettings refuses words that mean nothing.
func checkSettings(o *fetch.Options) error {
	if rows := o.Get(setRows); rows != "" && rows != "yes" && rows != "no" {
		return fetch.BadSetting(setRows, "%s is yes or no", setRows)
	}
	if _, ok := authOf(o.Get(setAuth)); !ok {
		return fetch.BadSetting(setAuth, "%s is MD5, SHA, SHA224, SHA256, SHA384 or SHA512", setAuth)
	}
	if _, ok := privOf(o.Get(setPriv)); !ok {
		return fetch.BadSetting(setPriv, "%s is DES, AES, AES192, AES256, AES192C or AES256C", setPriv)
	}
	return nil
}

// steps are the PDUs of RFC 3416 section 4.2; version 1 walks by GETNEXT.
func (r *parts) steps(version, bulk string) ([]fetch.Step, error) {
	if bulk == "" {
		bulk = "10"
	}
	if bulkOf(bulk) == 0 {
		return nil, fetch.BadSetting(setBulk, "%s is a number from 1 to 1000", setBulk)
	}
	where := r.where()
	oids, what := r.OIDs, r.What
	if what == whatAgent {
		oids, what = []string{systemGroup}, whatSubtree
	}
	switch what {
	case whatObject:
		return []fetch.Step{{Verb: "GET", Args: append(where, oids...)}}, nil
	case whatNext:
		return []fetch.Step{{Verb: "GETNEXT", Args: append(where, oids...)}}, nil
	}
	if version == "1" {
		return []fetch.Step{{Verb: "GETNEXT", Args: append(where, oids...), Repeat: untilOutside}}, nil
	}
	return []fetch.Step{{Verb: "GETBULK", Args: append(append(where, "max", bulk), oids...), Repeat: untilOutside}}, nil
}

// bulkOf reads a number from 1 to 1000, 0 where there is none.
func bulkOf(s string) int {
	n, ok := reading.Digits(s)
	if !ok || n > 1000 {
		return 0
	}
	return n
}

// where names context and engine: RFC 3411 section 3.3.
func (r *parts) where() (args []string) {
	if r.Context != "" {
		args = append(args, "context", string(r.Context))
	}
	if r.EngineID != nil {
		args = append(args, "engine", strings.ToLower(*r.EngineID))
	}
	return args
}
