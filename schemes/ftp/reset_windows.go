package ftp

import "syscall"

// connReset is the error of a connection that the peer has reset. Windows has its own number for it (winsock2.h).
const connReset = syscall.WSAECONNRESET
