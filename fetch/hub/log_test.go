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

// logged creates a job, and adds records from 0 to n to a partition. It returns their positions.
func logged(t *testing.T, name string, n int) (j *hub.Job, list []int64) {
	t.Helper()
	j, err := hub.Create(t.Context(), connect(t), name, &hub.JobOptions{Partitions: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		at, err := j.Append(3, []byte(fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("record %d: got %v, want it added", i, err)
		}
		list = append(list, at)
	}
	return j, list
}

func TestLogIsReadInOrder(t *testing.T) {
	t.Parallel()
	j, want := logged(t, "order", 300)
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

func TestReaderOfALogWaits(t *testing.T) {
	t.Parallel()
	j, _ := logged(t, "waits", 0)
	in := j.Log(3).Scan()
	defer in.Close()
	for i := range 20 {
		go j.Append(3, []byte(fmt.Sprint(i)))
		if got, _, err := in.Next(t.Context()); err != nil || string(got) != fmt.Sprint(i) {
			t.Fatalf("got %q, %v, want %d", got, err, i)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got, _, err := in.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %q, %v, want the end of the context", got, err)
	}
}
