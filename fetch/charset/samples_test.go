package charset

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
)

// A sample is a text that was written in one or more charsets.
type sample struct {
	line string // of the file
	text string
	in   []string // labels
}

// samples returns the texts of testdata/samples.txt.
func samples(t testing.TB) (list []sample) {
	t.Helper()
	b, err := os.ReadFile("testdata/samples.txt")
	if err != nil {
		t.Fatal(err)
	}
	escape := regexp.MustCompile(`\\(n|r|t|x..)`)
	var labels []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		switch head, isHead := strings.CutSuffix(line, "]"); {
		case line == "" || line[0] == '#':
		case isHead && line[0] == '[':
			labels = strings.Fields(head[1:])
		default:
			text := escape.ReplaceAllStringFunc(line, func(s string) string {
				c, _, _, err := strconv.UnquoteChar(s, 0)
				if err != nil {
					t.Fatal(line, err)
				}
				if c < 0x80 {
					return string(c)
				}
				return string([]byte{byte(c)})
			})
			list = append(list, sample{line, text, labels})
		}
	}
	return list
}

// misread returns the lines of testdata/misread.txt.
func misread(t testing.TB) map[string]bool {
	t.Helper()
	b, err := os.ReadFile("testdata/misread.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		list[strings.TrimSuffix(line, "\n")] = true
	}
	return list
}

// encodingOf returns the encoding of a label, also for the labels that have none in Lookup.
func encodingOf(t testing.TB, label string) encoding.Encoding {
	t.Helper()
	if label == "utf-8" || label == "" {
		return encoding.Nop
	}
	e := Lookup(label)
	if e == nil {
		t.Fatalf("no encoding %q", label)
	}
	return e
}

func encoded(t testing.TB, label, text string) string {
	t.Helper()
	e := encodingOf(t, label)
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Errorf("%s: %q: %v", label, text, err)
	}
	return strings.TrimPrefix(strings.TrimPrefix(out, "\xfe\xff"), "\xff\xfe")
}
