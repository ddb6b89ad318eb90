//go:build !linux

package save

import (
	"errors"
	"os"
)

func setAttribute(*os.File, attribute) error { return errors.ErrUnsupported }
