package login

import "testing"

func TestReadRefuses(t *testing.T) {
	froot, user := "-froot", "u-f"
	blank, second := " \t-froot", "u -f"
	for _, c := range []struct {
		name string
		p    Parts[string]
		ok   bool
	}{
		{"no host", Parts[string]{}, false},
		{"path", Parts[string]{Host: "h", Path: "/x"}, false},
		{"search", Parts[string]{Host: "h", Query: true}, false},
		{"an option for a user", Parts[string]{Host: "h", User: &froot}, false},
		{"an option after blanks", Parts[string]{Host: "h", User: &blank}, false},
		{"an option as a second word", Parts[string]{Host: "h", User: &second}, false},
		{"slash", Parts[string]{Host: "h", Path: "/"}, true},
		{"user", Parts[string]{Host: "h", User: &user}, true},
	} {
		if _, err := Read(c.p); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
