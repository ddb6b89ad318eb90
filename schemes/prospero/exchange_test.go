package prospero

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/prospero/prosperotest"
)

// inBubble calls f with a Client in a bubble of testing/synctest, where retries take no time, and the URL of a server in memory.
func inBubble(t *testing.T, fsys fs.FS, fault prosperotest.Fault, f func(t *testing.T, c *fetch.Client, host string)) {
	t.Helper()
	s := prosperotest.NewServer(fsys, &prosperotest.Options{Fault: fault})
	defer s.Close()
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(Scheme())
		c.Datagrams = fetchtest.Datagrams(s.Net.Answer)
		f(t, c, s.URL)
	})
}

// TestLoss: datagrams that are lost, doubled, out of order, or sent again with the id swapped.
func TestLoss(t *testing.T) {
	var held []byte
	for name, fault := range map[string]prosperotest.Fault{
		"lost": func(n int, d []byte) [][]byte {
			if n%5 == 1 {
				return nil
			}
			return [][]byte{d}
		},
		"doubled": func(_ int, d []byte) [][]byte { return [][]byte{d, d} },
		"out of order": func(n int, d []byte) [][]byte {
			if n%4 == 1 {
				held = bytes.Clone(d)
				return nil
			}
			list := [][]byte{d}
			if held != nil {
				list, held = append(list, held), nil
			}
			return list
		},
		"swapped": func(_ int, d []byte) [][]byte {
			d = bytes.Clone(d)
			d[1], d[2] = d[2], d[1]
			return [][]byte{d}
		},
		"among others": func(_ int, d []byte) [][]byte {
			other := bytes.Clone(d)
			other[1]++
			other[len(other)-1] = 'X'
			return [][]byte{nil, []byte("hello"), other, d}
		},
		"after a wait": func(n int, d []byte) [][]byte {
			if n == 0 {
				return [][]byte{{11, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 1}, d}
			}
			return [][]byte{d}
		},
	} {
		inBubble(t, files(), fault, func(t *testing.T, c *fetch.Client, host string) {
			_, body, err := get(t, host+"/AFTP/pub/long.txt", c)
			if err != nil || body != string(files()["pub/long.txt"].Data) {
				t.Errorf("%s: got %d bytes, %v, want %d", name, len(body), err, len(files()["pub/long.txt"].Data))
			}
		})
	}
}

// TestControl: messages that a server sends by the header alone.
func TestControl(t *testing.T) {
	for name, tt := range map[string]struct {
		packet func(n int, d []byte) []byte
		kind   fetch.Kind
	}{
		"refused":   {func(_ int, d []byte) []byte { return []byte{13, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 1} }, fetch.ErrRefused},
		"silent":    {func(int, []byte) []byte { return nil }, fetch.ErrTimeout},
		"wait":      {func(_ int, d []byte) []byte { return []byte{11, d[1], d[2], 0, 0, 0, 0, 0, 0, 3, 132} }, fetch.ErrTimeout},
		"two sizes": {func(n int, d []byte) []byte { return []byte{7, d[1], d[2], 0, 3, 0, 9 - byte(n&1)} }, fetch.ErrProtocol},
		"void":      {func(_ int, d []byte) []byte { return []byte{7, d[1], d[2], 0, 1, 0, 1} }, fetch.ErrProtocol},
		"circle": {func(_ int, d []byte) []byte {
			return []byte{19, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1, 0, 25}
		}, fetch.ErrRefusedPort},
	} {
		fault := func(n int, d []byte) [][]byte { return [][]byte{tt.packet(n, d)} }
		inBubble(t, files(), fault, func(t *testing.T, c *fetch.Client, host string) {
			if _, _, err := get(t, host+"/AFTP/pub/long.txt", c); !errors.Is(err, tt.kind) {
				t.Errorf("%s: got %v, want kind %s", name, err, tt.kind)
			}
		})
	}
}

// TestSilence checks that a server that sends nothing causes a timeout within 30 s, unless it has requested a longer wait.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(Scheme())
		began := time.Now()
		var at []time.Duration
		c.Datagrams = fetchtest.Datagrams(func([]byte, func([]byte)) { at = append(at, time.Since(began)) })
		_, _, err := get(t, "prospero://p.example//AFTP/pub/long.txt", c)
		if took := time.Since(began); fetch.KindOf(err) != fetch.ErrTimeout || took != 30*time.Second {
			t.Errorf("got %v after %v, want a timeout after 30 s", err, took)
		}
		if want := []time.Duration{0, 4 * time.Second, 12 * time.Second, 28 * time.Second, 30 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("got packets at %v, want them at %v, the last of them to cancel", at, want)
		}
	})
}

// TestLongRequest: a name that needs several packets.
func TestLongRequest(t *testing.T) {
	name := strings.Repeat("long name/", 400) + "x"
	fsys := fstest.MapFS{name: {Data: []byte("far down")}}
	lose := 0
	fault := func(_ int, d []byte) [][]byte {
		if lose++; lose == 1 {
			return nil
		}
		return [][]byte{d}
	}
	inBubble(t, fsys, fault, func(t *testing.T, c *fetch.Client, host string) {
		if _, body, err := get(t, host+"/AFTP/"+strings.ReplaceAll(name, " ", "%20"), c); err != nil || body != "far down" {
			t.Errorf("got %q, %v, want far down", body, err)
		}
	})
}
