package request

import (
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
)

// limits are the flags of how long a request may take, and how much it may bring.
type limits struct {
	connectTimeout flags.Seconds
	idleTimeout    flags.Seconds
	MaxTime        flags.Seconds
	maxFilesize    flags.Size
}

func (f *limits) add(fs *pflag.FlagSet) {
	fs.Var(&f.connectTimeout, "connect-timeout", "look-up and connection take at most `SECONDS` (default 15)")
	fs.Var(&f.idleTimeout, "idle-timeout", "a silence, and a reply below 256 bytes/s, last at most `SECONDS` (default 60)")
	fs.VarP(&f.MaxTime, "max-time", "m", "the whole request takes at most `SECONDS`")
	fs.Var(&f.maxFilesize, "max-filesize", "a longer document is an error (`SIZE`: 10M, 1G)")
}

func (f *limits) timeouts() fetch.Timeouts {
	return fetch.Timeouts{Connect: time.Duration(f.connectTimeout), Idle: time.Duration(f.idleTimeout), Total: time.Duration(f.MaxTime)}
}
