package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/uri"
)

// These tests check the output of package warc against the grammar of ISO 28500:2017, without using package warc to read it.

const (
	aToken  = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	anURI   = `[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"\x7f]+`
	anID    = "<" + anURI + ">"
	aDigest = "(sha1:[A-Z2-7]{32}|sha256:[0-9a-f]{64})"
	w3cDate = `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z`
)

// A fieldRule holds the rules of section 5 of the standard for one field: its form, and the types of records that must and must not have
// it.
type fieldRule struct {
	form   string
	must   string
	never  string
	repeat bool
}

func fieldRules() map[string]fieldRule {
	const all = "warcinfo request response resource metadata revisit conversion"
	return map[string]fieldRule{
		"WARC-Type":                    {form: strings.ReplaceAll(all, " ", "|"), must: all},
		"WARC-Record-ID":               {form: anID, must: all},
		"WARC-Date":                    {form: w3cDate, must: all},
		"Content-Length":               {form: "[0-9]+", must: all},
		"Content-Type":                 {form: aToken + "/" + aToken + "( *;.*)?"},
		"WARC-Concurrent-To":           {form: anID, never: "warcinfo conversion", repeat: true},
		"WARC-Block-Digest":            {form: aDigest},
		"WARC-Payload-Digest":          {form: aDigest, never: "warcinfo request metadata"},
		"WARC-Identified-Payload-Type": {form: aToken + "/" + aToken, never: "warcinfo request metadata"},
		"WARC-IP-Address":              {form: `[0-9.]+|[0-9a-f:]+`, never: "warcinfo conversion"},
		"WARC-Refers-To":               {form: anID, never: "warcinfo response resource request", must: "conversion"},
		"WARC-Refers-To-Target-URI":    {form: anURI, never: "warcinfo response metadata conversion resource request"},
		"WARC-Refers-To-Date":          {form: w3cDate, never: "warcinfo response metadata conversion resource request"},
		"WARC-Target-URI":              {form: anURI, never: "warcinfo", must: "response resource request revisit conversion"},
		"WARC-Truncated":               {form: "length|time|disconnect|unspecified"},
		"WARC-Warcinfo-ID":             {form: anID, never: "warcinfo"},
		"WARC-Filename":                {form: ".+", never: "request response resource metadata revisit conversion"},
		"WARC-Profile":                 {form: anURI, must: "revisit", never: "warcinfo request response resource metadata conversion"},
		"WARC-Protocol": {form: `dns|ftp|gemini|gopher|http/0\.9|http/1\.[01]|h2c?|tls/1\.[0-3]`,
			never: "warcinfo conversion", repeat: true},
		"WARC-Certificates-ID": {form: anID, never: "warcinfo request conversion"}, // ours
		"WARC-Cipher-Suite":    {form: "TLS_[A-Z0-9_]+", never: "warcinfo conversion"},
	}
}

// A plainRecord is a parsed record.
type plainRecord struct {
	fields map[string][]string
	block  []byte
}

func (r *plainRecord) get(name string) string { return strings.Join(r.fields[name], ",") }

// grammar parses a .warc.gz file, one gzip member at a time.
func grammar(t *testing.T, name string) []*plainRecord {
	t.Helper()
	in := strings.NewReader(contents(t, name)) // an io.ByteReader, so that gzip does not read past a member
	var all []*plainRecord
	for z := new(gzip.Reader); in.Len() > 0; {
		if err := z.Reset(in); err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		b, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, oneRecord(t, b))
	}
	return all
}

// oneRecord parses warc-record = header CRLF block CRLF CRLF, where header = version warc-fields.
func oneRecord(t *testing.T, b []byte) *plainRecord {
	t.Helper()
	head, rest, ok := strings.Cut(string(b), "\r\n\r\n")
	if !ok || !strings.HasPrefix(head, "WARC/1.1\r\n") {
		t.Fatalf("got %.200q, want a header that starts with %q", b, "WARC/1.1\r\n")
	}
	r := &plainRecord{fields: map[string][]string{}}
	line := regexp.MustCompile(`^(` + aToken + `): ([^\x00-\x1f\x7f]+)$`)
	for _, l := range strings.Split(head, "\r\n")[1:] {
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("got header line %q, want a named field", l)
		}
		r.fields[m[1]] = append(r.fields[m[1]], m[2])
	}
	n, err := strconv.Atoi(r.get("Content-Length"))
	if err != nil || len(rest) != n+4 || rest[n:] != "\r\n\r\n" {
		t.Fatalf("%v: got %d bytes that end in %q, want %d bytes and CRLF CRLF", r.fields, len(rest), rest[max(0, len(rest)-4):], n)
	}
	r.block = []byte(rest[:n])
	return r
}

// follows checks that an archive follows the standard.
func follows(t *testing.T, all []*plainRecord) {
	t.Helper()
	rules := fieldRules()
	ids := map[string]bool{}
	for _, r := range all {
		if id := r.get("WARC-Record-ID"); ids[id] {
			t.Errorf("got two records %s, want one", id)
		}
		ids[r.get("WARC-Record-ID")] = true
	}
	for i, r := range all {
		kind := r.get("WARC-Type")
		if (i == 0) != (kind == "warcinfo") {
			t.Errorf("record %d: got type %s, want warcinfo for the first record only", i, kind)
		}
		for name, values := range r.fields {
			rule, known := rules[name]
			form := regexp.MustCompile("^(" + rule.form + ")$")
			for _, v := range values {
				if !known || !form.MatchString(v) || slices.Contains(strings.Fields(rule.never), kind) || len(values) > 1 && !rule.repeat {
					t.Errorf("%s: %s: got %q, want %+v", kind, name, values, rule)
				}
			}
			if strings.HasSuffix(name, "-To") || name == "WARC-Warcinfo-ID" {
				for _, v := range values {
					if !ids[v] {
						t.Errorf("%s: %s: got %s, want the ID of a record in the archive", kind, name, v)
					}
				}
			}
		}
		for name, rule := range rules {
			if slices.Contains(strings.Fields(rule.must), kind) && r.fields[name] == nil {
				t.Errorf("%s: got no %s, want one", kind, name)
			}
		}
		sameDigests(t, r)
	}
}

// sameDigests verifies the digests of blocks, and those of payloads that are whole blocks or follow a header without a content coding.
func sameDigests(t *testing.T, r *plainRecord) {
	t.Helper()
	labelled := func(label string, b []byte) string {
		if strings.HasPrefix(label, "sha1:") {
			sum := sha1.Sum(b)
			return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
		}
		sum := sha256.Sum256(b)
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	if got, want := r.get("WARC-Block-Digest"), labelled(r.get("WARC-Block-Digest"), r.block); got != "" && got != want {
		t.Errorf("%v: got WARC-Block-Digest %s, want %s", r.fields, got, want)
	}
	got, payload := r.get("WARC-Payload-Digest"), r.block
	switch r.get("WARC-Type") {
	case "revisit":
		return
	case "response":
		_, payload, _ = bytes.Cut(r.block, []byte("\r\n\r\n"))
	}
	if want := labelled(got, payload); got != "" && got != want {
		t.Errorf("%v: got WARC-Payload-Digest %s, want %s", r.fields, got, want)
	}
}

// sameFields compares the fields that readers rely on over all schemes: the address of the server in every record of its protocol, a digest of
// every block, and the type of every payload by its bytes.
func sameFields(t *testing.T, all []*plainRecord) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range all {
		kind, target := r.get("WARC-Type"), r.get("WARC-Target-URI")
		if kind == "warcinfo" {
			continue
		}
		u := uri.MustParse(strings.TrimPrefix(strings.TrimPrefix(target, "urn:dialogue:"), "urn:listing:"))
		seen[u.Scheme()] = true
		want := "127.0.0.1"
		if kind == "conversion" || u.Scheme() == "file" || u.Scheme() == "data" { // no server
			want = ""
		}
		if got := r.get("WARC-IP-Address"); got != want {
			t.Errorf("%s %s: got WARC-IP-Address %q, want %q", kind, target, got, want)
		}
		if len(r.block) > 0 && r.get("WARC-Block-Digest") == "" {
			t.Errorf("%s %s: got no digest, want one of the block", kind, target)
		}
		if got := r.get("WARC-Identified-Payload-Type"); (got != "") != (kind == "resource" || kind == "response") {
			t.Errorf("%s %s: got WARC-Identified-Payload-Type %q, want one of each document", kind, target, got)
		}
	}
	if len(seen) < 20 {
		t.Errorf("got %d schemes, want at least 20", len(seen))
	}
}
