//go:build !unix

package save

import "syscall"

const errQuota = syscall.ENOSPC
