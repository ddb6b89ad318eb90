package wacz

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch/checksum"
)

// hashLike returns the hash of r in the form of another: "sha256:" and hexadecimal digits.
func hashLike(like string, r io.Reader) (string, error) {
	name, _, _ := strings.Cut(like, ":")
	h := checksum.Named(name).New()
	if h == nil {
		return "", fmt.Errorf("unknown hash %.40q", like)
	}
	_, err := io.Copy(h, r)
	return name + ":" + hex.EncodeToString(h.Sum(nil)), err
}
