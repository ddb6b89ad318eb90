package prospero

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/prosperotest"
)

// TestLoss: datagrams that are lost, doubled, out of order, or sent again with the id swapped.
func TestLoss(t *testing.T) {
	t.Parallel()
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
		s := prosperotest.NewServer(files(), &prosperotest.Options{Fault: fault})
		_, body, err := get(t, s.URL+"/AFTP/pub/long.txt", nil)
		if err != nil || body != string(files()["pub/long.txt"].Data) {
			t.Errorf("%s: got %d bytes, %v, want %d", name, len(body), err, len(files()["pub/long.txt"].Data))
		}
		s.Close()
	}
}

// TestControl: messages that a server sends by the header alone.
func TestControl(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
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
		s := prosperotest.NewServer(files(), &prosperotest.Options{Fault: func(n int, d []byte) [][]byte { return [][]byte{c.packet(n, d)} }})
		client := fetch.New(quick())
		if c.kind == fetch.ErrTimeout {
			client.Timeouts.Idle = 200 * time.Millisecond
		}
		if _, _, err := get(t, s.URL+"/AFTP/pub/long.txt", client); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want kind %s", name, err, c.kind)
		}
		s.Close()
	}
}

// TestSilence checks that a server that sends nothing causes a timeout within 30 s, unless it has requested a longer wait.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &mute{}
		c := fetch.New(Scheme())
		c.Datagrams = func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
			return server, netip.MustParseAddrPort("192.0.2.1:1525"), nil
		}
		began := time.Now()
		_, _, err := get(t, "prospero://p.example//AFTP/pub/long.txt", c)
		if took := time.Since(began); fetch.KindOf(err) != fetch.ErrTimeout || took != 30*time.Second {
			t.Errorf("got %v after %v, want a timeout after 30 s", err, took)
		}
		var at []time.Duration
		for _, sent := range server.sent {
			at = append(at, sent.Sub(began))
		}
		if want := []time.Duration{0, 4 * time.Second, 12 * time.Second, 28 * time.Second, 30 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("got packets at %v, want them at %v, the last of them to cancel", at, want)
		}
	})
}

// mute is a socket whose peer never answers.
type mute struct {
	net.PacketConn // for the methods that are not called
	sent           []time.Time
	deadline       time.Time
}

func (m *mute) WriteTo(b []byte, _ net.Addr) (int, error) {
	m.sent = append(m.sent, time.Now())
	return len(b), nil
}

func (m *mute) SetReadDeadline(at time.Time) error {
	m.deadline = at
	return nil
}

func (m *mute) ReadFrom([]byte) (int, net.Addr, error) {
	time.Sleep(time.Until(m.deadline))
	return 0, nil, os.ErrDeadlineExceeded
}

func (*mute) Close() error { return nil }

// TestLongRequest: a name that needs several packets.
func TestLongRequest(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("long name/", 400) + "x"
	fsys := fstest.MapFS{name: {Data: []byte("far down")}}
	lose := 0
	s := prosperotest.NewServer(fsys, &prosperotest.Options{Fault: func(_ int, d []byte) [][]byte {
		if lose++; lose == 1 {
			return nil
		}
		return [][]byte{d}
	}})
	defer s.Close()
	if _, body, err := get(t, s.URL+"/AFTP/"+strings.ReplaceAll(name, " ", "%20"), nil); err != nil || body != "far down" {
		t.Errorf("got %q, %v, want far down", body, err)
	}
}
