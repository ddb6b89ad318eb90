package ftp

import "syscall"

// connReset is the error of a connection that the peer has reset. Plan 9 returns "hungup" or a text of its driver, which are not compared.
var connReset = syscall.NewError("connection reset by peer")
