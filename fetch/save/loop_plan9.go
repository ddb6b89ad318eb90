package save

import "errors"

// errLoop is the error of a symbolic link that refers to itself through others. Plan 9 has no number for it.
var errLoop = errors.New("too many levels of symbolic links")
