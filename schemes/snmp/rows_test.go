package snmp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/uri"
	"github.com/gosnmp/gosnmp"
)

// shownRows are the rows of a table: index, and cells by name; a cell that is not there is left out.
func shownRows(t *testing.T, s string, o *fetch.Options) (list []string, err error) {
	t.Helper()
	c := fetch.New(Scheme())
	defer c.Close()
	for e, err := range c.Entries(t.Context(), uri.MustParse(s), o) {
		if err != nil {
			return list, err
		}
		line := e.Title + ":"
		for _, name := range e.Attr[fetch.AttrColumns] {
			if v := e.Attr[name]; v != nil {
				line += fmt.Sprintf(" %s=%q", name, v[0])
			}
		}
		list = append(list, line)
	}
	return list, nil
}

func TestRows(t *testing.T) {
	srv := agentOf(t, nil)
	table := []string{
		`1: ifDescr="lo" ifOperStatus="1"`,
		`2: ifDescr="eth0" ifPhysAddress="\x00\x1a\xff" ifOperStatus="2"`,
		`10: ifOperStatus="-42"`,
	}
	for path, want := range map[string][]string{
		"//ifTable.*":                table,
		"//ifEntry.*":                table,
		"//ifDescr.*":                {`1: ifDescr="lo"`, `2: ifDescr="eth0"`},
		"//(ifOperStatus,ifDescr).*": {`1: ifOperStatus="1" ifDescr="lo"`, `2: ifOperStatus="2" ifDescr="eth0"`, `10: ifOperStatus="-42"`},
		"//ifXTable.*":               {`1: ifHCInOctets="9223372036854775808"`},
		"//system.*":                 {`0: sysObjectID="1.3.6.1.4.1.32473.128.16384" sysUpTime="366212" sysName="lab.test"`},
	} {
		for _, o := range []*fetch.Options{set("snmp.rows", "yes"), set("snmp.rows", "yes", "snmp.version", "1"),
			set("snmp.rows", "yes", "snmp.bulk", "2")} {
			if got, err := shownRows(t, srv.URL+path, o); !reflect.DeepEqual(got, want) || err != nil {
				t.Errorf("%s %v: got %q, %v, want %q", path, o.Set, got, err, want)
			}
		}
	}
	if _, err := shownRows(t, srv.URL+"//ifTable.*", set("snmp.rows", "maybe")); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("maybe: got %v, want kind %s", err, fetch.ErrUnsupported)
	}
	if got, err := shownRows(t, agentOf(t, &snmptest.Options{Circle: true}).URL+"//1.3.6.1.2.1.2.*",
		set("snmp.rows", "yes")); len(got) == 0 || err != nil {
		t.Errorf("got %q, %v, want rows", got, err)
	}
	if got, err := shownRows(t, agentOf(t, &snmptest.Options{Circle: true}).URL+"//1.3.6.1.*", set("snmp.rows", "yes")); len(got) == 0 ||
		fetch.KindOf(err) != fetch.ErrProtocol {
		t.Errorf("a walk that fails: got %q, %v, want rows and kind %s", got, err, fetch.ErrProtocol)
	}
}

// TestRowsLeadBack: the URI of a row requests its cells.
func TestRowsLeadBack(t *testing.T) {
	srv := agentOf(t, nil)
	c := fetch.New(Scheme())
	defer c.Close()
	for e, err := range c.Entries(t.Context(), uri.MustParse(srv.URL+"//ifTable.*"), set("snmp.rows", "yes")) {
		if err != nil {
			t.Fatal(err)
		}
		_, body, got, err := get(t, e.URI.String(), set("snmp.rows", "yes"))
		if n := len(e.Attr) - 1; err != nil || len(got) != n && (n > 1 || body == "") {
			t.Errorf("%s: got %q %q, %v, want %d objects", e.URI, got, body, err, n)
		}
	}
}

// TestNoTable: a subtree that cannot be a table is refused after few requests.
func TestNoTable(t *testing.T) {
	o := &snmptest.Options{}
	for i := range maxColumns + 1 {
		o.Objects = append(o.Objects, gosnmp.SnmpPDU{Name: fmt.Sprintf("1.3.9.%d.%d", i+2, i), Type: gosnmp.Integer, Value: i})
	}
	if got, err := shownRows(t, agentOf(t, o).URL+"//1.3.9.*", set("snmp.rows", "yes")); len(got) != 0 ||
		fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("got %d rows, %v, want kind %s", len(got), err, fetch.ErrUnsupported)
	}
}

// TestSnmpdTable: the cells of the rows are the objects of the walk.
func TestSnmpdTable(t *testing.T) {
	addr := lab.Server(t, "snmpd")
	for _, table := range []string{"sysORTable", "1.3.6.1.2.1.4.20", "1.3.6.1.2.1.25.4.2"} {
		c := fetch.New(Scheme())
		cells, rows, names := 0, 0, ""
		for e, err := range c.Entries(t.Context(), uri.MustParse("snmp://"+addr+"//"+table+".*"), set("snmp.rows", "yes")) {
			if err != nil {
				t.Errorf("%s: %v", table, err)
			}
			rows++
			cells += len(e.Attr) - 1
			names = strings.Join(e.Attr[fetch.AttrColumns], " ")
		}
		c.Close()
		_, _, walked, err := get(t, "snmp://"+addr+"//"+table+".*", nil)
		if err != nil || len(walked) != cells && table != "1.3.6.1.2.1.25.4.2" || rows == 0 || cells < rows { // processes come and go
			t.Errorf("%s: got %d objects in %d rows of %s, %v, want the %d of the walk", table, cells, rows, names, err, len(walked))
		}
	}
}

// FuzzRows checks that every object of a walk is in one cell, and that rows and columns are in order.
func FuzzRows(f *testing.F) {
	f.Add("1.3.9.1.1.1 1.3.9.1.1.2 1.3.9.1.2.1", false)
	f.Add("1.3.9.1 1.3.9.2.0 1.3.9.2.1.1", false)
	f.Add("1.3.9.1.5 1.3.9.2.5 1.3.9.1.6", true)
	f.Fuzz(func(t *testing.T, names string, two bool) {
		asked := []string{"1.3.9"}
		if two {
			asked = []string{"1.3.9.1", "1.3.9.2"}
		}
		all := []gosnmp.SnmpPDU{}
		for name := range strings.FieldsSeq(names) {
			if isOID(name) && slices.ContainsFunc(asked, func(root string) bool { return within(name, root) }) &&
				!slices.ContainsFunc(all, func(p gosnmp.SnmpPDU) bool { return p.Name == name }) {
				all = append(all, gosnmp.SnmpPDU{Name: name, Type: gosnmp.Integer, Value: 1})
			}
		}
		if len(all) == 0 {
			return
		}
		before, n := "", 0
		for e := range rowsOf(columnsOf(asked, all), all, "snmp://h//") {
			if before != "" && frames.CompareOID(before, e.Title) >= 0 || !slices.IsSortedFunc(e.Attr[fetch.AttrColumns],
				func(a, b string) int { return frames.CompareOID(numberOf(a), numberOf(b)) }) {
				t.Fatalf("%q: got %v after %s, want ascending rows and sorted columns", names, e, before)
			}
			before, n = e.Title, n+len(e.Attr)-1
		}
		if n != len(all) {
			t.Fatalf("%q: got %d cells, want %d", names, n, len(all))
		}
	})
}
