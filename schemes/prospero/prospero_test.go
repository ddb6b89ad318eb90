package prospero

import (
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme()); n < 6 {
		t.Errorf("got %d rows, want at least 6", n)
	}
}

func TestReading(t *testing.T) {
	for _, c := range []struct {
		in   string
		mode uri.Mode
		want string // "" is a refusal
	}{
		{"prospero://h/a//b/../c", uri.RFC3986, "a//b/../c  [] map[] 0"}, // opaque
		{"prospero://h//", uri.RFC3986, "/  [] map[] 0"},
		{"prospero://h/a?b", uri.RFC3986, "a?b  [] map[] 0"},
		{"prospero://h/a;b=c", uri.RFC1630, "a;b=c  [] map[] 0"}, // the drafts know no fields
		{"prospero://h/a%3Bb;c=d%3De;OBJECT-VERSION=7", uri.RFC3986, "a;b  [] map[OBJECT-VERSION:7 c:d=e] 7"},
		{"prospero://h/a%003;c=d", uri.RFC1738, "a 3 [] map[c:d] 3"},
		{"prospero://h/a%00%00x%00y", uri.RFC3986, "a  [x y] map[] 0"},
		{"prospero://h/a;OBJECT-VERSION=x", uri.RFC3986, "a  [] map[OBJECT-VERSION:x] 0"},
		{"prospero://h/", uri.RFC3986, ""}, {"prospero:a", uri.RFC3986, ""}, {"prospero:///a", uri.RFC3986, ""},
		{"prospero://u@h/a", uri.RFC3986, ""}, {"prospero://h/%003", uri.RFC3986, ""}, {"prospero://h/a%00v", uri.RFC3986, ""},
		{"prospero://h/a;b", uri.RFC3986, ""}, {"prospero://h/a;=b", uri.RFC3986, ""}, {"prospero://h/a;b=%00", uri.RFC3986, ""},
	} {
		got := ""
		r, err := parse(uri.MustParse(c.in), c.mode)
		if err == nil {
			v := ""
			if r.Version != nil {
				v = string(*r.Version)
			}
			got = fmt.Sprint(r.HSOName, " ", v, " ", r.Attributes, " ", r.Fields, " ", r.versionArg())
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q (%v)", c.mode, c.in, got, c.want, err)
		}
	}
}

func TestPlans(t *testing.T) {
	const open = "VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n"
	rest := func(version, name string) string {
		return "GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII " + name + " " + version +
			"\nGET-OBJECT-INFO CONTENTS ASCII " + name + " " + version + " {if " + ifContents +
			"}\nDIRECTORY ASCII " + name + " {if " + ifDirectory + "}\nLIST ATTRIBUTES COMPONENTS {if " + ifDirectory + "}"
	}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "prospero://h//pros/name", Want: "udp h:1525 none referral\n" + open + rest("0", `"/pros/name"`)},
		{URI: "prospero://h:191/a%002", Want: "udp h:191 none referral\n" + open + rest("2", `"a"`)},
		{URI: "prospero://h/a%0Ab;REMOTE=12", Want: "udp h:1525 none referral\n" + open +
			strings.ReplaceAll(strings.ReplaceAll(rest("0", `"a\nb"`), "b\" 0\nGET", "b\" 0\nSELECT OBJECT FIELD ID REMOTE \"12\"\nGET"),
				"{if "+ifContents+"}", "{if "+ifContents+"}\nSELECT OBJECT FIELD ID REMOTE \"12\" {if "+ifContents+"}")}, // quoted
		{URI: "prospero://h/a%00%00SIZE%00LAST-MODIFIED", Want: "udp h:1525 none document text/plain\n" + open + `GET-OBJECT-INFO SIZE+LAST-MODIFIED ASCII "a" 0`},
		{URI: "prospero://h/a%002%00%23ALL;REMOTE=12", Options: fetch.Options{Op: fetch.Metadata}, Want: "udp h:1525 none document text/plain\n" + open +
			"GET-OBJECT-INFO #ALL ASCII \"a\" 2\nSELECT OBJECT FIELD ID REMOTE \"12\""},
		{URI: "prospero://h/a;OBJECT-VERSION=3", Want: "udp h:1525 none referral\n" + open + rest("3", `"a"`)},
		{URI: "prospero://h/a;OBJECT-VERSION=x", Kind: fetch.ErrRefusedURL},
		{URI: "prospero://h/a;ACCESS-METHOD=AFTP", Kind: fetch.ErrUnsupported},
		{URI: "prospero://h/a;REMOTE=1;OWNER=x", Kind: fetch.ErrUnsupported},
		{URI: "prospero://h/a", Options: fetch.Options{Op: fetch.Metadata},
			Want: "udp h:1525 none referral\n" + open + `GET-OBJECT-INFO #ALL ASCII "a" 0`},
		{URI: "prospero://h/a", Options: fetch.Options{Op: fetch.Attach}, Kind: fetch.ErrUnsupported},
		{URI: "prospero://h/a", Options: fetch.Options{Search: []string{"x"}}, Kind: fetch.ErrUnsupported},
		{URI: "prospero://-h/a", Kind: fetch.ErrRefusedURL},
		{URI: "prospero://h:53/a", Kind: fetch.ErrRefusedPort},
	}, Scheme())
}

// TestInjection: an hsoname is quoted and may contain line ends. The version is not quoted, and may contain only digits.
func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"prospero://h{}/a"}, nil, Scheme())
	for _, bad := range []string{"prospero://h/a%002%0D", "prospero://h/a%002%0A", "prospero://h/a%00%20", "prospero://h/a%00%00x%20y", "prospero://h/a%00%00x%0Ay", "prospero://h/a%00%00x+y",
		"prospero://h/a%00%00x=y", "prospero://h/a%00%00",
		"prospero://h/a;OBJECT-VERSION=%00"} {
		if _, err := fetch.New(Scheme()).Plan(uri.MustParse(bad), nil); fetch.KindOf(err) != fetch.ErrRefusedURL {
			t.Errorf("%s: got %v, want kind %s", bad, err, fetch.ErrRefusedURL)
		}
	}
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"prospero://h//pros/name", "prospero://h/a%002%00x", "prospero://h/a;b=c", "prospero://h/%0D;REMOTE=%0A"},
		Scheme())
}

// FuzzNames checks that no NUL of a URI gets into a request, in any mode.
func FuzzNames(f *testing.F) {
	f.Add("a%002%00x;b=c")
	f.Add("a%2500;b=%00")
	f.Fuzz(func(t *testing.T, path string) {
		u, err := uri.Parse("prospero://h/" + path)
		if err != nil {
			return
		}
		for m := uri.RFC3986; m <= uri.Perl; m++ {
			p, err := plan(u, &fetch.Options{Mode: m})
			if err != nil {
				continue
			}
			for _, s := range p.Steps {
				for i := range len(s.Data) {
					if s.Data[i] == 0 {
						t.Fatalf("%s %q: got NUL in %q", m, path, s.Data)
					}
				}
			}
		}
	})
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\x0d\x00\x01\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00VERSION 5\nLIST",
		"\x03\x00\x01hi",
	)
}

const (
	random = `*: [random 1234]
`
	hello = `C0: \x0f\x124\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n`
	again = `C0: \x0f\x125\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n` // the next id
	third = `C0: \x0f\x126\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n`
	goi   = random + hello + `GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/a.txt 0\n` + "\n"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "contents", URI: "prospero://pros.example/AFTP/a.txt", Type: "text/plain", End: fetch.EndTerminated, Body: "it's\n", Script: random + `
*: VERSION 5
*: AUTHENTICATE '' UNAUTHENTICATED guest
*: GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII "AFTP/a.txt" 0
` + strings.TrimPrefix(goi, random) + `
S0: \x03\x124ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n
*: [if ` + ifContents + `]
*: GET-OBJECT-INFO CONTENTS ASCII "AFTP/a.txt" 0
` + again + `GET-OBJECT-INFO CONTENTS ASCII AFTP/a.txt 0\n
S0: \x07\x125\x00\x02\x00\x02''s\n'\n
S0: \x0c\x125\x00\x01\x00\x00\x00\x00\x00\x00\x80ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'it
C0: \x09\x125\x00\x00\x00\x00\x00\x02
`},
		fetchtest.Case{Name: "nothing", URI: "prospero://pros.example/AFTP/a.txt", Err: fetch.ErrNotFound, Script: goi + `
S0: \x03\x124FAILURE NOT-FOUND\n
*: [if ` + ifDirectory + `]
` + again + `DIRECTORY ASCII AFTP/a.txt\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x125FAILURE NOT-FOUND\n
`},
		// The answer of dirsrv PreAlpha.5.3 to ACCESS-METHOD+SIZE+UNIX-MODES of a directory (trace goi-directory).
		fetchtest.Case{Name: "directory", URI: "prospero://pros.example/AFTP/a.txt", Type: fetch.ListingType, Script: goi + `
S0: \x03\x124ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 4096' bytes'\nATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE drwxr-xr-x\n
*: [if ` + ifDirectory + `]
` + again + `DIRECTORY ASCII AFTP/a.txt\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x125NONE-FOUND\n
`},
		// A server that returns methods for directories, too, but no contents.
		fetchtest.Case{Name: "no contents", URI: "prospero://pros.example/AFTP/a.txt", Type: fetch.ListingType, Script: goi + `
S0: \x03\x124ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\nATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE LOCAL '' '' '' ''\n
*: [if ` + ifContents + `]
` + again + `GET-OBJECT-INFO CONTENTS ASCII AFTP/a.txt 0\n
S0: \x03\x125NONE-FOUND\n
*: [if ` + ifDirectory + `]
` + third + `DIRECTORY ASCII AFTP/a.txt\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x126LINK L FILE x INTERNET-D h.example ASCII /x 0\n
`},
		fetchtest.Case{Name: "forbidden", URI: "prospero://pros.example/AFTP/a.txt", Err: fetch.ErrRefused, Script: goi + `
S0: \x03\x124FAILURE NOT-AUTHORIZED\n
`},
	)
}
