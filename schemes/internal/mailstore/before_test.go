package mailstore

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestBefore tries every offset of a mailbox whose middle message is longer than a window.
func TestBefore(t *testing.T) {
	var box bytes.Buffer
	w := NewWriter(&box)
	var starts []int
	for _, text := range []string{"Subject: 1\n\nFrom here\n", "Subject: 2\n\n" + strings.Repeat("x\n\nFrom y\n", window/5),
		"Subject: 3\n\n\n\n", "Subject: 4\n"} {
		starts = append(starts, box.Len())
		w.Begin("a@b", time.Unix(0, 0))
		w.Write([]byte(text))
		w.End()
	}
	in := bytes.NewReader(box.Bytes())
	check := func(at int) {
		want := 0
		for _, s := range starts {
			if s <= at {
				want = s
			}
		}
		if got, ok, err := Before(in, int64(at)); got != int64(want) || !ok || err != nil {
			t.Fatalf("at %d: %d, want %d; %v %v", at, got, want, ok, err)
		}
	}
	for _, s := range starts {
		for at := max(0, s-20); at < s+20; at++ {
			check(at)
		}
	}
	for at := 0; at <= box.Len(); at += 997 {
		check(at)
	}
	for _, other := range []string{"", "Subject: x\n\ny\n", "Fro", strings.Repeat("z\n", window)} {
		if _, ok, err := Before(strings.NewReader(other), int64(len(other))); ok || err != nil {
			t.Errorf("%.20q: got %v %v, want false", other, ok, err)
		}
	}
}
