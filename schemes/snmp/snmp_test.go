package snmp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gosnmp/gosnmp"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/uri"
)

func TestReading(t *testing.T) {
	for in, want := range map[string]string{
		// RFC 4088 section 3.2
		"snmp://snmp.example.com":                                         " - agent []",
		"snmp://tester5@example.com:8161/bridge1":                         "bridge1 - agent []",
		"snmp://example.com/bridge1;80000002b804616263":                   "bridge1 80000002b804616263 agent []",
		"snmp://example.com//1.3.6.1.2.1.1.3.0":                           " - object [1.3.6.1.2.1.1.3.0]",
		"snmp://example.com//1.3.6.1.2.1.1.3+":                            " - next [1.3.6.1.2.1.1.3]",
		"snmp://example.com//1.3.6.1.2.1.1.3.*":                           " - subtree [1.3.6.1.2.1.1.3]",
		"snmp://example.com/bridge1/1.3.6.1.2.1.2.2.1.8.1":                "bridge1 - object [1.3.6.1.2.1.2.2.1.8.1]",
		"snmp://example.com//(1.3.6.1.2.1.2.2.1.7,1.3.6.1.2.1.2.2.1.8).*": " - subtree [1.3.6.1.2.1.2.2.1.7 1.3.6.1.2.1.2.2.1.8]",
		"snmp://h/1.3.6.1.2.1.1.1.0":                                      " - object [1.3.6.1.2.1.1.1.0]", // QUIRK: a lone OID
		"snmp://h/1.3.6.1.2.1.1.*":                                        " - subtree [1.3.6.1.2.1.1]",
		"snmp://h/1.3.6/":                                                 "1.3.6 - agent []", // a context after all
		"snmp://h/v1.2":                                                   "v1.2 - agent []",
		"snmp:1.3":                                                        "", "snmp:///1.3": "", "snmp://h//1.3?x": "", "snmp://h//1": "",
		"snmp://h//3.1": "", "snmp://h//1.40": "", "snmp://h//1.3.": "",
		"snmp://h//1.03": "", "snmp://h//1.4294967296": "", "snmp://h//1.+3": "", "snmp://h//(1.3": "", "snmp://h//()": "",
		"snmp://h//1.3,1.4": "",
		"snmp://h/c;80":     "", "snmp://h/c;xyz": "", "snmp://h/c;8000000": "", "snmp://h//1.3/4": "",
		"snmp://h//1.3" + strings.Repeat(".1", 127):              "", // 129 arcs
		"snmp://h//(1.3" + strings.Repeat(",1.3", maxOIDs) + ")": "",
	} {
		got := ""
		r, err := parse(uri.MustParse(in))
		if err == nil {
			engine := "-"
			if r.EngineID != nil {
				engine = *r.EngineID
			}
			got = fmt.Sprint(r.Context, " ", engine, " ", r.What, " ", r.OIDs)
		}
		if got != want {
			t.Errorf("%.60s: got %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestPlans(t *testing.T) {
	set := func(k, v string) fetch.Options { return fetch.Options{Set: map[string][]string{k: {v}}} }
	const again = " {again until an OID outside the subtree, or not greater}"
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "snmp://public@h//1.3.6.1", Want: "udp h:161 none document\nGET 1.3.6.1"},
		{URI: "snmp://h:8161//1.3.6.1+", Want: "udp h:8161 none listing\nGETNEXT 1.3.6.1"},
		{URI: "snmp://h//1.3.6.1.*", Want: "udp h:161 none listing\nGETBULK max 10 1.3.6.1" + again},
		{URI: "snmp://h//1.3.6.1.*", Options: set(setBulk, "50"), Want: "udp h:161 none listing\nGETBULK max 50 1.3.6.1" + again},
		{URI: "snmp://h//1.3.6.1.*", Options: set(setVersion, "1"), Want: "udp h:161 none listing\nGETNEXT 1.3.6.1" + again},
		{URI: "snmp://h", Want: "udp h:161 none listing\nGETBULK max 10 1.3.6.1.2.1.1" + again},
		{URI: "snmp://h/b%20c;80000002B8/1.3", Options: set(setVersion, "3"),
			Want: "udp h:161 none document\nGET <engine> {if the engine is not known}\nGET context b c engine 80000002b8 1.3"},
		{URI: "snmp://h/b/1.3", Kind: fetch.ErrUnsupported},
		{URI: "snmp://h//1.3", Options: set(setVersion, "2u"), Kind: fetch.ErrUnsupported},
		{URI: "snmp://h//1.3", Options: set(setBulk, "0"), Kind: fetch.ErrUnsupported},
		{URI: "snmp://h//1.3", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "snmp://h//1.3", Options: fetch.Options{Range: fetch.Range{To: 3}}, Kind: fetch.ErrRange},
		{URI: "snmp://h:53//1.3", Kind: fetch.ErrRefusedPort},
	}, Scheme())
}

// TestCommunityIsSecret checks that neither the Plan nor Read contains the community.
func TestCommunityIsSecret(t *testing.T) {
	u := uri.MustParse("snmp://s3cr3t@h//1.3.6.1")
	p, err := fetch.New(Scheme()).Plan(u, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(u, uri.RFC3986)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal([]any{p, r}); strings.Contains(string(b), "s3cr3t") {
		t.Errorf("got %s, want no community", b)
	}
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"snmp://h/c{}/1.3", "snmp://h{}//1.3"}, &fetch.Options{Set: map[string][]string{setVersion: {"3"}}},
		Scheme())
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"snmp://public@h//1.3.6.1.*", "snmp://h/c;80000002b8/(1.3,1.4)+", "snmp://h/1.3"}, Scheme())
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	srv := agentOf(t, &snmptest.Options{Community: "open-sesame"})
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "object", URI: srv.URL + "//sysName.0", Live: true, Body: "lab.test", Type: "text/plain", End: fetch.EndDeclared,
			Secrets: []string{"open-sesame"}},
		fetchtest.Case{Name: "walk", URI: srv.URL + "//1.3.6.1.2.1.*", Live: true, Type: fetch.ListingType, Secrets: []string{"open-sesame"}},
		fetchtest.Case{Name: "nothing", URI: srv.URL + "//2.9.1", Live: true, Err: fetch.ErrNotFound},
	)
}

func FuzzDecodeWords(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\x30\x2d\x02\x01\x01\x04\x06public\xa0\x20\x02\x04\x3d\x3d\xff\x42\x02\x01\x00\x02\x01\x00\x30\x12\x30\x10\x06\x0c\x2b\x06\x01\x04\x01\x81\xfd\x59\x01\x69\x6d\x61\x05\x00",
		"\x30\x1d\x02\x01\x03\x30\x0d\x02\x01\x01\x02\x02\x05\xdc\x04\x01\x07\x02\x01\x03\x04\x04\x30\x02\x04\x00\x04\x03abc",
	)
}

// A datagram that is not exactly the one message that was planned is not sent.
func TestGuard(t *testing.T) {
	code := &gosnmp.GoSNMP{Version: gosnmp.Version2c, Community: "public"}
	write := func(version gosnmp.SnmpVersion, community string, kind gosnmp.PDUType) []byte {
		p := gosnmp.SnmpPacket{Version: version, Community: community, PDUType: kind,
			Variables: []gosnmp.SnmpPDU{{Name: "1.3.6.1.2.1.1.3.0", Type: gosnmp.Null}}}
		if version == gosnmp.Version3 {
			p.MsgFlags, p.SecurityModel, p.SecurityParameters = gosnmp.Reportable, gosnmp.UserSecurityModel, &gosnmp.UsmSecurityParameters{}
		}
		b, err := p.MarshalMsg()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := write(gosnmp.Version2c, "public", gosnmp.GetRequest)
	for _, tt := range []struct {
		name string
		b    []byte
		ok   bool
	}{
		{"planned", good, true},
		{"two messages", append(good[:len(good):len(good)], good...), false},
		{"cut", good[:len(good)-1], false},
		{"none", nil, false},
		{"a change", write(gosnmp.Version2c, "public", gosnmp.SetRequest), false},
		{"another version", write(gosnmp.Version1, "public", gosnmp.GetRequest), false},
		{"another community", write(gosnmp.Version2c, "private", gosnmp.GetRequest), false},
	} {
		if err := checkMessage(tt.b, code, gosnmp.GetRequest); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want error %v", tt.name, err, !tt.ok)
		}
	}
	code.Version = gosnmp.Version3
	for kind, ok := range map[gosnmp.PDUType]bool{gosnmp.GetRequest: true, gosnmp.SetRequest: false} {
		if err := checkMessage(write(gosnmp.Version3, "", kind), code, gosnmp.GetRequest); (err == nil) != ok {
			t.Errorf("version 3, %v: got %v, want error %v", kind, err, !ok)
		}
	}
}
