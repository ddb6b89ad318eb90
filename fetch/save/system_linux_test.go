package save_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"golang.org/x/sys/unix"
)

// TestWithoutRenameat2 saves small documents where renameat2 fails as it does on NFS (EINVAL) and in some containers (ENOSYS). They
// get the mode of any new file, a name that is taken stays, and nothing temporary is left.
func TestWithoutRenameat2(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two processes")
	}
	t.Parallel()
	for _, errno := range []string{"EINVAL", "ENOSYS"} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWithoutRenameat2Child$")
		cmd.Env = append(os.Environ(), "SAVE_TEST_RENAMEAT2="+errno, helperDir+"="+dir)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "seccomp(2)") {
			t.Skipf("%s", out)
		}
		if err != nil {
			t.Errorf("%s: %v: %s", errno, err, out)
		}
		holds(t, dir, map[string][]byte{"free": octets(1000, 'a'), "taken": []byte("old")})
	}
}

// TestWithoutRenameat2Child is the process that TestWithoutRenameat2 starts.
func TestWithoutRenameat2Child(t *testing.T) {
	errno, ok := map[string]unix.Errno{"EINVAL": unix.EINVAL, "ENOSYS": unix.ENOSYS}[os.Getenv("SAVE_TEST_RENAMEAT2")]
	if !ok {
		t.Skip("only as a child of TestWithoutRenameat2")
	}
	dir := os.Getenv(helperDir)
	unix.Umask(0o027)
	failRenameat2(t, errno)
	if err := unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, dir+"2", unix.RENAME_NOREPLACE); err != errno {
		t.Fatalf("renameat2 returned %v, want %v", err, errno)
	}
	f, err := save.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := newSite(map[string]*object{"/x": {data: octets(1000, 'a')}})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Name: "free"}); err != nil {
		t.Error(err)
	}
	owns(t, filepath.Join(dir, "free"), string(octets(1000, 'a')), 0o640)
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Name: "taken", Opened: func(*fetch.Document) error {
		return os.WriteFile(filepath.Join(dir, "taken"), []byte("old"), 0o600)
	}}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
}

// failRenameat2 makes renameat2 fail with errno in all threads of this process: seccomp(2).
func failRenameat2(t *testing.T, errno unix.Errno) {
	t.Helper()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // struct seccomp_data begins with the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: unix.SYS_RENAMEAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x50000 | uint32(errno)}, // SECCOMP_RET_ERRNO
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000},              // SECCOMP_RET_ALLOW
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatalf("seccomp(2) is not allowed here: %v", err)
	}
	const setModeFilter, threadSync = 1, 1
	if r, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, threadSync, uintptr(unsafe.Pointer(&program))); errno != 0 || r != 0 {
		t.Fatalf("seccomp(2) is not allowed here: %v", errno)
	}
}

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
