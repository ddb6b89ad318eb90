package dialogue

import (
	"bytes"
	be "encoding/binary"
)

// HTTP/2 on a connection of a script. A client sends acknowledgments and window updates (RFC 9113 sections 6.5.3 and 6.9) when its reader is
// ready, so their place between the requests is not compared. The server sends no more than the windows allow.

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" // RFC 9113 section 3.4

const (
	frameHead    = 9 // bytes: RFC 9113 section 4.1
	frameData    = 0 // types: RFC 9113 section 6
	frameHeaders = 1
	frameSetting = 4
	frameWindow  = 8
	frameGoesOn  = 9

	initialWindow = 4 // the SETTINGS_INITIAL_WINDOW_SIZE, RFC 9113 section 6.5.2
	firstWindow   = 65535
)

// A frameFilter selects the bytes of requests: the preface, HEADERS, CONTINUATION and DATA.
type frameFilter struct {
	held    []byte
	begun   bool
	initial int // window of a new stream
	window  int // bytes that the server may send on the latest stream
}

// keep returns the bytes to be compared, from p and from the rest of earlier calls.
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

// widen applies a frame that allows the server to send more.
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

// filtered returns lines whose C lines have only the bytes to be compared, and a filter for each connection that begins as HTTP/2.
func filtered(lines []Line) ([]Line, map[int]*frameFilter) {
	first := map[int][]byte{}
	for _, l := range lines {
		if l.Dir == 'C' && len(first[l.Conn]) < len(preface) {
			first[l.Conn] = append(first[l.Conn], l.Data...)
		}
	}
	expected, client := map[int]*frameFilter{}, map[int]*frameFilter{}
	for conn, b := range first {
		if conn > 0 && bytes.HasPrefix(b, []byte(preface)) {
			expected[conn], client[conn] = &frameFilter{}, &frameFilter{}
		}
	}
	if len(expected) == 0 {
		return lines, nil
	}
	out := make([]Line, 0, len(lines))
	for _, l := range lines {
		if f := expected[l.Conn]; f != nil && l.Dir == 'C' {
			if l.Data = f.keep(l.Data); len(l.Data) == 0 {
				continue
			}
		}
		out = append(out, l)
	}
	return out, client
}
