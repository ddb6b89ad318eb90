package lineproto

// LineEnds finds line ends other than CRLF in a text that arrives in pieces.
type LineEnds struct{ last, second byte }

// Wrong returns a description of the first line end in p that is not CRLF, or "". p follows what was passed before.
func (l *LineEnds) Wrong(p []byte) (wrong string) {
	for _, c := range p {
		switch {
		case wrong != "" || c != '\n':
		case l.last != '\r':
			wrong = "LF without CR"
		case l.second == '\r':
			wrong = "CR CR LF"
		}
		l.second, l.last = l.last, c
	}
	return wrong
}
