package batch_test

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
)

// TestDescriptors: an item that gets no file descriptor is done again when another has ended, which is not a retry, and fewer run at a time. Only
// an item that gets none three times while nothing else runs has failed.
func TestDescriptors(t *testing.T) {
	var hosts []string
	for i := range 60 {
		hosts = append(hosts, fmt.Sprintf("h%d", i))
	}
	none := &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}
	for _, refusal := range []error{none, fetch.Errorf(fetch.ErrLocal, "%w", none), &fs.PathError{Op: "open", Path: "x", Err: syscall.ENFILE}} {
		for limit, want := range map[int]int64{0: 0, 1: 120, 2: 120, 7: 120} {
			for name, hosts := range map[string][]string{"hosts": hosts, "no host": {"", ""}} {
				t.Run(fmt.Sprint(refusal, " ", limit, " ", name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := &rationed{limit: always(limit), refusal: refusal}
						sum := run(t, list(120/len(hosts), hosts...), r.task, &batch.Options{Parallel: 50})
						tries := want + 3*(120-want) + 50
						if sum.Done != want || sum.Failed != 120-want || sum.Retries != 0 || int64(r.asked) > tries || r.most != limit {
							t.Errorf("got %+v, %d tries, %d at a time; want %d done, at most %d tries, %d at a time", sum, r.asked, r.most, want, tries, limit)
						}
					})
				})
			}
		}
	}
}
