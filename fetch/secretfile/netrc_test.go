package secretfile

import (
	"slices"
	"strings"
	"testing"
)

func TestNetrcLookup(t *testing.T) {
	const two = "machine h login a password b\nmachine h login bob password c\nmachine h password any\ndefault login d password e"
	for _, tt := range []struct{ text, machine, user, name, password string }{
		{"machine h login a password se:cr#t", "h", "", "a", "se:cr#t"},
		{"machine h\n  login a\r\n\tpassword b", "h", "", "a", "b"},
		{"machine h password b account z login a", "h", "", "a", "b"},
		{"MACHINE H login a Password b", "h", "", "a", "b"},
		{`machine h login "a b" password "c\"\\\t"`, "h", "", "a b", "c\"\\\t"},
		{`machine h login a password "open`, "h", "", "", ""},
		{"machine h login a password \"open\nX: y\nmachine g login b password c", "h", "", "", ""},
		{"machine h login a password \"open\nX: y\nmachine g login b password c", "g", "", "b", "c"},
		{"machine h login \"open\nmachine g login b password c\ndefault login d password e", "h", "", "", ""},
		{"machine h login a password \"open\nmore\"\ndefault login d password e", "h", "", "", ""},
		{"# machine h login x\nmachine h # comment\n login a password b", "h", "", "a", "b"},
		{`machine h login a password "#b"`, "h", "", "a", "#b"},
		{"machine h login a password", "h", "", "a", ""},
		{"machine h login a password machine", "h", "", "a", "machine"},
		{"macdef init\nmachine h login x\nbin\n\nmachine h login a password b", "h", "", "a", "b"},
		{"macdef\n\nmachine h login a password b", "h", "", "a", "b"},
		{"macdef init\nmachine h login x", "h", "", "", ""},
		{"macdef", "h", "", "", ""},
		{"machine", "h", "", "", ""},
		{"machine", "", "", "", ""}, // never the default
		{`machine "" login a password b`, "h", "", "", ""},
		{"default login d password e\nmachine h login a password b", "h", "", "a", "b"},
		{"login a password b machine h", "h", "", "", ""},
		{two, "h", "", "a", "b"},
		{two, "h", "bob", "bob", "c"},
		{two, "h", "eve", "eve", "any"},
		{two, "g", "", "d", "e"},
		{two, "g", "eve", "", ""},
		{"machine h password b", "h", "", "", ""},
	} {
		name, password, ok := parseNetrc(tt.text).Lookup(tt.machine, tt.user)
		if name != tt.name || password != tt.password || ok != (tt.name != "") {
			t.Errorf("%q, %s@%s: got %q %q %v, want %q %q", tt.text, tt.user, tt.machine, name, password, ok, tt.name, tt.password)
		}
	}
}

func TestNetrcUnknown(t *testing.T) {
	f := parseNetrc("machine h\n logn a password b\nlogin c port\n\n# nothing\n  993")
	if want := []int{2, 3, 6}; !slices.Equal(f.Unknown, want) {
		t.Errorf("unknown words: got lines %v, want %v", f.Unknown, want)
	}
	f = parseNetrc("machine h\n login a password \"b\nmachine g login a password \"b")
	if want := []int{2, 3}; !slices.Equal(f.Unknown, want) {
		t.Errorf("quotes that are not closed: got %v, want %v", f.Unknown, want)
	}
}

// FuzzNetrc: any name, user and password can be quoted, and are found again.
func FuzzNetrc(f *testing.F) {
	for _, s := range []string{"machine h login a password b", "default", "machine", `login "x`, "macdef m\nx\n\n", "# x", "a \"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		most := 1 + strings.Count(text, "\n")
		for _, line := range parseNetrc(text).Unknown {
			if line < 1 || line > most {
				t.Fatalf("%q: got unknown words in line %d, want a line of the file", text, line)
			}
		}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
		name, password, ok := parseNetrc(`machine "m`+quoted+`" login "`+quoted+`u" password "`+quoted+`"`).Lookup("m"+text, "")
		if !ok || name != text+"u" || password != text {
			t.Fatalf("%q: got %q %q, want the quoted user and password", text, name, password)
		}
	})
}
