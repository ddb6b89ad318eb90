package render

import (
	"testing"
	"time"

	"example.org/deref/fetch"
)

// A date has no more digits than are known.
func TestTimeHTML(t *testing.T) {
	at := time.Date(1994, 12, 20, 12, 30, 15, 0, time.UTC)
	for _, tt := range []struct {
		precision time.Duration
		unknown   bool
		want      Markup
	}{
		{24 * time.Hour, false, `<time datetime="1994-12-20">1994-12-20</time>`},
		{time.Minute, false, `<time datetime="1994-12-20T12:30Z">1994-12-20<span class="opt"> 12:30</span></time>`},
		{time.Minute, true, `<time datetime="1994-12-20T12:30">1994-12-20<span class="opt"> 12:30</span></time>`},
		{time.Second, false, `<time datetime="1994-12-20T12:30:15Z">1994-12-20<span class="opt"> 12:30</span></time>`},
	} {
		if got := dateHTML(fetch.Entry{Modified: at, Precision: tt.precision, ZoneUnknown: tt.unknown}); got != tt.want {
			t.Errorf("%v, %t: got %s, want %s", tt.precision, tt.unknown, got, tt.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0\u00a0kB", 71_000: "71\u00a0kB", 999_600: "1.0\u00a0MB", 3_456_789: "3.5\u00a0MB",
		1 << 62: "4.6\u00a0EB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
