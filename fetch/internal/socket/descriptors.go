package socket

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
)

// IsExhausted reports whether err means that the process, or the system, has no descriptor left. An error of a lookup contains the cause only as
// text.
func IsExhausted(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && strings.Contains(dns.Err, syscall.EMFILE.Error()) || isShort(err)
}

// Shortage returns an error if the process has no descriptor left.
func Shortage() error {
	if _, err := next(); isShort(err) {
		return err
	}
	return nil
}

// next returns the number of the next descriptor.
func next() (int, error) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return int(f.Fd()), nil
}
