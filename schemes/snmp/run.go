package snmp

import (
	"context"
	"encoding/hex"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"github.com/gosnmp/gosnmp"
)

// Run asks, and for a subtree asks as far as to the first object.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := readingOf(p.URI)
	if err != nil {
		return nil, err
	}
	a, err := open(ctx, p, env, &r)
	if err != nil {
		return nil, err
	}
	w := newWalk(a, p, &r)
	first, err := w.next()
	if err == io.EOF {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the agent has no such object")
	}
	if err != nil {
		return nil, err
	}
	if p.Shape == fetch.ShapeDocument {
		return value(first, w.entry(first)), nil
	}
	if r.What == whatSubtree && p.Options.Get(setRows) == "yes" {
		return listing(w.rows(&r, first)), nil
	}
	return listing(w.entries(first)), nil
}

func listing(entries iter.Seq2[fetch.Entry, error]) *fetch.Document {
	d := fetch.NewListing(entries)
	d.TypeReason = "objects of an agent"
	return d
}

// entries yields the objects as they come.
func (w *walk) entries(first gosnmp.SnmpPDU) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for pdu, err := first, error(nil); err != io.EOF; pdu, err = w.next() {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if !yield(w.entry(pdu), nil) {
				return
			}
		}
	}
}

// engine is the contextEngineID in octets, "" for the agent's own.
func (r *parts) engine() string {
	if r.EngineID == nil {
		return ""
	}
	b, _ := hex.DecodeString(*r.EngineID)
	return string(b)
}

// A walk is the objects of one or several subtrees, or of one PDU.
type walk struct {
	*agent
	step  fetch.Step
	kind  gosnmp.PDUType
	again bool
	most  int
	head  []string // the step's arguments before the OIDs
	where string   // the URI of the context

	roots []string // the subtrees that are not at their end
	at    []string // where each of them is
	found []gosnmp.SnmpPDU
	bad   error // what comes behind those that were found
	over  bool
}

// newWalk takes the PDU from the Plan: the OIDs stand last, behind context, engine and max.
func newWalk(a *agent, p *fetch.Plan, r *parts) *walk {
	w := &walk{agent: a, step: p.Steps[len(p.Steps)-1], most: 1, where: r.contextURI(p.URI)}
	oids := w.step.Args[len(r.where()):]
	switch w.step.Verb {
	case "GETBULK":
		w.kind, w.most, oids = gosnmp.GetBulkRequest, bulkOf(oids[1]), oids[2:]
	case "GETNEXT":
		w.kind = gosnmp.GetNextRequest
	default:
		w.kind = gosnmp.GetRequest
	}
	w.head = w.step.Args[:len(w.step.Args)-len(oids)]
	w.again = w.step.Repeat != ""
	w.roots, w.at = append(w.roots, oids...), append(w.at, oids...)
	return w
}

// next returns the next object, and io.EOF behind the last.
func (w *walk) next() (gosnmp.SnmpPDU, error) {
	for len(w.found) == 0 {
		if w.bad != nil {
			return gosnmp.SnmpPDU{}, w.bad
		}
		if w.over || len(w.roots) == 0 {
			return gosnmp.SnmpPDU{}, io.EOF
		}
		if err := w.turn(); err != nil {
			w.bad = err
			continue
		}
		w.over = w.over || !w.again
	}
	pdu := w.found[0]
	w.found = w.found[1:]
	return pdu, nil
}

// turn sends one PDU.
func (w *walk) turn() error {
	step := w.step
	step.Args = append(append([]string(nil), w.head...), w.at...)
	result, err := w.ask(step, w.kind, w.at, w.most)
	if err != nil {
		return err
	}
	switch {
	case result.Error == gosnmp.NoError:
		return w.take(result.Variables)
	case result.Error == gosnmp.TooBig && w.kind == gosnmp.GetBulkRequest && w.most > 1:
		w.most /= 2
		w.head = append(w.head[:len(w.head)-1:len(w.head)-1], strconv.Itoa(w.most))
		return nil
	case result.Error == gosnmp.NoSuchName && w.again: // version 1's end of the database
		w.end(max(0, int(result.ErrorIndex)-1))
		return nil
	}
	return failure(result)
}

// take sorts the objects of an answer: to the nth of the subtrees belongs each nth of them. What is not above the one before it would
// go round for ever.
func (w *walk) take(list []gosnmp.SnmpPDU) error {
	if len(list) == 0 {
		return fetch.Errorf(fetch.ErrProtocol, "the agent's answer has no objects")
	}
	if !w.again {
		return w.takeOnce(list)
	}
	done := make([]bool, len(w.roots))
	for i, pdu := range list {
		k := i % len(w.roots)
		pdu.Name = strings.TrimPrefix(pdu.Name, ".")
		switch {
		case done[k]:
		case pdu.Type == gosnmp.EndOfMibView || !within(pdu.Name, w.roots[k]):
			done[k] = true
		case compare(pdu.Name, w.at[k]) <= 0:
			w.bad = fetch.Errorf(fetch.ErrProtocol, "the agent's walk does not go up: %s behind %s", pdu.Name, w.at[k])
			return nil
		default:
			w.at[k] = pdu.Name
			w.found = append(w.found, pdu)
		}
	}
	for k := len(done) - 1; k >= 0; k-- {
		if done[k] || k >= len(list) {
			w.end(k)
		}
	}
	return nil
}

// end leaves a subtree out of what follows.
func (w *walk) end(k int) {
	if k >= len(w.roots) {
		k = len(w.roots) - 1
	}
	w.roots = append(w.roots[:k:k], w.roots[k+1:]...)
	w.at = append(w.at[:k:k], w.at[k+1:]...)
}

// takeOnce keeps the objects that are there.
func (w *walk) takeOnce(list []gosnmp.SnmpPDU) error {
	if len(list) > len(w.at) {
		return fetch.Errorf(fetch.ErrProtocol, "the agent answers with %d objects for %d", len(list), len(w.at))
	}
	for i, pdu := range list {
		pdu.Name = strings.TrimPrefix(pdu.Name, ".")
		order := compare(pdu.Name, w.at[i])
		switch {
		case isException(pdu.Type):
		case w.kind == gosnmp.GetRequest && order != 0, w.kind == gosnmp.GetNextRequest && order <= 0:
			return fetch.Errorf(fetch.ErrProtocol, "the agent answers %s for %s", pdu.Name, w.at[i])
		default:
			w.found = append(w.found, pdu)
		}
	}
	w.over = true
	return nil
}

func isException(t gosnmp.Asn1BER) bool {
	return t == gosnmp.NoSuchObject || t == gosnmp.NoSuchInstance || t == gosnmp.EndOfMibView
}

// failure is what an error-status means: RFC 3416 section 3.
func failure(result *gosnmp.SnmpPacket) error {
	kind := fetch.ErrProtocol
	switch result.Error {
	case gosnmp.TooBig:
		kind = fetch.ErrLimit
	case gosnmp.NoSuchName:
		kind = fetch.ErrNotFound
	case gosnmp.GenErr, gosnmp.ResourceUnavailable:
		kind = fetch.ErrUnavailable
	case gosnmp.NoAccess, gosnmp.AuthorizationError:
		kind = fetch.ErrRefused
	}
	return fetch.Errorf(kind, "the agent says %s", result.Error)
}
