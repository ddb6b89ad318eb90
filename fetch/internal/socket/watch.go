package socket

// A Watch bounds and accounts for the reads of a Splice.
type Watch interface {
	Before() error                // is called before each read; an error ends Move
	Repeat(err error) bool        // reports whether a read that failed with err is to be repeated
	After(n int, err error) error // is called after each read, and returns its error
	Err() error                   // is not nil once Move must end
}
