package flags

import (
	"io"
	"os"

	"example.org/deref/fetch"
)

// MaxValue bounds the file with the value of a flag, or with the configuration, in bytes.
const MaxValue = 1 << 20

// ReadFile returns the contents of a file that a flag or argument names: of stdin if the name is "-". A file of more than most bytes is an error.
func ReadFile(name string, stdin io.Reader, most int) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		defer f.Close()
		stdin = f
	}
	return ReadAll(stdin, name, most)
}

// ReadAll returns the contents of a file. One of more than most bytes is an error.
func ReadAll(in io.Reader, name string, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if len(text) > most {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s is longer than %d bytes", name, most)
	}
	return text, nil
}
