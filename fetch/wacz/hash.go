package wacz

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
)

// hashLike returns the hash of r in the form of another: "sha256:" and hexadecimal digits.
func hashLike(like string, r io.Reader) (string, error) {
	name, _, _ := strings.Cut(like, ":")
	var h hash.Hash
	switch strings.ToLower(name) {
	case "sha256":
		h = sha256.New()
	case "sha512":
		h = sha512.New()
	case "sha1":
		h = sha1.New()
	case "md5":
		h = md5.New()
	default:
		return "", fmt.Errorf("unknown hash %.40q", like)
	}
	_, err := io.Copy(h, r)
	return name + ":" + hex.EncodeToString(h.Sum(nil)), err
}

// hashOfLength returns the name of the hash with n hexadecimal digits, or "unknown".
func hashOfLength(n int) string {
	switch n {
	case 2 * md5.Size:
		return "md5"
	case 2 * sha1.Size:
		return "sha1"
	case 2 * sha256.Size:
		return "sha256"
	case 2 * sha512.Size:
		return "sha512"
	}
	return "unknown"
}
