package ldap

import "testing"

func TestTypeOfValues(t *testing.T) {
	for v, want := range map[string]string{
		"":                         "text/plain; charset=utf-8",
		"Genève\n":                 "text/plain; charset=utf-8",
		"Gen\xe8ve":                "text/plain",
		"\xff\xd8\xff\xe0\x00JFIF": "application/octet-stream",
	} {
		if got := guess(v); got != want {
			t.Errorf("%q: got %s, want %s", v, got, want)
		}
	}
}
