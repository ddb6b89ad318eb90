package mirror

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A listing shows that a document has not changed if its time is as exact as the listing states, and the document was old enough when it was
// fetched: less exact times neither cause a request nor hide a change.
func TestListingsOfUnequalPrecision(t *testing.T) {
	const second, minute, day = time.Second, time.Minute, 24 * time.Hour
	at := time.Date(2026, 3, 4, 10, 11, 12, 0, time.UTC)
	entry := func(precision time.Duration, noZone bool, later time.Duration) fetch.Entry {
		unit := max(precision, time.Second)
		return fetch.Entry{Size: 4, Modified: at.Add(later).Truncate(unit), Precision: precision, ZoneUnknown: noZone}
	}
	for _, tt := range []struct {
		name       string
		then, now  fetch.Entry
		afterwards time.Duration // the time of the fetch after that of the document
		want       bool
	}{
		{"the same second", entry(second, false, 0), entry(second, false, 0), time.Hour, true},
		{"the next second", entry(second, false, 0), entry(second, false, second), time.Hour, false},
		{"a full minute, exact", entry(second, false, -12*second), entry(second, false, -12*second), time.Hour, true},
		{"young", entry(second, false, 0), entry(second, false, 0), minute, false},
		{"the minute, in a known zone", entry(minute, false, 0), entry(minute, false, 0), time.Hour, true},
		{"the minute, perhaps in a zone far west", entry(minute, true, 0), entry(minute, true, 0), 11 * time.Hour, false},
		{"the minute, in any zone", entry(minute, true, 0), entry(minute, true, 0), 13 * time.Hour, true},
		{"the next minute", entry(minute, true, 0), entry(minute, true, minute), 13 * time.Hour, false},
		{"the minute and then the day", entry(minute, true, 0), entry(day, true, 0), 2 * day, true},
		{"the minute and then the day, fetched on that day", entry(minute, true, 0), entry(day, true, 0), 12 * time.Hour, false},
		{"the minute and then the next day", entry(minute, true, 0), entry(day, true, day), 3 * day, false},
		{"the second and then the minute", entry(second, false, 0), entry(minute, false, 0), time.Hour, true},
		{"zones that cannot be compared", entry(second, false, 0), entry(minute, true, 0), 2 * day, false},
		{"not stated, without seconds", entry(0, false, -12*second), entry(0, false, -12*second), time.Hour, false},
		{"not stated, with seconds", entry(0, false, 0), entry(0, false, 0), time.Hour, true},
		{"not stated, old", entry(0, false, -12*second), entry(0, false, -12*second), 2 * day, true},
		{"another size", fetch.Entry{Size: 5, Modified: at, Precision: second}, entry(second, false, 0), time.Hour, false},
	} {
		r := Record{Listed: listedOf(tt.then), Time: at.Add(tt.afterwards)}
		if got := r.isListed(listedOf(tt.now)); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

// A line of a menu that is too long for a link is copied in constant memory.
func TestLongLineOfAMenu(t *testing.T) {
	const size, most = 4 << 20, 1 << 20
	text := strings.NewReader(strings.Repeat("x", size) + "\niend\n")
	var got bytes.Buffer
	got.Grow(size + 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := (&mirror{}).relinkMenu(&got, text, uri.URI{})
	runtime.ReadMemStats(&after)
	text.Seek(0, io.SeekStart)
	want, _ := io.ReadAll(text)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes, %v, want the %d of the menu", got.Len(), err, len(want))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("got %d bytes allocated, want at most %d", used, most)
	}
}
