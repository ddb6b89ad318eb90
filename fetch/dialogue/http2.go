package dialogue

import (
	"bytes"

	"golang.org/x/net/http2"

	"example.org/deref/fetch/h2frames"
)

// HTTP/2 on a connection of a script. A client sends acknowledgments and window updates (RFC 9113 sections 6.5.3 and 6.9) when its reader is
// ready, so their place between the requests is not compared. The server sends no more than the windows allow.

// A frameFilter selects the bytes of requests: the preface, HEADERS, CONTINUATION and DATA.
type frameFilter struct {
	*h2frames.Reader
	begun   bool
	initial int // window of a new stream
	window  int // bytes that the server may send on the latest stream
}

func newFrameFilter() *frameFilter { return &frameFilter{Reader: h2frames.NewReader(true, nil)} }

const firstWindow = 65535 // RFC 9113 section 6.9.2

// keep returns the bytes to be compared, from p and from the rest of earlier calls. Bytes that are not frames are compared, too.
func (f *frameFilter) keep(p []byte) (kept []byte) {
	if _, err := f.Write(p); err != nil {
		return p
	}
	for {
		frame, raw, err := f.Next()
		if raw == nil {
			return kept
		}
		switch x := frame.(type) {
		case nil:
			if err == nil { // the preface
				f.begun, f.initial, f.window = true, firstWindow, firstWindow
			}
		case *http2.HeadersFrame:
			f.window = f.initial
		case *http2.SettingsFrame:
			if n, ok := x.Value(http2.SettingInitialWindowSize); ok {
				f.initial, f.window = int(n), int(n)
			}
			continue
		case *http2.WindowUpdateFrame:
			if x.StreamID != 0 {
				f.window += int(x.Increment)
			}
			continue
		case *http2.DataFrame, *http2.ContinuationFrame:
		default:
			continue
		}
		kept = append(kept, raw...)
	}
}

// filtered returns lines whose C lines have only the bytes to be compared, and a filter for each connection that begins as HTTP/2.
func filtered(lines []Line) ([]Line, map[int]*frameFilter) {
	first := map[int][]byte{}
	for _, l := range lines {
		if l.Dir == 'C' && len(first[l.Conn]) < len(http2.ClientPreface) {
			first[l.Conn] = append(first[l.Conn], l.Data...)
		}
	}
	expected, client := map[int]*frameFilter{}, map[int]*frameFilter{}
	for conn, b := range first {
		if conn > 0 && bytes.HasPrefix(b, []byte(http2.ClientPreface)) {
			expected[conn], client[conn] = newFrameFilter(), newFrameFilter()
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
