//go:build unix && !linux && !darwin && !freebsd

package hub

import "errors"

func freeIn(string) (int64, error) { return 0, errors.ErrUnsupported }
