package gopher

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// dataKey is the setting that answers the questions of a form (+ASK).
const dataKey = "gopher.data"

// formStep fills in a form: it adds a flag after the Gopher+ field, and the answers in a data block.
func (r *request) formStep(answers []string) (fetch.Step, error) {
	if strings.ContainsAny(strings.Join(answers, ""), "\r\x00") {
		return fetch.Step{}, fetch.Errorf(fetch.ErrRefusedURL, "CR or NUL in an answer to a form")
	}
	plus := cmp.Or(r.plus(), "+")
	if plus[0] != '+' || strings.ContainsAny(plus, "\t\r\n") {
		return fetch.Step{}, fetch.Errorf(fetch.ErrRefusedURL, "the URI already contains answers, or requests attributes")
	}
	return fetch.Step{Args: []string{r.with(plus + "\t1")}, Data: dataBlock(answers)}, nil
}

// dataBlock returns answers in the form of Gopher+, one on each line. That of an AskL begins with the number of its lines.
func dataBlock(answers []string) string {
	var b strings.Builder
	b.WriteString("+-1\r\n")
	for _, a := range answers {
		lines := strings.Split(strings.TrimSuffix(a, "\n"), "\n")
		if strings.Contains(a, "\n") {
			b.WriteString(strconv.Itoa(len(lines)) + "\r\n")
		}
		for _, l := range lines {
			if strings.HasPrefix(l, ".") {
				b.WriteByte('.')
			}
			b.WriteString(l + "\r\n")
		}
	}
	b.WriteString(".\r\n")
	return b.String()
}

// grammar checks the request line: selector, search, Gopher+ string and data flag, separated by TABs (RFC 4266 section 2.1, Gopher+ section
// 2.6).
func grammar(s *fetch.Step) error {
	if len(s.Args) == 1 && strings.Count(s.Args[0], "\t") > 3 {
		return errors.New("a gopher request has at most four fields between TABs")
	}
	return nil
}

// hasAnswers reports whether a URI fills in a form. Its data block is several lines, which could be commands to a server of another
// protocol, so that only the user may send them.
func hasAnswers(u uri.URI) bool {
	if strings.ContainsAny(u.Path().Decode(), "\r\n") {
		return true
	}
	q, _ := u.Query()
	return strings.ContainsAny(q.Decode(), "\r\n")
}

// splitForm separates the line from the data block of a request (RFC 4266 section 2.8). A gopher URI must not contain a line end anywhere
// else, and none after the block.
func splitForm(request string) (line, data string, err error) {
	line, data, ok := strings.Cut(request, "\r\n")
	if !ok {
		return request, "", nil
	}
	if !strings.HasSuffix(line, "\t1") || !isBlock(data) {
		return "", "", fetch.Errorf(fetch.ErrRefusedURL, "line end in the Gopher+ string outside the answers to a form")
	}
	return line, data, nil
}

// isBlock reports whether s is one data block: a length and as many bytes, or "-1" and lines of which only the last is a single dot.
func isBlock(s string) bool {
	first, body, ok := strings.Cut(s, "\r\n")
	h, is := parseHead(first)
	switch {
	case !ok || !is || h.isError || strings.Contains(s, "\x00"):
		return false
	case h.length >= 0:
		return h.length == int64(len(body))
	case h.length == endsWithClose:
		return false
	}
	body, ok = strings.CutSuffix("\r\n"+body, "\r\n.\r\n")
	return ok && !strings.Contains(body+"\r\n", "\r\n.\r\n") && !strings.ContainsAny(strings.ReplaceAll(body, "\r\n", ""), "\r\n")
}
