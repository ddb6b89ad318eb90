//go:build !linux

package save

func (f *Dir) renameNew(old, name string) error { return f.linkNew(old, name) }
