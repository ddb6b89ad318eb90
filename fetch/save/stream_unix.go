//go:build unix

package save

import "syscall"

// openNow makes opening a FIFO return at once, and its writing end with deadlines.
const openNow = syscall.O_NONBLOCK

const errNoReader = syscall.ENXIO
