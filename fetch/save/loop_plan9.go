package save

import "errors"

// errLoop is the error for a cycle of symbolic links. Plan 9 has no number for it.
var errLoop = errors.New("too many levels of symbolic links")
