//go:build !plan9

package save

import "syscall"

// errLoop is the error of a symbolic link that refers to itself through others.
const errLoop = syscall.ELOOP
