package gophertest

import "io"

// Faults configure the failures of a server. The zero Faults mean none.
type Faults struct {
	Reply         map[string]string // raw responses by request line or selector
	Empty         bool              // the response is empty
	CutAfter      int64             // > 0: the connection ends after n bytes
	Reset         bool              // the connection ends with RST instead of FIN
	StallAfter    int64             // > 0: the server stalls after n bytes
	Stall         bool              // the server never responds
	Endless       bool              // the response is repeated forever
	EndlessLine   bool              // the response is a line that never ends
	NoCloseNotify bool              // TLS ends without close_notify
}

// faulty applies the faults that replace the response. It reports whether there were any.
func (s *server) faulty(w *writer, q request) bool {
	text, ok := s.f.Reply[q.line]
	if !ok {
		text, ok = s.f.Reply[q.selector]
	}
	switch {
	case s.f.Empty:
	case s.f.Stall:
		w.AwaitClose()
	case s.f.EndlessLine:
		repeat(w, "iand so on ")
	case ok:
		io.WriteString(w, text)
	default:
		return false
	}
	return true
}

// repeat writes until the connection fails.
func repeat(w io.Writer, text string) {
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}
