package gemini_test

import (
	"slices"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/testdata"
)

// TestBombadillo shows a list, a document and a redirect. An error would be lost now and then: bombadillo 2.4.0 may draw its message before
// it draws "Loading..." over it.
func TestBombadillo(t *testing.T) {
	s := geminitest.NewServer(testdata.Site(), nil)
	defer s.Close()
	for path, steps := range map[string][]string{
		"/":                {"README.txt", "q"},
		"/history/ftp.txt": {"The oldest of the schemes' protocols", "q"},
		"/history":         {"Follow redirect (y/n)", "y\n", "00-names.txt", "q"},
	} {
		lab.Talk(t, lab.Terminal(t, "bombadillo", s.URL+path), steps...)
	}
	if got, want := s.Transcript(), s.URL+"/history/"; !slices.Contains(got, want) {
		t.Errorf("no %q in %q: the redirect was not followed", want, got)
	}
}

// TestAmfora shows a document.
func TestAmfora(t *testing.T) {
	s := geminitest.NewServer(testdata.Site(), nil)
	defer s.Close()
	lab.Talk(t, lab.Terminal(t, "amfora", s.URL+"/history/ftp.txt"), "The oldest of the schemes", "\x11")
}
