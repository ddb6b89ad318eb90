package lineproto

import "bytes"

// LineEnds finds line ends other than CRLF in a text that arrives in pieces.
type LineEnds struct{ last, second byte }

// Wrong returns a description of the first line end in p that is not CRLF, or "". p follows what was passed before.
func (l *LineEnds) Wrong(p []byte) (wrong string) {
	before := func(i int) byte {
		switch {
		case i >= 0:
			return p[i]
		case i == -1:
			return l.last
		}
		return l.second
	}
	for from := 0; wrong == "" && from < len(p); {
		i := bytes.IndexByte(p[from:], '\n')
		if i < 0 {
			break
		}
		i += from
		from = i + 1
		switch {
		case before(i-1) != '\r':
			wrong = "LF without CR"
		case before(i-2) == '\r':
			wrong = "CR CR LF"
		}
	}
	if n := len(p); n > 0 {
		l.second, l.last = before(n-2), p[n-1]
	}
	return wrong
}
