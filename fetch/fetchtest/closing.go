package fetchtest

import (
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
)

// checkClosing: Close returns while the server is silent in the middle of the document. A Close that reads the rest would not be noticed if the
// rest had arrived.
func checkClosing(x *subject) error {
	for _, n := range x.stalls() {
		var waited time.Duration
		a := x.attempt()
		a.faults.StallAfter = n + 1
		a.read = func(d *fetch.Document) ([]byte, error) {
			var err error
			waited = took(func() { err = d.Body.Close() })
			return nil, err
		}
		_, err := a.run()
		switch {
		case waited > patience/2:
			return fmt.Errorf("the server stops sending after %d of %d bytes, and Close takes %s: close the connection, and do not read the rest",
				n+1, x.script.Bytes(), waited)
		case err != nil:
			return errors.Join(fmt.Errorf("the server stops sending after %d of %d bytes", n+1, x.script.Bytes()), err)
		}
	}
	return nil
}
