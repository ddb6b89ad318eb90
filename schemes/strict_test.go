package schemes_test

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// A strictCase is a conversation, and what strict mode reports about it.
type strictCase struct {
	name, uri, script string
	options           fetch.Options
	want              []string
	at                string // the URI in the deviations; "" is uri
	sends             bool   // the conversation sends a message
}

// strictCases returns the conversations of all schemes.
func strictCases() []strictCase {
	return slices.Concat(strictFTP(), strictMenus(), strictHTTP(), strictLines(), strictMail(), strictOctets())
}

// TestStrict: strict mode reports each deviation once, in the options' function and in the trace, and changes nothing else.
func TestStrict(t *testing.T) {
	for _, tt := range strictCases() {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, tt.check)
		})
	}
}

// check plays the conversation with and without strict mode. It runs in a bubble, where a script that does not fit fails at once, and a loaded
// machine delays nothing.
func (tt strictCase) check(t *testing.T) {
	begin := time.Now()
	plain, _, _ := playStrict(t, tt, false)
	between := time.Now()
	got, list, noted := playStrict(t, tt, true)
	if took, want := time.Since(between), between.Sub(begin); took != want {
		t.Errorf("strict mode takes %v, want %v as without it", took, want)
	}
	if got != plain {
		t.Errorf("got %s, want the same as without strict mode: %s", got, plain)
	}
	slices.Sort(tt.want)
	if !slices.Equal(list, tt.want) {
		t.Errorf("got the deviations\n\t%s\nwant\n\t%s\nThe result is %s", strings.Join(list, "\n\t"), strings.Join(tt.want, "\n\t"), got)
	}
	if !slices.Equal(noted, list) {
		t.Errorf("the trace has %q, want %q", noted, list)
	}
}

// playStrict returns the result, and the deviations that were reported to Options.Strict and to Options.Trace.
func playStrict(t *testing.T, tt strictCase, strict bool) (result string, list, noted []string) {
	t.Helper()
	script, err := dialogue.Parse(tt.script)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(script, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(nil)...)
	p.Attach(c)
	c.FirstUse = func(string, tls.ConnectionState, error) error { return nil }
	o := tt.options
	o.Trace = func(e fetch.Event) {
		if e.Deviation != nil {
			noted = append(noted, e.Deviation.String())
			if want := "deviation: " + e.Deviation.String(); e.Note != want {
				t.Errorf("got the note %q, want %q", e.Note, want)
			}
		}
	}
	if strict {
		o.Strict = func(d fetch.Deviation) {
			list = append(list, d.String())
			if got, want := d.URI.String(), cmp.Or(tt.at, tt.uri); got != want {
				t.Errorf("got the URI %s, want %s", got, want)
			}
		}
	}
	var d *fetch.Document
	if tt.sends {
		_, err = c.Send(t.Context(), uri.MustParse(tt.uri), nil, &o)
	} else {
		d, err = c.Get(t.Context(), uri.MustParse(tt.uri), &o)
	}
	var text string
	if d != nil && err == nil {
		text, err = readStrict(d)
		d.Body.Close()
	}
	c.Close()
	p.Close()
	slices.Sort(list) // the order depends on how much is read at a time
	slices.Sort(noted)
	return fmt.Sprint(text, " ", err), list, noted
}

// readStrict reads d as a listing if it is one, and as bytes otherwise.
func readStrict(d *fetch.Document) (string, error) {
	if d.Entries == nil {
		b, err := io.ReadAll(d.Body)
		return string(b), err
	}
	var text string
	for e, err := range d.Entries {
		if err != nil {
			return text, err
		}
		text += e.Title + " " + e.URI.String() + "\n"
	}
	return text, nil
}

// TestStrictHidesSecrets: what a server repeats of a password is masked in deviations, too (promise 7).
func TestStrictHidesSecrets(t *testing.T) {
	tt := strictCase{uri: "ftp://ann:open-sesame@192.0.2.1/a.txt", script: `
*: [connected to 192.0.2.1:21]
S: 220 ready
C: USER ann
C: PASS ***
S: 331 password
S: 230 in
C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 200 binary
S: 213 open-sesame
S: 550 no
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: hi\
*2: [end]
S: 226 done
`}
	tt.want = []string{`the reply to SIZE: "***" instead of a number (RFC 3659 section 4.1)`}
	tt.at, tt.options.Set = "ftp://ann@192.0.2.1/a.txt", map[string][]string{"ftp.ssl": {"never"}}
	synctest.Test(t, func(t *testing.T) {
		result, list, noted := playStrict(t, tt, true)
		if !slices.Equal(list, tt.want) || !slices.Equal(noted, tt.want) {
			t.Errorf("got %q and %q, want %q; the result is %s", list, noted, tt.want, result)
		}
	})
}
