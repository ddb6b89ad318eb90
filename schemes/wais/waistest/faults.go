package waistest

import (
	"io"
	"net"
	"time"

	"example.org/deref/schemes/wais/internal/z3950"
)

// Faults say what goes wrong. The zero value means nothing does.
type Faults struct {
	Delay       time.Duration // before each answer
	Noise       string        // before each frame
	Void        bool          // every frame is void
	Raw         string        // octets instead of the APDU of each answer, in a right frame
	Compression byte          // said of each frame, and not done; 0 is none
	Encoding    byte
	CutAfter    int64 // > 0: the connection ends after n octets
	Reset       bool  // it ends with a RST, not a FIN
	StallAfter  int64 // > 0: nothing more comes after n octets
	Chunk       int   // octets of a write; 0 is as it comes
	Halves      bool  // header and APDU in two writes, with Nagle's algorithm, as freeWAIS sends them: 43 ms a frame
}

// writer is the server's side of one connection, with its faults.
type writer struct {
	s    *Server
	c    net.Conn
	sent int64
}

// send writes a frame that has the marks of the request's, and reports whether the conversation goes on.
func (w *writer) send(h z3950.Header, apdu []byte) bool {
	f := &w.s.f
	switch {
	case f.Void || len(apdu)+z3950.HeaderLen > w.s.o.Size:
		apdu = nil // QUIRK: freeWAIS sends a void frame where a reply is larger than its buffer
	case f.Raw != "":
		apdu = []byte(f.Raw)
	}
	h.Length = int64(len(apdu))
	if f.Compression != 0 {
		h.Compression = f.Compression
	}
	if f.Encoding != 0 {
		h.Encoding = f.Encoding
	}
	out := h.Append([]byte(f.Noise))
	if tcp, ok := w.c.(*net.TCPConn); ok && f.Halves {
		if tcp.SetNoDelay(false); !w.piece(out) {
			return false
		}
		out = out[:0]
	}
	out = append(out, apdu...)
	for len(out) > 0 {
		n := len(out)
		if f.Chunk > 0 {
			n = min(n, f.Chunk)
		}
		if !w.piece(out[:n]) {
			return false
		}
		out = out[n:]
	}
	return true
}

func (w *writer) piece(p []byte) bool {
	f := &w.s.f
	stall := f.StallAfter > 0 && w.sent+int64(len(p)) >= f.StallAfter
	cut := f.CutAfter > 0 && w.sent+int64(len(p)) >= f.CutAfter
	switch {
	case cut:
		p = p[:f.CutAfter-w.sent]
	case stall:
		p = p[:f.StallAfter-w.sent]
	}
	w.c.SetWriteDeadline(time.Now().Add(w.s.o.Idle))
	n, err := w.c.Write(p)
	w.sent += int64(n)
	switch {
	case err != nil:
	case cut:
		if tcp, ok := w.c.(*net.TCPConn); ok && f.Reset {
			tcp.SetLinger(0)
		}
	case stall:
		w.c.SetReadDeadline(time.Now().Add(w.s.o.Idle))
		io.Copy(io.Discard, w.c)
	default:
		return true
	}
	return false
}
