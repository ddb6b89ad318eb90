package snmp

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"github.com/gosnmp/gosnmp"
)

// run sends the requests up to the first object.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	a, err := r.open(ctx, p, env)
	if err != nil {
		return nil, err
	}
	w := &walk{agent: a, bulk: r.bulk, base: r.contextURI(p.URI), roots: slices.Clone(r.targets), at: slices.Clone(r.targets)}
	first, err := w.next()
	if err == io.EOF {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the agent has no such object")
	}
	if err != nil {
		return nil, err
	}
	if r.isSingle() {
		return value(first, w.entry(first)), nil
	}
	if r.What == whatSubtree && p.Options.Get(setRows) == "yes" {
		return listing(w.rows(first)), nil
	}
	return listing(w.entries(first)), nil
}

func listing(entries iter.Seq2[fetch.Entry, error]) *fetch.Document {
	d := fetch.NewListing(entries)
	d.TypeReason = "objects of an agent"
	return d
}

// entries yields the objects in the order of the responses.
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

// A walk reads the objects of one or several subtrees, or of one PDU.
type walk struct {
	*agent
	bulk int
	base string // the URI of the context

	roots []string // the unfinished subtrees
	at    []string // the last OID of each
	found []gosnmp.SnmpPDU
	err   error // after those that were found
}

// next returns the next object, and io.EOF after the last.
func (w *walk) next() (gosnmp.SnmpPDU, error) {
	for len(w.found) == 0 {
		if w.err != nil {
			return gosnmp.SnmpPDU{}, w.err
		}
		if len(w.roots) == 0 {
			return gosnmp.SnmpPDU{}, io.EOF
		}
		if err := w.advance(); err != nil {
			w.err = err
		}
	}
	pdu := w.found[0]
	w.found = w.found[1:]
	return pdu, nil
}

// advance sends one PDU.
func (w *walk) advance() error {
	result, err := w.send(w.at, w.bulk)
	if err != nil {
		return err
	}
	switch {
	case result.Error == gosnmp.NoError:
		return w.add(result.Variables)
	case result.Error == gosnmp.TooBig && w.request.pdu == gosnmp.GetBulkRequest && w.bulk > 1:
		w.bulk /= 2
		return nil
	case result.Error == gosnmp.NoSuchName && w.request.walks: // version 1's end of the database
		if w.version != gosnmp.Version1 {
			w.env.Deviates("RFC 3416 section 4.2.2", "the response", "noSuchName instead of endOfMibView")
		}
		w.end(max(0, int(result.ErrorIndex)-1))
		return nil
	}
	return failure(result)
}

// add assigns the objects of a response to the subtrees in turn. The OIDs of a subtree must ascend, or the walk might not end.
func (w *walk) add(list []gosnmp.SnmpPDU) error {
	if len(list) == 0 {
		return fetch.Errorf(fetch.ErrProtocol, "the agent's response has no objects")
	}
	if !w.request.walks {
		return w.addOnce(list)
	}
	done := make([]bool, len(w.roots))
	for i, pdu := range list {
		k := i % len(w.roots)
		pdu.Name = strings.TrimPrefix(pdu.Name, ".")
		switch {
		case done[k]:
		case pdu.Type == gosnmp.EndOfMibView || !within(pdu.Name, w.roots[k]):
			done[k] = true
		case frames.CompareOID(pdu.Name, w.at[k]) <= 0:
			w.err = fetch.Errorf(fetch.ErrProtocol, "the agent's walk does not ascend: %s after %s", pdu.Name, w.at[k])
			return nil
		default:
			w.at[k] = pdu.Name
			w.found = append(w.found, pdu)
		}
	}
	for k := len(done) - 1; k >= 0; k-- { // a subtree of which a cut response has no object (RFC 3416 section 4.2.3) goes on
		if done[k] {
			w.end(k)
		}
	}
	return nil
}

// end removes a finished subtree.
func (w *walk) end(k int) {
	if k >= len(w.roots) {
		k = len(w.roots) - 1
	}
	w.roots = append(w.roots[:k:k], w.roots[k+1:]...)
	w.at = append(w.at[:k:k], w.at[k+1:]...)
}

// addOnce adds the objects of a response to a single PDU, and requests those that it lacks. An exception in place of a value is an object, too, unless
// there is nothing else.
func (w *walk) addOnce(list []gosnmp.SnmpPDU) error {
	if len(list) > len(w.at) {
		return fetch.Errorf(fetch.ErrProtocol, "the agent sent %d objects for %d", len(list), len(w.at))
	}
	for i, pdu := range list {
		pdu.Name = strings.TrimPrefix(pdu.Name, ".")
		order := frames.CompareOID(pdu.Name, w.at[i])
		switch {
		case isException(pdu.Type):
			pdu.Name = w.at[i]
		case w.request.pdu == gosnmp.GetRequest && order != 0, w.request.pdu == gosnmp.GetNextRequest && order <= 0:
			return fetch.Errorf(fetch.ErrProtocol, "the agent sent %s for %s", pdu.Name, w.at[i])
		}
		w.found = append(w.found, pdu)
	}
	if len(list) < len(w.at) {
		w.env.Deviates("RFC 3416 section 4.2.1", "the response", "%d objects for %d", len(list), len(w.at))
		w.at = w.at[len(list):]
		return w.advance()
	}
	if !slices.ContainsFunc(w.found, func(pdu gosnmp.SnmpPDU) bool { return !isException(pdu.Type) }) {
		w.found = nil
	}
	w.roots = nil
	return nil
}

// failure returns the error that an error-status means: RFC 3416 section 3.
func failure(result *gosnmp.SnmpPacket) error {
	kind, _ := outcomes.Kind(word(result.Error))
	return fetch.Errorf(cmp.Or(kind, fetch.ErrProtocol), "the agent responded %s", result.Error)
}
