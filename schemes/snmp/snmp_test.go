package snmp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
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

func TestPage(t *testing.T) { schemetest.Page(t, outcomes(), Scheme()) }
