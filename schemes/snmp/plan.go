package snmp

import (
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
	"github.com/gosnmp/gosnmp"
)

const (
	untilOutside = "until an OID outside the subtree, or not greater"
	ifUnknown    = "the engine is not known" // RFC 5343, RFC 3414 section 4

	// systemGroup is the subtree that is read if the URI does not name an object: RFC 3418.
	systemGroup = "1.3.6.1.2.1.1"
)

// plan sends one PDU, or for a subtree as many as it takes.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	if err := fetch.CheckWhole("snmp", o); err != nil {
		return nil, err
	}
	r.version = map[string]gosnmp.SnmpVersion{"": gosnmp.Version2c, "1": gosnmp.Version1, "2c": gosnmp.Version2c, "3": gosnmp.Version3}[o.Get(setVersion)]
	if r.bulk, err = urifield.Number(o, setBulk, 10, 1, 1000); err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "udp", TLS: fetch.NoTLS, Shape: fetch.ShapeListing, Run: r.run}
	if p.Addr, err = u.HostPort(port); err != nil {
		return nil, err
	}
	switch {
	case r.version == gosnmp.Version3:
		p.Steps = append(p.Steps, fetch.Step{Verb: "GET", Args: []string{"<engine>"}, If: ifUnknown})
	case r.Context != "" || r.EngineID != nil:
		return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "contexts need SNMP version 3", Hint: hint.Set + " " + setVersion + "=3"}
	}
	if r.isSingle() {
		p.Shape = fetch.ShapeDocument
	}
	p.Steps = append(p.Steps, r.step())
	return p, nil
}

// isSingle reports whether the URI names a single object, which is the document.
func (r *request) isSingle() bool { return r.What == whatObject && len(r.OIDs) == 1 }

// step chooses the PDU (RFC 3416 section 4.2). Version 1 walks by GETNEXT.
func (r *request) step() fetch.Step {
	r.targets, r.pdu = r.OIDs, gosnmp.GetBulkRequest
	switch {
	case r.What == whatObject:
		r.pdu = gosnmp.GetRequest
	case r.What == whatNext || r.version == gosnmp.Version1:
		r.pdu = gosnmp.GetNextRequest
	}
	if r.What == whatAgent {
		r.targets = []string{systemGroup}
	}
	r.walks = r.What == whatAgent || r.What == whatSubtree
	return r.stepFor(r.targets, r.bulk)
}

// stepFor returns the step of a PDU with these OIDs. It names context and engine first: RFC 3411 section 3.3.
func (r *request) stepFor(oids []string, bulk int) fetch.Step {
	var args []string
	if r.Context != "" {
		args = append(args, "context", string(r.Context))
	}
	if r.EngineID != nil {
		args = append(args, "engine", *r.EngineID)
	}
	verb := "GET"
	switch r.pdu {
	case gosnmp.GetNextRequest:
		verb = "GETNEXT"
	case gosnmp.GetBulkRequest:
		verb, args = "GETBULK", append(args, "max", strconv.Itoa(bulk))
	}
	step := fetch.Step{Verb: verb, Args: append(args, oids...)}
	if r.walks {
		step.Repeat = untilOutside
	}
	return step
}
