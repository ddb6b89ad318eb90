//go:build !plan9

package save

import "syscall"

// errLoop is the error for a cycle of symbolic links.
const errLoop = syscall.ELOOP
