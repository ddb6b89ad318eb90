package main

import (
	"cmp"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/help"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// TestTableOfArchives compares the table of `deref help archives` with what is recorded for every scheme that has a server in this module.
func TestTableOfArchives(t *testing.T) {
	long(t, "all servers")
	got := map[string]map[string]bool{}
	fields := map[string]bool{}
	for _, r := range recordsOfEveryScheme(t) {
		scheme, what := aboutRecord(r)
		for name := range r.fields {
			fields[scheme+" "+name] = true
		}
		if got[scheme] == nil {
			got[scheme] = map[string]bool{}
		}
		got[scheme][what] = true
	}
	listed := map[string]bool{}
	for row := range strings.Lines(help.ArchiveTable) {
		left, right := row[:min(33, len(row))], strings.Fields(row[min(33, len(row)):])
		if len(right) != 4 || right[0] == "document" {
			continue
		}
		for _, scheme := range strings.Fields(left) {
			listed[scheme] = true
			if got[scheme] != nil {
				compareRow(t, scheme, right, got[scheme])
			}
		}
	}
	for _, s := range schemes.All(nil) {
		if s.Does.Retrieves != listed[s.Name()] {
			t.Errorf("%s: retrieves: %t, in the table: %t", s.Name(), s.Does.Retrieves, listed[s.Name()])
		}
	}
	example := regexp.MustCompile(`(WARC|Content)-[A-Za-z-]+:`).FindAllString(help.Archives[strings.Index(help.Archives, "An ftp URI is stored as"):], -1)
	for _, name := range example {
		if !fields["ftp "+strings.TrimSuffix(name, ":")] {
			t.Errorf("the example of ftp has %s, which the records lack", name)
		}
	}
	if len(example) < 8 {
		t.Errorf("got %d fields in the example, want at least 8", len(example))
	}
	if len(got) < 20 {
		t.Errorf("got records of %d schemes, want at least 20", len(got))
	}
}

// compareRow compares a row with the records of one scheme.
func compareRow(t *testing.T, scheme string, row []string, got map[string]bool) {
	t.Helper()
	want := []string{"document " + row[0], "conversation " + row[2]}
	switch row[1] {
	case "-":
	case "both":
		want = append(want, "entries conversion", "entries document")
	default:
		want = append(want, "entries "+row[1])
	}
	if row[3] != "-" {
		want = append(want, "protocol "+row[3])
	}
	slices.Sort(want)
	var is []string
	for what := range got {
		if what != "" {
			is = append(is, strings.Split(what, "\n")...)
		}
	}
	slices.Sort(is)
	if is = slices.Compact(is); !slices.Equal(is, want) {
		t.Errorf("%s: got %q, want %q as in the table", scheme, is, want)
	}
}

// aboutRecord returns the scheme of a record, and what it tells about the columns of the table, one thing on each line.
func aboutRecord(r *plainRecord) (scheme, what string) {
	kind, target := r.get("WARC-Type"), r.get("WARC-Target-URI")
	scheme, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(target, "urn:dialogue:"), "urn:listing:"), ":")
	media, _, _ := strings.Cut(r.get("Content-Type"), ";")
	switch {
	case kind == "conversion":
		what = "entries conversion"
	case kind == "response" || kind == "resource":
		if what = "document " + kind; media == fetch.ListingType {
			what += "\nentries document"
		}
	case media == "application/http":
		what = "conversation 1"
	case media == "text/x-deref-dialogue" && r.get("WARC-IP-Address") == "" && r.get("WARC-Concurrent-To") != "":
		what = "conversation 3"
	case media == "text/x-deref-dialogue":
		what = "conversation 2"
	}
	if p, _, _ := strings.Cut(r.get("WARC-Protocol"), ","); p != "" && what != "" {
		what += "\nprotocol " + p
	}
	return scheme, what
}

// recordsOfEveryScheme returns the records of the documents of all servers, and of their directories.
func recordsOfEveryScheme(t *testing.T) []*plainRecord {
	t.Helper()
	servers, sights, stop := startServers(t)
	defer stop()
	var all []*plainRecord
	add := func(s string, o *fetch.Options) {
		name := filepath.Join(t.TempDir(), "a.warc.gz") // each its own, so that there are no revisits
		c := fetch.New(schemes.All(nil)...)
		testservers.Join(c, servers)
		end := record(t, c, name, nil)
		if d, err := c.Get(t.Context(), uri.MustParse(s), o); err == nil {
			io.Copy(io.Discard, d.Body)
			d.Body.Close()
		}
		c.Close()
		end()
		all = append(all, grammar(t, name)[1:]...)
	}
	for _, s := range sights {
		add(s.URI, s.Options)
		if strings.HasPrefix(s.URI, "file:") {
			add(s.URI[:strings.LastIndexByte(s.URI, '/')+1], nil)
		}
	}
	directories := map[string]string{"prospero": "/AFTP/", "snmp": "//1.3.6.1.4.1.32473.*"}
	for _, s := range servers {
		add(s.URL+cmp.Or(directories[s.Scheme], "/"), nil)
	}
	return slices.DeleteFunc(all, func(r *plainRecord) bool { return r.get("Content-Type") == warc.CertificatesType })
}
