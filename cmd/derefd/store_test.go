//go:build unix || windows

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/warc"
)

const (
	storeID     = "test-account"
	storeSecret = "test-secret-0123456789"
	storeBucket = "archives"
)

// s3 starts versitygw (go install github.com/versity/versitygw/cmd/versitygw@latest), or skips the test if it is not installed.
func s3(t *testing.T) (endpoint string, client *minio.Client) {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("versitygw is not installed")
	}
	addr := loopback.Reserve(t)
	dir, side := t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(context.Background(), program, "--quiet", "--port", addr, "posix", "--sidecar", side, dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+storeID, "ROOT_SECRET_KEY="+storeSecret)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	client, err = minio.New(addr, &minio.Options{Creds: credentials.NewStaticV4(storeID, storeSecret, ""), Region: "us-east-1", MaxRetries: 1})
	if err != nil {
		t.Fatal(err)
	}
	loopback.Until(t, "bucket", func() bool { // it does not listen at first
		select {
		case <-ended:
			t.Fatalf("got the end of versitygw: %s", out.Bytes())
		default:
		}
		return client.MakeBucket(t.Context(), storeBucket, minio.MakeBucketOptions{}) == nil
	})
	return "http://" + addr, client
}

// objects returns the names and sizes of what is in the bucket.
func objects(t *testing.T, client *minio.Client) map[string]int64 {
	t.Helper()
	list := map[string]int64{}
	for o := range client.ListObjects(t.Context(), storeBucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		list[o.Key] = o.Size
	}
	return list
}

// Archives are moved to a store, those that a killed worker has left included, and the index is made of what is there.
func TestStore(t *testing.T) {
	long(t, "it takes seconds")
	endpoint, client := s3(t)
	long := make([]byte, 20<<20) // three parts
	rand.NewChaCha8([32]byte{}).Read(long)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			w.Write(long)
			return
		}
		fmt.Fprintln(w, r.URL.Path)
	}))
	t.Cleanup(web.Close)
	job := jobOf(t, fmt.Sprintf("task = \"archive\"\npartitions = 2\nseeds = [\"%s/long\", \"%s/short\"]\n[store]\nurl = \"s3://%s/a/b/\"\nendpoint = \"%s\"\nregion = \"us-east-1\"\ncredentials = \"keys\"\n",
		web.URL, web.URL, storeBucket, endpoint))
	login := func(secret string) {
		t.Helper()
		text := "[default]\naws_access_key_id = " + storeID + "\naws_secret_access_key=" + secret + "\n\n[other]\naws_access_key_id = other\n"
		fileIn(t, filepath.Dir(job), "keys", text)
	}
	local := func() []string {
		t.Helper()
		list, err := archivesIn(filepath.Join(filepath.Dir(job), "job.data", "warc"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range list {
			names = append(names, f.Path)
		}
		return names
	}
	login("wrong-secret-0123456789")
	_, errs := derefd(t, 6, "run", job)
	if !strings.Contains(errs, "auth: store: a/b/run-") || strings.Contains(errs, "wrong-secret") {
		t.Errorf("got %q with another secret, want the reason without the secret", errs)
	}
	if list := local(); len(list) != 1 {
		t.Fatalf("got the archives %v, want one that could not be moved", list)
	} else if err := os.Rename(list[0], list[0]+warc.Unfinished); err != nil { // as if the worker had been killed
		t.Fatal(err)
	}
	login(storeSecret)
	out, errs := derefd(t, 0, "run", job)
	if !strings.Contains(out, "2 lines of ") || !strings.Contains(out, "; 0 abandoned") || strings.Contains(out+errs, storeSecret) {
		t.Errorf("got %q and %q, want two lines", out, errs)
	}
	if list := local(); len(list) != 0 {
		t.Errorf("got the archives %v, want all moved", list)
	}
	checkStored(t, client, objects(t, client))
	out, _ = derefd(t, 0, "index", job)
	if !strings.Contains(out, "2 lines of ") {
		t.Errorf("got %q from the indexes in the store, want 2 lines", out)
	}
}

// checkStored checks that each archive in the store is complete and has an index, and that one has the long document.
func checkStored(t *testing.T, client *minio.Client, list map[string]int64) {
	t.Helper()
	if list["a/b/job.cdxj"] == 0 {
		t.Errorf("got the objects %v, want the index of the job", list)
	}
	var sizes []int64
	for key, size := range list {
		name, ok := strings.CutSuffix(key, archiveSuffix)
		if !ok {
			continue
		}
		sizes = append(sizes, size)
		if _, ok := list[name+indexSuffix]; !ok {
			t.Errorf("got no index of %s", key)
		}
		o, err := client.GetObject(t.Context(), storeBucket, key, minio.GetObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := warc.Check(o, func(bad warc.Fault) { t.Errorf("%s: %v", key, bad) }); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		o.Close()
	}
	if len(sizes) == 0 || slices.Max(sizes) < 20<<20 {
		t.Errorf("got archives of %d bytes, want one with the document of 20 MiB", sizes)
	}
}

func TestStoreSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		store storeFile
		id    string
		want  string
	}{
		{storeFile{URL: "s3://b/p"}, "id", ""},
		{storeFile{URL: "s3://b", Endpoint: "http://127.0.0.1:1"}, "id", ""},
		{storeFile{URL: "s3://b/p"}, "", "no keys"},
		{storeFile{URL: "http://b/p"}, "id", "must be s3://"},
		{storeFile{URL: "s3://user:pw-1@b/p"}, "id", "must be s3://"},
		{storeFile{URL: "s3://b", Endpoint: "https://user:pw-1@h"}, "id", "must be https://HOST:PORT"},
		{storeFile{URL: "s3://b", Endpoint: "http://store.example"}, "id", "except on this machine"},
		{storeFile{URL: "s3://b", Credentials: "no-such-file"}, "id", "no-such-file"},
	} {
		env := map[string]string{"AWS_ACCESS_KEY_ID": c.id, "AWS_SECRET_ACCESS_KEY": "pw-1"}
		s, err := openStore(&jobFile{Store: c.store, Data: t.TempDir()}, func(name string) string { return env[name] })
		switch {
		case c.want == "" && (err != nil || s == nil):
			t.Errorf("%+v: got %v, want a store", c.store, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "pw-1")):
			t.Errorf("%+v: got %v, want %q without the password", c.store, err, c.want)
		}
	}
}
