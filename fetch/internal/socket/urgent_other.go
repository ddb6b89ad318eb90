//go:build !linux || !(386 || amd64 || arm || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x)

package socket

import "syscall"

// urgent is not implemented for this system.
type urgent struct{ handle func(byte) bool }

// OnUrgent returns false: urgent data cannot be recognized on this system.
func (c *Conn) OnUrgent(handle func(b byte) (drop bool)) bool { return false }

func (u *urgent) read(syscall.Conn, []byte) (int, error) { return 0, syscall.EINVAL }
