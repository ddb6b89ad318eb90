package warc

import "time"

// SetNow replaces the clock of a Writer.
func SetNow(o *Options, now func() time.Time) { o.now = now }
