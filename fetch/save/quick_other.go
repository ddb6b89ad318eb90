//go:build !linux

package save

func (f *Dir) writeQuick(string, []byte) bool { return false }
