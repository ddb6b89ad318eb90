package command

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A cmdline is one entry of testdata/cmdlines: what a user of another program types, and what deref does with it.
type cmdline struct {
	place     string // FILE:LINE
	verdict   string // same, different or refused
	text      string
	because   string
	advice    string // part of the hint
	instead   string // a command line of deref that does what the user wants
	shows     string // matches the output of both programs, for one that is not the same in two runs
	files     string // the files to compare, if not all
	reference string // the output to compare with, if some versions of the program lack the flag
	anyStatus bool   // the two programs rate the result differently
	refused   bool   // by both
}

// cmdlines reads a file of testdata/cmdlines.
func cmdlines(t *testing.T, name string) (list []*cmdline) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "cmdlines", name))
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, ok := strings.Cut(strings.TrimPrefix(line, "\t"), ": ")
		if !ok {
			t.Fatalf("%s:%d: got %q, want a word and a colon", name, number, line)
		}
		if line[0] != '\t' {
			list = append(list, &cmdline{place: name + ":" + strconv.Itoa(number), verdict: word, text: rest})
			continue
		}
		list[len(list)-1].add(t, word, rest)
	}
	return list
}

// add sets what a line below the entry says.
func (c *cmdline) add(t *testing.T, word, value string) {
	to := map[string]*string{"because": &c.because, "advice": &c.advice, "instead": &c.instead, "shows": &c.shows, "files": &c.files,
		"reference": &c.reference, "status": new(string), "refused": new(string)}[word]
	if to == nil {
		t.Fatalf("%s: got the word %q, which is unknown", c.place, word)
	}
	*to = value
	c.anyStatus = c.anyStatus || word == "status"
	c.refused = c.refused || word == "refused"
}

// words splits a command line as a shell does, with single and double quotes, and variables in the form $NAME.
func words(line string, vars map[string]string) (list []string) {
	var word strings.Builder
	quote, begun := byte(0), false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && c == ' ':
			if begun {
				list = append(list, word.String())
			}
			word.Reset()
			begun = false
		case c == '$' && quote != '\'':
			end := i + 1
			for end < len(line) && line[end] >= 'A' && line[end] <= 'Z' {
				end++
			}
			word.WriteString(vars[line[i+1:end]])
			i, begun = end-1, true
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		list = append(list, word.String())
	}
	return list
}
