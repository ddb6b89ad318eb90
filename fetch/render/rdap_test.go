package render

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// registration has the members of the example in RFC 9083 section 5.3, with other values.
const registration = `{"rdapConformance":["rdap_level_0"],"objectClassName":"domain","handle":"D-1","ldhName":"xn--bcher-kva.example","unicodeName":"bücher.example",
"status":["active","client transfer prohibited"],
"events":[{"eventAction":"registration","eventDate":"1995-01-01T00:00:00Z"},{"eventAction":"last changed","eventDate":"2024-02-29T00:00:00Z"}],
"secureDNS":{"delegationSigned":true,"dsData":[{"keyTag":12345,"algorithm":13,"links":[{"rel":"self","href":"x"}]}]},
"links":[{"rel":"self","href":"https://rdap.example/domain/xn--bcher-kva.example","type":"application/rdap+json"}],
"port43":"whois.example","x_a":{"seen":"1"},"x_b":{"seen":"2"},"x_c":{"seen":"3"},"x_d":{"seen":"4"},"x_e":{"seen":"5"},"x_f":{"seen":"6"},
"nameservers":[{"objectClassName":"nameserver","ldhName":"ns1.example","ipAddresses":{"v4":["192.0.2.1"],"v6":["2001:db8::1"]}}],
"entities":[{"objectClassName":"entity","handle":"ANN-1","roles":["registrant","technical"],"links":[{"rel":"self","href":"../entity/ANN-1"}],
 "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Ann Lee"],["org",{},"text","Lab"],
  ["adr",{},"text",["","","1 Lane","Town","","1000","CH"]],["adr",{"label":"2 Road\nTown"},"text",["","","","","","",""]],
  ["tel",{"type":["voice"]},"uri","tel:+41.1"],["email",{},"text","ann@lab.example"],["broken"],7]],
 "entities":[{"objectClassName":"entity","handle":"REG-1","roles":["abuse"]}]}],
"notices":[{"title":"Terms","description":["Be kind.","And brief."]}]}`

func registered(text string) *fetch.Document {
	d := document("application/rdap+json; charset=utf-8", text)
	d.Base = uri.MustParse("https://rdap.example/domain/x")
	return d
}

func TestRDAPAsText(t *testing.T) {
	got := view(t, registered(registration), Text, nil)
	const want = `  [1] domain xn--bcher-kva.example
        algorithm: 13
        delegationSigned: yes
        handle: D-1
        keyTag: 12345
        last-changed: 2024-02-29T00:00:00Z
        ldhName: xn--bcher-kva.example
        port43: whois.example
        registration: 1995-01-01T00:00:00Z
        seen: 1
        seen: 2
        seen: 3
        seen: 4
        seen: 5
        seen: 6
        status: active
        status: client transfer prohibited
        unicodeName: bücher.example
      nameserver ns1.example
        ldhName: ns1.example
        v4: 192.0.2.1
        v6: 2001:db8::1
  [2] entity Ann Lee
        adr: 1 Lane, Town, 1000, CH
        adr: 2 Road\x0aTown
        email: ann@lab.example
        handle: ANN-1
        org: Lab
        roles: registrant
        roles: technical
        tel: +41.1
      entity REG-1
        handle: REG-1
        roles: abuse
Terms: Be kind. And brief.
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRDAPForProgramsAndBrowsers(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(view(t, registered(registration), JSON, nil)), "\n")
	var e struct {
		URI, Title string
		Attr       map[string][]string
	}
	if err := json.Unmarshal([]byte(lines[2]), &e); err != nil || len(lines) != 5 || e.URI != "https://rdap.example/entity/ANN-1" ||
		e.Title != "entity Ann Lee" || e.Attr["org"][0] != "Lab" {
		t.Errorf("got %d lines, %+v, %v, want 5 lines and the entity Ann Lee", len(lines), e, err)
	}
	wantAll(t, view(t, registered(registration), HTML, nil), "<dt>email</dt><dd>ann@lab.example</dd>", "<li>nameserver ns1.example\n<dl>")
	if got := view(t, registered(registration), Raw, nil); got != registration {
		t.Errorf("Raw: got %q, want the document unchanged", got)
	}
	if e, err := Link(Links(registered(registration), nil), 2); err != nil || e.URI.String() != "https://rdap.example/entity/ANN-1" {
		t.Errorf("link 2: got %v, %v, want that of ANN-1", e, err)
	}
}

func TestNoRDAP(t *testing.T) {
	for text, kind := range map[string]fetch.Kind{
		"":        fetch.ErrDecode,
		"[]":      fetch.ErrDecode,
		"{\"a\":": fetch.ErrDecode,
		"<html>":  fetch.ErrDecode,
		"{}":      "",
		`{"events":7,"links":{},"entities":[7,null,{"objectClassName":[]}],"vcardArray":[0,[[0,0,0,0]]],"objectClassName":"x"}`: "",
		"{\"a\":\"" + strings.Repeat("x", maxRDAP) + "\"}":                                                                      fetch.ErrLimit,
	} {
		if err := View(io.Discard, registered(text), Text, nil); fetch.KindOf(err) != kind {
			t.Errorf("%.40q: got %v, want kind %q", text, err, kind)
		}
	}
}

// FuzzRDAP: any input yields a bounded number of entries and texts, or an error of kind decode.
func FuzzRDAP(f *testing.F) {
	f.Add(registration)
	f.Add(`{"domainSearchResults":[{"objectClassName":"domain","network":{"objectClassName":"ip network"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for e, err := range rdap(strings.NewReader(text), uri.MustParse("https://h/")) {
			if n++; n > len(text)+1 {
				t.Fatalf("got %d entries of %q, want at most one per byte", n, text)
			}
			switch {
			case err != nil && fetch.KindOf(err) != fetch.ErrDecode:
				t.Fatal(err)
			case err == nil && e.Kind != fetch.KindEntry && e.Kind != fetch.KindText:
				t.Fatalf("got %+v, want an entry or a text", e)
			}
		}
	})
}
