package save_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"example.org/deref/fetch/save"
)

// A replaced file keeps the attributes of the file, but not those of its contents.
func TestKeepsAttributes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	acl := []byte("\x02\x00\x00\x00" + // version 2; then user, user 12, group, mask and others, which may all read
		"\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\x0c\x00\x00\x00" + "\x04\x00\x04\x00\xff\xff\xff\xff" +
		"\x10\x00\x04\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff")
	put := func() error { lost, err := save.Rewrite(path, 0o600, text("x")); return errors.Join(err, lost) }
	if err := put(); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string][]byte{"user.note": []byte("hello"), "user.xdg.origin.url": []byte("http://old/"),
		"system.posix_acl_access": acl} {
		if err := unix.Setxattr(path, name, value, 0); err != nil {
			t.Skip("this file system has no attributes", name, err)
		}
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 200)
	for name, want := range map[string]string{"user.note": "hello", "system.posix_acl_access": string(acl)} {
		if n, err := unix.Getxattr(path, name, b); err != nil || string(b[:n]) != want {
			t.Errorf("%s: %q, %v, want %q", name, b[:max(n, 0)], err, want)
		}
	}
	if n, err := unix.Getxattr(path, "user.xdg.origin.url", b); err != unix.ENODATA {
		t.Errorf("the origin of the old contents: got %q, %v; want %v", b[:max(n, 0)], err, unix.ENODATA)
	}
	// The default access list of a directory applies to new files. It must not give others access to a replaced file that has no list.
	def := append([]byte(nil), acl...)
	if err := unix.Removexattr(path, "system.posix_acl_access"); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(filepath.Dir(path), "system.posix_acl_default", def, 0); err != nil {
		t.Fatal(err)
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Getxattr(path, "system.posix_acl_access", b); err != unix.ENODATA {
		t.Errorf("access list from the directory: got %q, %v; want %v", b[:max(n, 0)], err, unix.ENODATA)
	}
}
