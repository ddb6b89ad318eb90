package snmp

import (
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/uri"
	"github.com/gosnmp/gosnmp"
)

// maxTable limits the bytes of a table, which has to be stored because it is walked column by column. maxColumns limits its columns.
const (
	maxTable   = 16 << 20
	maxColumns = 256
)

// rows yields the objects of a subtree as the rows of a table, by index, and at the end the walk's error.
func (w *walk) rows(first gosnmp.SnmpPDU) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		all, err := w.all(first)
		columns := columnsOf(w.OIDs, all)
		if len(columns) > maxColumns {
			yield(fetch.Entry{}, fetch.Errorf(fetch.ErrUnsupported, "the subtree is not a table: it has %d columns", len(columns)))
			return
		}
		for e := range rowsOf(columns, all, w.base) {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(fetch.Entry{}, err)
		}
	}
}

// all reads a walk to its end.
func (w *walk) all(first gosnmp.SnmpPDU) (list []gosnmp.SnmpPDU, err error) {
	size := 0
	for pdu := first; err == nil; pdu, err = w.next() {
		b, _ := pdu.Value.([]byte)
		if size += len(b) + len(pdu.Name) + 64; size > maxTable {
			return list, fetch.Errorf(fetch.ErrLimit, "the table is longer than %d bytes", maxTable)
		}
		if b != nil {
			pdu.Value = slices.Clone(b) // the codec returns a slice of the datagram's buffer
		}
		list = append(list, pdu)
	}
	if err == io.EOF {
		err = nil
	}
	return list, err
}

// columnsOf returns the OIDs of the columns. A URI may list them, or name one. If it names a table, the columns are below its entry, which is arc
// 1 (RFC 2578 section 7.1.12). If it names an entry or a group of scalars, the columns are directly below.
func columnsOf(asked []string, all []gosnmp.SnmpPDU) (columns []string) {
	root := asked[0]
	least, entry := 3, true
	for _, pdu := range all {
		below := pdu.Name[min(len(root)+1, len(pdu.Name)):]
		least = min(least, strings.Count(below, ".")+1)
		entry = entry && strings.HasPrefix(below, "1.")
	}
	switch {
	case len(asked) > 1:
		return asked
	case least < 2:
		return []string{root}
	case least > 2 && entry:
		root += ".1"
	}
	for _, pdu := range all {
		arc, _, _ := strings.Cut(pdu.Name[len(root)+1:], ".")
		columns = append(columns, root+"."+arc)
	}
	slices.SortFunc(columns, frames.CompareOID)
	return slices.Compact(columns)
}

// A cell is an object of a table.
type cell struct {
	column int
	pdu    *gosnmp.SnmpPDU
}

// rowsOf yields the rows of a table by index: an attribute for each cell, and the URI of its cells.
func rowsOf(columns []string, all []gosnmp.SnmpPDU, base string) iter.Seq[fetch.Entry] {
	return func(yield func(fetch.Entry) bool) {
		rows := map[string][]cell{}
		for i, pdu := range all {
			k := slices.IndexFunc(columns, func(c string) bool { return within(pdu.Name, c) })
			if k >= 0 {
				index := pdu.Name[len(columns[k])+1:]
				rows[index] = append(rows[index], cell{k, &all[i]})
			}
		}
		names := make([]string, len(columns))
		for k, c := range columns {
			names[k] = nameOf(c)
		}
		for _, index := range slices.SortedFunc(maps.Keys(rows), frames.CompareOID) {
			cells := rows[index] // in another order than the columns if several were walked at once
			slices.SortFunc(cells, func(a, b cell) int { return a.column - b.column })
			if !yield(entryOf(base, index, names, cells)) {
				return
			}
		}
	}
}

func entryOf(base, index string, names []string, cells []cell) fetch.Entry {
	e := fetch.Entry{Kind: fetch.KindEntry, Title: index, Size: -1, Attr: map[string][]string{fetch.AttrColumns: names}}
	oids := []string{}
	for _, c := range cells {
		e.Attr[names[c.column]] = []string{textOf(*c.pdu)}
		oids = append(oids, c.pdu.Name)
	}
	if len(oids) <= maxOIDs {
		e.URI, _ = uri.Parse(base + "(" + strings.Join(oids, ",") + ")")
	}
	return e
}
