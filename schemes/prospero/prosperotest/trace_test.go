package prosperotest

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/schemes/prospero/internal/wire"
)

// TestTracesAsServer: given the replies of dirsrv, the server responds to the client's datagrams of each captured exchange with the
// captured ones.
func TestTracesAsServer(t *testing.T) {
	list, _ := filepath.Glob(filepath.Join("..", "testdata", "traces", "*.udp"))
	if len(list) != 25 {
		t.Fatalf("%d traces", len(list))
	}
	for _, file := range list {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var said [][]byte
		var reply []byte
		for line := range strings.Lines(string(text)) {
			b, _ := hex.DecodeString(strings.TrimSpace(line[2:]))
			if line[0] == 'S' {
				_, data, _ := wire.Decode(b)
				said, reply = append(said, b), append(reply, data...)
			}
		}
		talk := &talk{cid: 0x1234, request: map[uint16][]byte{}}
		i := 0
		for line := range strings.Lines(string(text)) {
			if line[0] != 'C' {
				continue
			}
			b, _ := hex.DecodeString(strings.TrimSpace(line[2:]))
			h, data, err := wire.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range talk.take(h, data, func([]byte) []byte { return reply }) {
				if i == len(said) || !bytes.Equal(d, said[i]) {
					t.Fatalf("%s: datagram %d begins % x", filepath.Base(file), i, d[:min(len(d), 20)])
				}
				i++
			}
		}
		if i != len(said) {
			t.Errorf("%s: %d of %d datagrams", filepath.Base(file), i, len(said))
		}
	}
}
