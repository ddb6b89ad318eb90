package checksum

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"fmt"
	"hash"
	"strings"
)

// An Algorithm is a hash function, by its name in the registry of IANA (Hash Function Textual Names), which Metalink uses: "sha-256".
type Algorithm string

const (
	MD5    Algorithm = "md5"
	SHA1   Algorithm = "sha-1"
	SHA224 Algorithm = "sha-224"
	SHA256 Algorithm = "sha-256"
	SHA384 Algorithm = "sha-384"
	SHA512 Algorithm = "sha-512"
)

// function is what is known about an Algorithm.
type function struct {
	name     Algorithm
	size     int // bytes of a digest
	strength int // to choose among several digests of one file; 0 is weak
	make     func() hash.Hash
}

// functions returns all algorithms.
func functions() []function {
	return []function{
		{MD5, md5.Size, 0, md5.New},
		{SHA1, sha1.Size, 0, sha1.New},
		{SHA224, sha256.Size224, 1, sha256.New224},
		{SHA256, sha256.Size, 3, sha256.New},
		{SHA384, sha512.Size384, 4, sha512.New384},
		{SHA512, sha512.Size, 5, sha512.New},
		{"sha3-224", 28, 1, func() hash.Hash { return sha3.New224() }},
		{"sha3-256", 32, 2, func() hash.Hash { return sha3.New256() }},
		{"sha3-384", 48, 2, func() hash.Hash { return sha3.New384() }},
		{"sha3-512", 64, 2, func() hash.Hash { return sha3.New512() }},
		{"sha-512/256", sha512.Size256, 2, sha512.New512_256},
	}
}

func (a Algorithm) function() function {
	for _, f := range functions() {
		if f.name == a {
			return f
		}
	}
	return function{}
}

// IsWeak reports whether people can make two files with the same digest (MD5, SHA-1). It returns false for an algorithm that is not known.
func (a Algorithm) IsWeak() bool {
	f := a.function()
	return f.make != nil && f.strength == 0
}

// New returns the hash function. It returns nil if a is not known.
func (a Algorithm) New() hash.Hash {
	if f := a.function(); f.make != nil {
		return f.make()
	}
	return nil
}

// Named returns the algorithm that programs and servers call name, in any case: "SHA256", "sha-256", "SHA2-256", "SHA" (SHA-1, RFC 3230). It
// returns "" if it is not known.
func Named(name string) Algorithm {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "sha" {
		return SHA1
	}
	if size, ok := strings.CutPrefix(name, "sha2-"); ok {
		name = "sha" + size
	}
	for _, f := range functions() {
		if letters(string(f.name)) == letters(name) {
			return f.name
		}
	}
	return ""
}

// Stated parses ALGORITHM:HEX, a digest that a user states. It returns nil, nil if s does not begin with an algorithm, and an error for a weak one.
func Stated(s string) (*File, error) {
	name, digits, ok := strings.Cut(s, ":")
	a := Named(name)
	switch {
	case !ok || a == "":
		return nil, nil
	case a.IsWeak():
		return nil, fmt.Errorf("%s: too weak to tell a file from a forged one; use sha256, sha384 or sha512", name)
	}
	d, err := ParseHex(a, digits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{Size: -1, Digests: []Digest{d}}, nil
}

// letters returns a name without what programs write differently between its parts.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_/", r) {
			return -1
		}
		return r
	}, name)
}

// OfSize returns the algorithm of the SHA-2 family, SHA-1 or MD5 whose digests have size bytes. It returns "" if there is none.
func OfSize(size int) Algorithm {
	for _, f := range functions()[:6] {
		if f.size == size {
			return f.name
		}
	}
	return ""
}
