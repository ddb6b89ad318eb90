//go:build amd64

package faults

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A call is one that concerns us.
type call struct {
	name   string
	file   string        // relative to its root, or "socket"
	to     string        // the second file of a rename or link
	failed syscall.Errno // 0 if it was carried out
	socket bool
	write  bool // changes a file or its directory
}

func (c call) String() string {
	s := c.name + " " + c.file
	if c.to != "" {
		s += " " + c.to
	}
	return s
}

// ends reports whether a disk or network may end with the call: it is the first that needs it, or changes it.
func (c call) ends() bool {
	return c.write || c.name == "openat" || c.name == "socket" || c.name == "connect" || c.name == "read" && c.socket
}

// A kind is a kind of call: its name and where its arguments are.
type kind struct {
	name    string
	at, to  int // the index of a descriptor; for a path, it is the one of its directory, followed by the path
	path    bool
	writes  bool
	sockets bool // it always concerns a socket
	errors  []syscall.Errno
}

// kinds returns the calls that a supervisor is asked about, by their numbers.
func kinds() map[int]kind {
	const (
		eio, enospc, edquot, emfile = unix.EIO, unix.ENOSPC, unix.EDQUOT, unix.EMFILE
		eacces, erofs, estale       = unix.EACCES, unix.EROFS, unix.ESTALE
	)
	full := []syscall.Errno{enospc, edquot, eio}
	names := []syscall.Errno{eio, enospc, erofs, eacces, edquot}
	meta := []syscall.Errno{eio, unix.EPERM, erofs}
	return map[int]kind{
		unix.SYS_OPENAT:     {name: "openat", path: true, errors: []syscall.Errno{emfile, eacces, eio, enospc, erofs, estale}},
		unix.SYS_READ:       {name: "read", errors: []syscall.Errno{eio, estale}},
		unix.SYS_PREAD64:    {name: "pread", errors: []syscall.Errno{eio, estale}},
		unix.SYS_WRITE:      {name: "write", writes: true, errors: full},
		unix.SYS_PWRITE64:   {name: "pwrite", writes: true, errors: full},
		unix.SYS_WRITEV:     {name: "writev", writes: true, errors: full},
		unix.SYS_CLOSE:      {name: "close", errors: []syscall.Errno{eio, edquot}},
		unix.SYS_FSYNC:      {name: "fsync", writes: true, errors: []syscall.Errno{eio, enospc}},
		unix.SYS_FDATASYNC:  {name: "fdatasync", writes: true, errors: []syscall.Errno{eio, enospc}},
		unix.SYS_FTRUNCATE:  {name: "ftruncate", writes: true, errors: full},
		unix.SYS_FALLOCATE:  {name: "fallocate", writes: true, errors: full},
		unix.SYS_RENAMEAT:   {name: "rename", path: true, to: 2, writes: true, errors: names},
		unix.SYS_RENAMEAT2:  {name: "rename", path: true, to: 2, writes: true, errors: names},
		unix.SYS_LINKAT:     {name: "link", path: true, to: 2, writes: true, errors: names},
		unix.SYS_SYMLINKAT:  {name: "symlink", path: true, at: 1, writes: true, errors: names},
		unix.SYS_UNLINKAT:   {name: "unlink", path: true, writes: true, errors: []syscall.Errno{eio, eacces, erofs}},
		unix.SYS_MKDIRAT:    {name: "mkdir", path: true, writes: true, errors: names},
		unix.SYS_NEWFSTATAT: {name: "stat", path: true, errors: []syscall.Errno{eio, eacces, estale}},
		unix.SYS_FSTAT:      {name: "fstat", errors: []syscall.Errno{eio, estale}},
		unix.SYS_GETDENTS64: {name: "getdents", errors: []syscall.Errno{eio, estale}},
		unix.SYS_FCHMOD:     {name: "fchmod", writes: true, errors: meta},
		unix.SYS_FCHMODAT:   {name: "chmod", path: true, writes: true, errors: meta},
		unix.SYS_FCHOWN:     {name: "fchown", writes: true, errors: meta},
		unix.SYS_UTIMENSAT:  {name: "utimens", path: true, writes: true, errors: meta},
		unix.SYS_FSETXATTR:  {name: "setxattr", writes: true, errors: []syscall.Errno{enospc, unix.ENOTSUP, eio}},
		unix.SYS_FGETXATTR:  {name: "getxattr", errors: []syscall.Errno{eio, unix.ENOTSUP}},
		unix.SYS_FLISTXATTR: {name: "listxattr", errors: []syscall.Errno{eio, unix.ENOTSUP}},
		unix.SYS_FLOCK:      {name: "flock", errors: []syscall.Errno{unix.ENOLCK, eio}},

		unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", at: 2, writes: true, errors: full},
		unix.SYS_SENDFILE:        {name: "sendfile", writes: true, errors: full},
		unix.SYS_SPLICE:          {name: "splice", at: 2, writes: true, errors: full},

		unix.SYS_SOCKET:     {name: "socket", sockets: true, errors: []syscall.Errno{emfile, unix.ENOBUFS}},
		unix.SYS_CONNECT:    {name: "connect", sockets: true, errors: []syscall.Errno{unix.ECONNREFUSED, unix.ENETUNREACH, unix.ETIMEDOUT}},
		unix.SYS_SENDTO:     {name: "sendto", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.EPIPE}},
		unix.SYS_RECVFROM:   {name: "recvfrom", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.ETIMEDOUT}},
		unix.SYS_SENDMSG:    {name: "sendmsg", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.EPIPE}},
		unix.SYS_RECVMSG:    {name: "recvmsg", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.ETIMEDOUT}},
		unix.SYS_ACCEPT4:    {name: "accept", sockets: true, errors: []syscall.Errno{emfile, unix.ECONNABORTED}},
		unix.SYS_BIND:       {name: "bind", sockets: true, errors: []syscall.Errno{unix.EADDRINUSE}},
		unix.SYS_LISTEN:     {name: "listen", sockets: true, errors: []syscall.Errno{unix.EADDRINUSE}},
		unix.SYS_SHUTDOWN:   {name: "shutdown", sockets: true, errors: []syscall.Errno{unix.ENOTCONN}},
		unix.SYS_SETSOCKOPT: {name: "setsockopt", sockets: true, errors: []syscall.Errno{unix.EINVAL, unix.ENOBUFS}},
		unix.SYS_GETSOCKOPT: {name: "getsockopt", sockets: true, errors: []syscall.Errno{unix.ENOBUFS}},
	}
}

// errorsOf returns the errors that a call can have. A socket has others than a file.
func errorsOf(c call) []syscall.Errno {
	for _, k := range kinds() {
		if k.name != c.name {
			continue
		}
		switch {
		case !c.socket || k.sockets:
			return k.errors
		case c.name == "read":
			return []syscall.Errno{unix.ECONNRESET, unix.ETIMEDOUT}
		case c.name == "write" || c.name == "writev":
			return []syscall.Errno{unix.EPIPE, unix.ECONNRESET}
		}
		return []syscall.Errno{unix.EIO}
	}
	return nil
}
