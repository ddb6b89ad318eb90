package fetchtest

import (
	"fmt"
	"time"

	"example.org/deref/fetch"
)

// checkClosing: Close returns while the server is silent in the middle of the document. A Close that reads the rest would not be noticed if the
// rest had arrived.
func checkClosing(x *subject) error {
	return x.eachStall(func(n int) error {
		var waited time.Duration
		a := x.attempt()
		a.faults.StallAfter = n
		a.read = func(d *fetch.Document) ([]byte, error) {
			var err error
			waited = took(func() { err = d.Body.Close() })
			return nil, err
		}
		_, err := a.run()
		if waited > patience/2 {
			return fmt.Errorf("Close takes %s: close the connection, and do not read the rest", waited)
		}
		return err
	})
}
