//go:build !unix

package save

import "errors"

const openNow = 0

var errNoReader = errors.New("no reader")
