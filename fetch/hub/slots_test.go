//go:build unix || windows

package hub

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
)

// Of those that wait for a slot, the first of the lowest rank is next, and one that gives up takes none.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slots{free: 1}
		if !s.take(t.Context(), 9) {
			t.Fatal("got no slot")
		}
		got := ""
		gone, leave := context.WithCancel(t.Context())
		for i, rank := range []int{2, 1, 0, 1} {
			ctx := t.Context()
			if rank == 0 {
				ctx = gone
			}
			go func() {
				if s.take(ctx, rank) {
					got += fmt.Sprint(i)
					s.give()
				}
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		s.give()
		synctest.Wait()
		if want := "130"; got != want || s.free != 1 {
			t.Errorf("got slots in the order %s, and %d left, want %s and 1", got, s.free, want)
		}
	})
}
