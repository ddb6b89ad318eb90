package http

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
)

// TestFieldOrder checks that frames written in pieces of any length stay unchanged, except for the fields of requests, which get the plan's
// order.
func TestFieldOrder(t *testing.T) {
	long := strings.Repeat("x", 40000) // three frames
	lines := []fetch.Step{{Verb: "GET", Args: []string{"/"}}}
	for _, verb := range []string{"Host:", "User-Agent:", "Accept:", "X-Long:", "Range:"} {
		lines = append(lines, fetch.Step{Verb: verb})
	}
	sent := []string{":method GET", ":path /", "range bytes=1-2", "x-long " + long, "accept text/html", "user-agent deref", "accept */*"}
	want := ":method GET|:path /|user-agent deref|accept text/html|accept */*|x-long " + long + "|range bytes=1-2|"
	for _, size := range []int{1, 7, 9, 4096, 1 << 20} {
		var in bytes.Buffer
		in.WriteString(http2.ClientPreface)
		f := http2.NewFramer(&in, nil)
		f.WriteSettings(http2.Setting{ID: http2.SettingEnablePush})
		var block bytes.Buffer
		enc := hpack.NewEncoder(&block)
		for stream := uint32(1); stream <= 3; stream += 2 {
			block.Reset()
			for _, pair := range sent {
				name, value, _ := strings.Cut(pair, " ")
				enc.WriteField(hpack.HeaderField{Name: name, Value: value})
			}
			b := block.Bytes()
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: b[:100], EndStream: true})
			f.WriteContinuation(stream, false, b[100:16000])
			f.WriteContinuation(stream, true, b[16000:])
			f.WritePing(false, [8]byte{1, 2, 3})
		}
		o, out := newFieldOrder(), []byte(nil)
		o.set(lines)
		for piece := range slices.Chunk(in.Bytes(), size) {
			b, err := o.rewrite(piece)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, b...)
		}
		out, ok := bytes.CutPrefix(out, []byte(http2.ClientPreface))
		if !ok {
			t.Fatalf("in pieces of %d bytes: got %.30q, want the preface first", size, out)
		}
		r := http2.NewFramer(nil, bytes.NewReader(out))
		r.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		got := ""
		for {
			frame, err := r.ReadFrame()
			if err != nil {
				break
			}
			if h, ok := frame.(*http2.MetaHeadersFrame); ok {
				text := ""
				for _, field := range h.Fields {
					text += field.Name + " " + field.Value + "|"
				}
				if text != want || !h.StreamEnded() {
					t.Errorf("in pieces of %d bytes: got the fields %.200q, want %.200q", size, text, want)
				}
			}
			got += fmt.Sprintf("%v %d,", frame.Header().Type, frame.Header().StreamID)
		}
		if want := "SETTINGS 0,HEADERS 1,PING 0,HEADERS 3,PING 0,"; got != want {
			t.Errorf("in pieces of %d bytes: got the frames %s, want %s", size, got, want)
		}
	}
}
