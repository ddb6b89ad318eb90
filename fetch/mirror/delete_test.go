package mirror_test

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// result is the result of a Run.
type result struct {
	sum  mirror.Summary
	err  error
	left int // copies
	gone []string
}

// deletes mirrors with Delete and a dry run before it.
func deletes(t *testing.T, root, dir string, o *mirror.Options) result {
	t.Helper()
	var r result
	with := mirror.Options{}
	if o != nil {
		with = *o
	}
	with.Delete, with.NoIndex, with.KeepLinks = true, true, true
	with.Done = func(e mirror.Event) {
		if e.Did == mirror.Deleted {
			r.gone = append(r.gone, e.Path)
		}
	}
	r.sum, r.err = mirror.Run(t.Context(), client(t), uri.MustParse(root), dir, &with)
	r.left = len(tree(t, dir))
	slices.Sort(r.gone)
	return r
}

// many is a tree of n files in d and one next to it.
func many(n int) map[string]string {
	all := map[string]string{"top.txt": "top"}
	for i := range n {
		all[fmt.Sprintf("d/%02d.txt", i)] = fmt.Sprint("text ", i)
	}
	return all
}

// TestDeleteNeedsTheServersWord: how an FTP server's replies about a directory affect the copies in it.
func TestDeleteNeedsTheServersWord(t *testing.T) {
	long(t, "mirrors many times")
	vsftpd := map[string]string{"CWD d": "550 Failed to change directory.", "SIZE": "550 Could not get file size.",
		"MDTM": "550 Could not get file modification time.", "RETR": "550 Failed to open file."}
	for _, c := range []struct {
		name      string
		files     map[string]string
		faults    ftptest.Faults
		deleted   int64
		kept      int64
		failed    int64
		rootFails bool
	}{
		{name: "vsftpd does not say why", files: many(20), faults: ftptest.Faults{Reply: vsftpd}, kept: 20, failed: 1},
		{name: "vsftpd could not open the directory", files: many(20), faults: ftptest.Faults{
			Final: map[string]string{"LIST": "226 Transfer done (but failed to open directory).",
				"MLSD": "226 Transfer done (but failed to open directory)."}}, failed: 2, rootFails: true},
		{name: "pure-ftpd lists a part", files: many(20), faults: ftptest.Faults{
			Final: map[string]string{"LIST": "226-Output truncated to 2000 matches\r\n226 done",
				"MLSD": "226-Output truncated to 2000 matches\r\n226 done"}}, failed: 2, rootFails: true},
		{name: "the directory is empty, and its files are there no more", files: map[string]string{"top.txt": "top", "d/": ""}, deleted: 20},
		{name: "one name less", files: many(19), deleted: 1},
		{name: "the directory is not listed any more", files: many(0), deleted: 20},
		{name: "too busy", files: many(20), faults: ftptest.Faults{Reply: map[string]string{"CWD d": "450 Too busy"}}, kept: 20, failed: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr := loopback.Reserve(t)
			first := ftptest.NewServer(files(many(20)), &ftptest.Options{Addr: addr, NoMLSD: true})
			root := first.URL + "/"
			dir := t.TempDir()
			run(t, root, dir, &mirror.Options{NoIndex: true})
			first.Close()
			site := files(c.files)
			if _, empty := c.files["d/"]; empty {
				delete(site, "d/")
				site["d"] = &fstest.MapFile{Mode: 0o755 | 1<<31}
			}
			second := ftptest.NewServer(site, &ftptest.Options{Addr: addr, Faults: &c.faults, NoMLSD: true})
			defer second.Close()
			before := tree(t, dir)
			dry := deletes(t, root, dir, &mirror.Options{DryRun: true, MaxDelete: &mirror.Bound{N: 100, Percent: true}})
			if !maps.Equal(before, tree(t, dir)) {
				t.Error("a dry run changed the directory")
			}
			r := deletes(t, root, dir, &mirror.Options{MaxDelete: &mirror.Bound{N: 100, Percent: true}})
			if r.err != nil || r.sum.Deleted != c.deleted || r.sum.Kept != c.kept || r.sum.Failed != c.failed || r.left != 21-int(c.deleted) {
				t.Errorf("got %d deleted, %d kept, %d failed, %d left, %v; want %d, %d, %d", r.sum.Deleted, r.sum.Kept, r.sum.Failed, r.left, r.err,
					c.deleted, c.kept, c.failed)
			}
			if !slices.Equal(dry.gone, r.gone) {
				t.Errorf("the dry run got %q, want %q", dry.gone, r.gone)
			}
			if c.rootFails && r.sum.First == nil {
				t.Error("got no error although the root failed")
			}
		})
	}
}

// TestMaxDelete: if more would be deleted than allowed, nothing is.
func TestMaxDelete(t *testing.T) {
	long(t, "mirrors many times")
	for _, c := range []struct {
		files int // at first, plus one
		now   int
		most  *mirror.Bound
		gone  int64
	}{
		{files: 20, now: 11, gone: 9},
		{files: 20, now: 9, gone: 0}, // 11 of 21
		{files: 9, now: 0, gone: 9},  // for ten copies there is no default bound
		{files: 20, now: 9, gone: 11, most: &mirror.Bound{N: 11}},
		{files: 20, now: 8, gone: 0, most: &mirror.Bound{N: 11}},
		{files: 20, now: 19, gone: 0, most: &mirror.Bound{N: 0}},
		{files: 4, now: 3, gone: 0, most: &mirror.Bound{N: 10, Percent: true}},
		{files: 9, now: 8, gone: 1, most: &mirror.Bound{N: 10, Percent: true}},
	} {
		site := files(many(c.files))
		f := ftptest.NewServer(site, nil)
		dir := t.TempDir()
		run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true})
		for i := c.now; i < c.files; i++ {
			delete(site, fmt.Sprintf("d/%02d.txt", i))
		}
		r := deletes(t, f.URL+"/", dir, &mirror.Options{MaxDelete: c.most})
		many, refused := errors.AsType[*mirror.TooManyError](r.err)
		if refused != (c.gone == 0) || r.sum.Deleted != c.gone || r.left != c.files+1-int(c.gone) {
			t.Errorf("%+v: got %d deleted, %d left, %v; want %d deleted", c, r.sum.Deleted, r.left, r.err, c.gone)
		}
		if refused && (many.Copies != int64(c.files-c.now) || fetch.KindOf(r.err) != fetch.ErrLocal) {
			t.Errorf("%+v: got %+v, %s; want a local TooManyError", c, many, fetch.KindOf(r.err))
		}
		if refused { // the pass is complete nevertheless
			if again := run(t, f.URL+"/", dir, nil); again.Resumed {
				t.Errorf("%+v: the pass was not ended", c)
			}
		}
		f.Close()
	}
}

func TestParseBound(t *testing.T) {
	for s, want := range map[string]string{"0": "0", "20": "20", "50%": "50%", "100%": "100%", "0%": "0%"} {
		if b, err := mirror.ParseBound(s); err != nil || b.String() != want {
			t.Errorf("%q: got %v, %v; want %q", s, b, err, want)
		}
	}
	for _, s := range []string{"", "%", "-1", "101%", "+5", "5 %", "half", "1e3", "99999999999999999999"} {
		if b, err := mirror.ParseBound(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, b)
		}
	}
}

// TestDeleteOfWhatBecameADirectory: a name that is listed with another type is not missing in the listing.
func TestDeleteOfWhatBecameADirectory(t *testing.T) {
	site := files(map[string]string{"x": "file", "y.txt": "y"})
	f := ftptest.NewServer(site, nil)
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true})
	delete(site, "x")
	maps.Copy(site, files(map[string]string{"x/in.txt": "in"}))
	r := deletes(t, f.URL+"/", dir, nil)
	if got := tree(t, dir); r.err != nil || got["x"] != "file" && r.sum.Deleted == 0 {
		t.Errorf("%+v, %v, %q", r.sum, r.err, got)
	}
	for _, name := range r.gone {
		if path.Base(name) != "x" {
			t.Errorf("%s was deleted", name)
		}
	}
}
