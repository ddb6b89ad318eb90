package dialogue

import (
	"bytes"
	be "encoding/binary"
)

// HTTP/2 on a connection of a script. A client's acknowledgments and window updates (RFC 9113 sections 6.5.3 and 6.9) come when its reader is ready,
// so their place between the requests is left open, and the server sends no more than the windows allow.

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" // RFC 9113 section 3.4

const (
	frameHead    = 9 // octets: RFC 9113 section 4.1
	frameData    = 0 // types: RFC 9113 section 6
	frameHeaders = 1
	frameSetting = 4
	frameWindow  = 8
	frameGoesOn  = 9

	initialWindow = 4 // the SETTINGS_INITIAL_WINDOW_SIZE, RFC 9113 section 6.5.2
	firstWindow   = 65535
)

// A frameFilter keeps of a client's octets what requests are made of: the preface, HEADERS, CONTINUATION and DATA.
type frameFilter struct {
	held    []byte
	begun   bool
	initial int // window of a new stream
	window  int // octets that the server may send on the latest stream
}

// keep returns what of p, and of what was held back, is to be compared.
func (f *frameFilter) keep(p []byte) (kept []byte) {
	f.held = append(f.held, p...)
	if !f.begun {
		if len(f.held) < len(preface) {
			return nil
		}
		f.begun, f.initial, f.window = true, firstWindow, firstWindow
		kept, f.held = append(kept, f.held[:len(preface)]...), f.held[len(preface):]
	}
	for len(f.held) >= frameHead {
		n := frameHead + int(be.BigEndian.Uint32(f.held)>>8)
		if len(f.held) < n {
			break
		}
		frame := f.held[:n]
		f.held = f.held[n:]
		switch frame[3] {
		case frameHeaders:
			f.window = f.initial
			fallthrough
		case frameData, frameGoesOn:
			kept = append(kept, frame...)
		default:
			f.widen(frame)
		}
	}
	return kept
}

// widen notes what a frame allows the server to send.
func (f *frameFilter) widen(frame []byte) {
	body := frame[frameHead:]
	switch {
	case frame[3] == frameSetting && frame[4] == 0:
		for ; len(body) >= 6; body = body[6:] {
			if be.BigEndian.Uint16(body) == initialWindow {
				f.initial = int(be.BigEndian.Uint32(body[2:]))
				f.window = f.initial
			}
		}
	case frame[3] == frameWindow && len(body) == 4 && !bytes.Equal(frame[5:frameHead], make([]byte, 4)): // of a stream
		f.window += int(be.BigEndian.Uint32(body))
	}
}

// filtered returns lines with what of the C lines is compared, and a filter for each connection that begins as HTTP/2.
func filtered(lines []Line) ([]Line, map[int]*frameFilter) {
	first := map[int][]byte{}
	for _, l := range lines {
		if l.Dir == 'C' && len(first[l.Conn]) < len(preface) {
			first[l.Conn] = append(first[l.Conn], l.Data...)
		}
	}
	said, heard := map[int]*frameFilter{}, map[int]*frameFilter{}
	for conn, b := range first {
		if conn > 0 && bytes.HasPrefix(b, []byte(preface)) {
			said[conn], heard[conn] = &frameFilter{}, &frameFilter{}
		}
	}
	if len(said) == 0 {
		return lines, nil
	}
	out := make([]Line, 0, len(lines))
	for _, l := range lines {
		if f := said[l.Conn]; f != nil && l.Dir == 'C' {
			if l.Data = f.keep(l.Data); len(l.Data) == 0 {
				continue
			}
		}
		out = append(out, l)
	}
	return out, heard
}
