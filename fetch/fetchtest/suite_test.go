package fetchtest

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

func toyCases() []Case {
	return []Case{
		{Name: "document", URI: "toy://toy.example/a/b", Body: "hello\nworld", Type: "text/plain", End: fetch.EndDeclared, Script: `
*: [connected to 127.0.0.1:7070]
S: + ready
*: GET a/b
C: GET a/b
S: + 11 text/plain
S: hello\n\
S: world\
S: done
`},
		{Name: "login", URI: "toy://alice:sesame%20open@toy.example:7071/x", Body: "x", Secrets: []string{"sesame"}, Script: `
S: + ready
C: LOGIN alice sesame open
S: + welcome, alice
C: GET x
S: + 1 text/plain
S: x\
S: done
`},
		{Name: "wrong login", URI: "toy://alice:sesame@toy.example/x", Err: fetch.ErrAuth, Script: `
S: + ready
C: LOGIN alice sesame
S: - auth
`},
		{Name: "missing", URI: "toy://toy.example/none", Err: fetch.ErrNotFound, Script: `
S: + ready
C: GET none
S: - none
`},
		{Name: "folder", URI: "toy://toy.example/dir", Body: "a\nb\n", End: fetch.EndTerminated, Script: `
S: + ready
C: GET dir
S: - folder
*: [if GET answered folder]
C: LIST dir
S: +
S: a
S: b
S: .
*: [end]
`},
		{Name: "closed", URI: "toy://toy.example/ask/x", Body: "what there is\r\n", End: fetch.EndClosed, Script: `
S: + ready
C: ASK ask/x
S: + ? text/plain
S: what there is
*: [end]
`},
		{Name: "empty", URI: "toy://toy.example/empty", Script: `
S: + ready
C: GET empty
S: + 0 text/plain
S: done
`},
		{Name: "directory", URI: "toy://toy.example/a/b/", Script: `
S: + ready
C: GET a/b/
S: - folder
*: [if GET answered folder]
C: LIST a/b/
S: +
S: one
S: two
S: .
*: [end]
`},
	}
}

// toyCase returns one of toyCases.
func toyCase(name string) []Case {
	list := toyCases()
	i := slices.IndexFunc(list, func(c Case) bool { return c.Name == name })
	return list[i : i+1]
}

func TestToy(t *testing.T) {
	Test(t, toyScheme(""), append(toyCases(),
		Case{Name: "indented", URI: "toy://toy.example/none", Err: fetch.ErrNotFound, Script: `
		S: + ready
		C: GET none
		S: - none
	`})...)
}

// noopCases is a dialogue with a command that is in no plan.
func noopCases() []Case {
	list := toyCase("folder")
	list[0].Script = strings.Replace(list[0].Script, "*: [if", "C: NOOP\nS: + ok\n*: [if", 1)
	return list
}

// uriCase is a dialogue in which the client sends the whole URI.
func uriCase() Case {
	return Case{URI: "toy://toy.example/a", Body: "hello\r\n", Script: "S: + ready\nC: GET toy://toy.example/a\nS: + ? text/plain\nS: hello\n*: [end]\n"}
}

// The package comment lists the rules.
func TestPageListsTheRules(t *testing.T) {
	for _, c := range append(checks(), check{name: "scheme"}, check{name: "env"}, check{name: "claims"}, check{name: "concurrent"}) {
		if rule(c.name) == "" {
			t.Errorf("doc.go lacks the rule %q", c.name)
		}
	}
}

// Fuzz needs a Read function, and says so.
func TestFuzzNeedsRead(t *testing.T) {
	s := toyScheme("")
	if err := checkReads([]fetch.Scheme{s}); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	s.Read = nil
	if err := checkReads([]fetch.Scheme{s}); err == nil || !strings.Contains(err.Error(), `"toy" has no Read: set it`) {
		t.Errorf("got %v, want an error about toy's Read", err)
	}
}

// verdicts runs one check, and those that it builds on, without reporting to t. It returns the errors by the names of the checks.
func verdicts(t *testing.T, s fetch.Scheme, cases []Case, only string) map[string]string {
	failed := map[string]string{}
	note := func(check string, err error) {
		if err != nil {
			failed[check] += err.Error() + "\n"
		}
	}
	note("scheme", checkScheme(s))
	var all []*subject
	for _, c := range cases {
		if failed[only] != "" {
			break
		}
		x, err := newSubject(s, c)
		if err != nil {
			note("case", err)
			continue
		}
		all = append(all, x)
		for _, c := range checks() {
			if c.fits(x) && (c.plain || c.name == only) {
				err := inBubble(t, false, func() error {
					defer pass(3 * watchdog) // until a goroutine that was left ends, because none may stay in a bubble
					return c.run(x)
				})
				note(c.name, err)
				if c.plain && err != nil {
					break
				}
			}
		}
	}
	note("claims", checkClaims(s, all))
	switch only {
	case "env":
		note("env", checkEnv(all))
	case "concurrent":
		note("concurrent", inBubble(t, false, func() error { return checkConcurrent(all) }))
	}
	return failed
}

// TestBrokenHandlersAreCaught runs handlers with one fault each. The check for that fault must report it.
func TestBrokenHandlersAreCaught(t *testing.T) {
	for _, b := range []struct{ fault, check, text string }{
		{"claims to send", "claims", "Does.Sends"},
		{"impure plan", "plan", "not pure"},
		{"command in data", "injection", "line of their own"},
		{"command at run", "injection", "line of their own"},
		{"bare LF", "dialogue", "sent"},
		{"extra command", "dialogue", "NOOP"},
		{"wrong order", "dialogue", "sent"},
		{"writes itself", "dialogue", "Conn.Send"},
		{"error as document", "dialogue", "want notfound"},
		{"not announced", "steps", "not announced"},
		{"not announced", "announced", "before any step is announced"},
		{"extra command, not announced", "announced", `the line "NOOP`},
		{"request used up", "again", "Run must not change"},
		{"steps filled in", "again", "Run must copy the steps"},
		{"reply without its deadline", "replies", "call Conn.BeginReply"},
		{"body in the reply", "replies", "call Conn.BeginBody"},
		{"body in the reply", "dialogue", "call Conn.BeginBody before it"},
		{"end without its deadline", "replies", "call Conn.BeginPart"},
		{"announced late", "steps", "after its bytes"},
		{"conditional at once", "steps", "before [if"},
		{"no type", "document", "set the media type"},
		{"no type of an empty document", "document", "set the media type"},
		{"wrong size", "document", "Size"},
		{"end closed", "document", "has not closed"},
		{"short document", "cut", "without an error"},
		{"reads by the byte count only", "cut", "without an error"},
		{"no reply before a document", "cut", "call Conn.BeginReply before BeginBody"},
		{"wrong kind", "cut", "want connection"},
		{"error without a kind", "dialogue", "give errors a kind by fetch.Errorf"},
		{"sleeps on errors", "stall", "takes"},
		{"sleeps on errors", "cancel", "takes"},
		{"sleeps on errors", "network", "takes"},
		{"wrong kind", "network", "want connection"},
		{"goroutine left", "leaks", "goroutines are left; end them in Body.Close:\n"},
		{"file left open", "leaks", "descriptors are left"},
		{"close waits", "reading", "takes"},
		{"close waits", "closing", "do not read the rest"},
		{"line without a bound", "memory", "is endless"},
		{"memory for an announced length", "memory", "do not allocate what a peer announces"},
		{"panics", "corrupt", "panics"},
		{"login encoded", "secrets", "shows the secret"},
		{"state in the handler", "concurrent", "sent"},
	} {
		t.Run(b.fault, func(t *testing.T) {
			if b.fault != "file left open" { // the others would see its descriptor
				t.Parallel()
			}
			cases := toyCases()
			switch b.fault {
			case "extra command, not announced":
				cases = noopCases()
			case "no type of an empty document":
				cases = toyCase("empty")
			case "line without a bound":
				cases = toyCase("missing") // its reader may buffer the bytes after a line: there must be none
			case "no reply before a document":
				cases = []Case{{URI: "toy://toy.example/a", Body: "hello\r\n", Script: "C: GET a\nS: hello\n*: [end]\n"}}
			}
			got := verdicts(t, toyScheme(b.fault), cases, b.check)
			if text, ok := got[b.check]; !ok || !strings.Contains(text, b.text) {
				t.Errorf("the check %q reports %q, want an error with %q; all errors: %v", b.check, text, b.text, got)
			}
		})
	}
}
