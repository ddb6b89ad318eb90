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
		var took time.Duration
		a := x.attempt()
		a.faults.StallAfter = n + 1
		a.read = func(d *fetch.Document) ([]byte, error) {
			start := time.Now()
			err := d.Body.Close()
			took = time.Since(start)
			return nil, err
		}
		_, err := a.run()
		switch {
		case took > patience/2:
			return fmt.Errorf("the server stops sending after %d of %d bytes, and Close takes %s: close the connection, and do not read the rest",
				n+1, x.script.Bytes(), took)
		case err != nil:
			return errors.Join(fmt.Errorf("the server stops sending after %d of %d bytes", n+1, x.script.Bytes()), err)
		}
	}
	return nil
}
