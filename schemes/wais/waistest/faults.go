package waistest

import (
	"cmp"
	"net"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/wais/internal/z3950"
)

// Faults are errors to simulate. The zero value means none.
type Faults struct {
	Noise       string // before each frame
	Void        bool   // every frame is empty
	Raw         string // sent in place of the APDU of each response, in a valid frame
	Compression byte   // announced in each frame, but not done; 0 means none
	Encoding    byte
	CutAfter    int64 // > 0: the connection ends after n bytes
	Reset       bool  // it ends with a RST, not a FIN
	StallAfter  int64 // > 0: nothing is sent after n bytes
	Chunk       int   // bytes of a write; 0 means no splitting
	Halves      bool  // header and APDU in two writes, with Nagle's algorithm, as freeWAIS sends them: 40 ms a frame if the client delays acknowledgements
}

// A writer is the server's side of one connection, with its faults.
type writer struct {
	loopback.CutWriter
	s *server
}

// send writes a frame with the marks of the request's, and reports whether the session continues.
func (w *writer) send(h z3950.Header, apdu []byte) bool {
	f := &w.s.f
	switch {
	case f.Void || len(apdu)+z3950.HeaderLen > w.s.o.Size:
		apdu = nil // QUIRK: freeWAIS sends an empty frame if a response is larger than its buffer
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
	if tcp, ok := w.Conn.(*net.TCPConn); ok && f.Halves {
		tcp.SetNoDelay(false)
		w.Write(out)
		out = out[:0]
	}
	out = append(out, apdu...)
	for size := cmp.Or(f.Chunk, len(out)); len(out) > 0; out = out[min(size, len(out)):] {
		w.Write(out[:min(size, len(out))])
	}
	if w.Err == loopback.ErrCut && f.Reset {
		loopback.Reset(w.Conn)
	}
	return w.Err == nil
}
