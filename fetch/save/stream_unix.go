//go:build unix

package save

import "syscall"

// openNow makes opening a FIFO return at once, and its writing end with deadlines. A regular file is the same with and without,
// but package os then spares it four calls of fcntl.
const openNow = syscall.O_NONBLOCK

const errNoReader = syscall.ENXIO
