//go:build !windows && !plan9

package ftp

import "syscall"

// connReset is the error of a connection that the peer has reset.
const connReset = syscall.ECONNRESET
