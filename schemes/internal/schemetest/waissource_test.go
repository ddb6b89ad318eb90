package schemetest_test

import (
	"reflect"
	"strings"
	"testing"

	"example.org/deref/schemes/internal/waissource"
)

// freeWAIS is the output of waisindex of freeWAIS-sf 2.2.10 (trace retrieve-src).
const freeWAIS = "(:source\n   :version 3\n   :ip-name \"localhost\"\n   :tcp-port 210\n   :database-name \"demo\"\n   :cost 0.00\n" +
	"   :cost-unit :free\n   :maintainer \"keeper@localhost\"\n   :keyword-list ( tides weather )\n" +
	"   :description \"Test database demo, built for protocol tests.\nIt says \\\"hello\\\" in quotes.\n\"\n)\n"

func TestWAISSource(t *testing.T) {
	want := &waissource.Source{Host: "localhost", Port: 210, Database: "demo", Cost: "0.00", CostUnit: "free", Maintainer: "keeper@localhost",
		Keywords: []string{"tides", "weather"}, Description: "Test database demo, built for protocol tests.\nIt says \"hello\" in quotes.\n"}
	got, err := waissource.Parse(freeWAIS)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	if got.String() != freeWAIS {
		t.Errorf("got %s, want %s", got, freeWAIS)
	}
}

func TestWAISSourceFields(t *testing.T) {
	// as waisindex of freeWAIS-sf lays it out
	file := `(:source :ip-name "h" :database-name "d" :fields (
		(:field :name "au" :type ( text soundex ) :description "Author")
		(:field :name "py" :type ( text ) :description "Publication Year (numeric)") (:other :name "x") () ) :description "d")`
	s, err := waissource.Parse(file)
	if err != nil || !reflect.DeepEqual(s.Fields, []string{"au", "py"}) {
		t.Fatalf("got %+v, %v, want the fields au and py", s, err)
	}
	if again, err := waissource.Parse(s.String()); err != nil || !reflect.DeepEqual(again.Fields, s.Fields) {
		t.Errorf("got %+v, %v, want %v after writing it", again, err, s.Fields)
	}
	for query, want := range map[string]string{
		"tide":                      "",
		"au=miller and PY>1990":     "",
		"text=tide":                 "",
		"ti=tide":                   "ti",
		"tide and (au=x or ti = y)": "ti",
		"ed==19940101":              "ed",
		"ed < 19940101":             "ed",
		"tide <*2.5 table":          "",
		`"ti=x" au=y`:               "",
		"'ti=x' jt=y":               "jt",
		"o'brien":                   "",
		"=x":                        "",
		"a=(b c=d)":                 "a",
	} {
		if got := s.UnknownField(query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := (&waissource.Source{}).UnknownField("ti=x"); got != "" {
		t.Errorf("no list of fields: got %q, want none", got)
	}
}

func TestWAISSourceURLs(t *testing.T) {
	for file, want := range map[string]string{
		freeWAIS: "wais://localhost/demo",
		`(:SOURCE :IP-Name "h" :tcp-port 8000 :database-name "db/a b@c")`: "wais://h:8000/db%2Fa%20b%40c",
		`(:source :ip-address "192.0.2.1" :database-name db)`:             "wais://192.0.2.1/db",
		`(:source :ip-address "::1" :database-name db)`:                   "wais://[::1]/db",
		// unknown, with a list of lists
		`(:source :sources ( (:any :size 2 :bytes #( 1 2 )) x ) :ip-name "h" :database-name "d\\e")`: "wais://h/d%5Ce",
		`(:source :ip-name "h")`:                                 "",
		`(:source :database-name "d")`:                           "",
		`(:source :ip-name "h/x?" :database-name "d")`:           "",
		"(:source :ip-name \"h\r\nx\" :database-name \"d\")":     "",
		`(:source :ip-name "user@h" :database-name "d")`:         "",
		`(:source :ip-name "h"(:description x):database-name d)`: "error",
		"":                          "error",
		"(:source":                  "error",
		"(:question )":              "error",
		`:source`:                   "error",
		`(:source "x")`:             "error",
		`(:source :ip-name )`:       "error",
		`(:source :ip-name "h`:      "error",
		`(:source :tcp-port 70000)`: "error",
		`(:source :tcp-port x)`:     "error",
		"(:source :x (":             "error",
		"(:source :x " + strings.Repeat("(", waissource.MaxLen/2): "error",
		"(:source :x \"" + strings.Repeat("a", waissource.MaxLen): "error",
	} {
		got := "error"
		if s, err := waissource.Parse(file); err == nil {
			got = s.URL()
		}
		if got != want {
			t.Errorf("%.60s: %q, want %q", file, got, want)
		}
	}
}

// FuzzWAISSource checks that a written source file is parsed as the same source.
func FuzzWAISSource(f *testing.F) {
	f.Add(freeWAIS)
	f.Add(`(:source :ip-name "h" :x ( a (b) "c" ) :database-name "d\"\\" :tcp-port 1)`)
	f.Fuzz(func(t *testing.T, file string) {
		s, err := waissource.Parse(file)
		if err != nil {
			return
		}
		plain := func(w string) bool { return w != "" && !strings.ContainsAny(w, " \t\r\n\f()\"#\\") }
		for _, k := range s.Keywords {
			if !plain(k) {
				return // texts in a list of words are not written back
			}
		}
		if !plain(s.Cost) || !plain(s.CostUnit) {
			s.Cost, s.CostUnit = "0.00", "free"
		}
		again, err := waissource.Parse(s.String())
		if len(s.String()) <= waissource.MaxLen && (err != nil || !reflect.DeepEqual(again, s)) {
			t.Fatalf("%+v\nbecame\n%+v, %v", s, again, err)
		}
	})
}
