package loopback

import (
	"net"
	"testing"
)

func TestPackets(t *testing.T) {
	type agent struct{ Server }
	a := &agent{}
	_, err := StartPackets(a, "x", "", func(_ net.Addr, b []byte, reply func([]byte)) {
		a.Net.Note(string(b))
		for range 2 {
			reply(append([]byte("re: "), b...))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c := dial(t, "udp", a.Addr)
	c.Write([]byte("hello"))
	for range 2 {
		b := make([]byte, 100)
		if n, err := c.Read(b); string(b[:n]) != "re: hello" || err != nil {
			t.Errorf("got %q, %v, want %q", b[:n], err, "re: hello")
		}
	}
	answers := ""
	a.Net.Answer([]byte("you"), func(b []byte) { answers += string(b) + ", " })
	if want := "re: you, re: you, "; answers != want {
		t.Errorf("without the network: got %q, want %q", answers, want)
	}
	a.Close()
	a.Close()
	if got := a.Transcript(); a.URL != "x://"+a.Addr || len(got) != 2 || got[0] != "hello" || got[1] != "you" {
		t.Errorf("%s: got transcript %q, want hello, you", a.URL, got)
	}
	if _, err := StartPackets(&agent{}, "x", "256.0.0.1:1", nil); err == nil {
		t.Error("listens nowhere")
	}
}
