package request

import (
	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
)

// limits are the flags that limit the time of a request and the size of its document.
type limits struct {
	connectTimeout flags.Seconds
	idleTimeout    flags.Seconds
	MaxTime        flags.Seconds
	maxFilesize    flags.Size
}

func (f *limits) add(fs *pflag.FlagSet) {
	fs.Var(&f.connectTimeout, "connect-timeout", "limit the name lookup and the connection to `SECONDS` (default 15)")
	fs.Var(&f.idleTimeout, "idle-timeout", "allow silence, or less than 256 bytes/s, for at most `SECONDS` (default 60)")
	fs.VarP(&f.MaxTime, "max-time", "m", "limit the whole request to `SECONDS`")
	fs.Var(&f.maxFilesize, "max-filesize", "fail if a document is larger than `SIZE` (10M, 1G)")
}
