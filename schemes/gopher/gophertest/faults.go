package gophertest

import (
	"io"
	"time"
)

// Faults say what goes wrong. The zero value means nothing does.
type Faults struct {
	Delay         time.Duration     // before the first octet
	Reply         map[string]string // raw octets by request line or selector, instead of the answer
	Empty         bool              // the connection ends without an octet
	CutAfter      int64             // > 0: the connection ends after n octets
	Reset         bool              // it ends with a RST, not a FIN
	StallAfter    int64             // > 0: nothing more comes after n octets
	Stall         bool              // nothing ever comes
	Endless       bool              // the answer begins anew at its end, for ever
	EndlessLine   bool              // one line that never ends
	ChunkDelay    time.Duration     // before each piece
	Chunk         int               // size of such a piece; 0 is as it comes
	NoCloseNotify bool              // TLS ends without close_notify
}

// faulty plays the faults that replace the answer.
func (s *Server) faulty(w *writer, q request) bool {
	if !s.Net.Sleep(s.f.Delay) {
		return true
	}
	text, ok := s.f.Reply[q.line]
	if !ok {
		text, ok = s.f.Reply[q.selector]
	}
	switch {
	case s.f.Empty:
	case s.f.Stall:
		w.stall()
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
