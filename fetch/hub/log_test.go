//go:build unix || windows

package hub_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
)

// A reader returns the records of one partition in the order of their positions, and waits for more until its context ends.
func TestLog(t *testing.T) {
	t.Parallel()
	j := newJob(t, connect(t), "log", &hub.JobOptions{Partitions: 4})
	var want []int64
	for i := range 100 {
		at, err := j.Append(3, []byte(fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("record %d: got %v, want it added", i, err)
		}
		want = append(want, at)
	}
	for range 2 { // the second reader does not depend on the first, nor the log on one that is closed
		l := j.Log(3)
		in := l.Scan()
		for i := range want {
			got, at, err := in.Next(t.Context())
			if err != nil || string(got) != fmt.Sprint(i) || at != want[i] || i > 0 && at <= want[i-1] {
				t.Fatalf("record %d: got %q at %d, %v, want it at %d", i, got, at, err, want[i])
			}
			if again, err := l.Read(at); err != nil || string(again) != string(got) {
				t.Fatalf("record %d: Read returned %q, %v", i, again, err)
			}
		}
		go j.Append(3, []byte(fmt.Sprint(len(want))))
		_, at, err := in.Next(t.Context())
		if want = append(want, at); err != nil {
			t.Errorf("got %v, want a later record", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if got, _, err := in.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %q, %v, want the end of the context", got, err)
		}
		cancel()
		if err := errors.Join(in.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := j.Log(3).Read(1 << 40); fetch.KindOf(err) == "" {
		t.Errorf("a missing record: got %v, want an error with a Kind", err)
	}
	if _, err := j.Log(2).Read(want[0]); fetch.KindOf(err) == "" {
		t.Errorf("a record of another partition: got %v, want an error with a Kind", err)
	}
}
