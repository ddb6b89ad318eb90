//go:build unix || windows

package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/fetch/warc"
)

// A storeFile is the table "store" of a job's file.
type storeFile struct {
	URL         string `toml:"url"` // s3://BUCKET/PREFIX
	Endpoint    string `toml:"endpoint"`
	Region      string `toml:"region"`
	Credentials string `toml:"credentials"` // a file
}

// A store is a bucket of an S3-compatible service. Workers write archives to their own disks, since a record must be durable before its
// result is, and move each to the store once it is finished.
type store struct {
	client *minio.Client
	bucket string
	prefix string // "" or "a/b/"
	dir    string // of the finished archives
}

const (
	partSize      = 8 << 20 // archives longer than this are uploaded in parts
	uploadEvery   = 10 * time.Second
	uploadRetries = 4
	indexSuffix   = ".cdxj"
	archiveSuffix = ".warc.gz"
)

// openStore returns nil if the job has no store. It does not connect.
func openStore(f *jobFile, getenv func(string) string) (*store, error) {
	if f.Store.URL == "" {
		return nil, nil
	}
	u, err := url.Parse(f.Store.URL)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "store.url must be s3://BUCKET/PREFIX")
	}
	s := &store{bucket: u.Host, dir: f.archives()}
	if p := strings.Trim(u.Path, "/"); p != "" {
		s.prefix = p + "/"
	}
	to, err := url.Parse(cmp.Or(f.Store.Endpoint, "https://s3.amazonaws.com"))
	if err != nil || to.Host == "" || to.User != nil || strings.Trim(to.Path, "/") != "" || to.RawQuery != "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "store.endpoint must be https://HOST:PORT")
	}
	if to.Scheme != "https" && (to.Scheme != "http" || to.Hostname() != "localhost" && !net.ParseIP(to.Hostname()).IsLoopback()) {
		return nil, fetch.Errorf(fetch.ErrDenied, "store.endpoint must begin with https://, except on this machine")
	}
	keys, err := storeKeys(f, getenv)
	if err != nil {
		return nil, err
	}
	s.client, err = minio.New(to.Host, &minio.Options{Creds: credentials.NewStaticV4(keys.id, keys.secret, keys.token), Secure: to.Scheme == "https",
		Region: f.Store.Region, MaxRetries: uploadRetries, Transport: &http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: time.Minute, DisableCompression: true}})
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "store: %w", err)
	}
	return s, nil
}

// storeCredentials are the keys of an account. They are never part of a message.
type storeCredentials struct{ id, secret, token string }

// storeKeys reads the keys from the file that the job names, or else from the variables that the tools of AWS use.
func storeKeys(f *jobFile, getenv func(string) string) (k storeCredentials, err error) {
	if name := f.Store.Credentials; name != "" {
		text, err := secretfile.ReadFile(f.path(name))
		if err != nil {
			return k, err
		}
		k = parseKeys(text)
	} else {
		k = storeCredentials{getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")}
	}
	if k.id == "" || k.secret == "" {
		return k, fetch.Errorf(fetch.ErrLocal, "store: no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store.credentials to a file with aws_access_key_id and aws_secret_access_key")
	}
	return k, nil
}

// parseKeys parses the first section of a credentials file of the AWS tools.
func parseKeys(text []byte) (k storeCredentials) {
	sections := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			if sections++; sections > 1 {
				break
			}
		}
		name, value, _ := strings.Cut(line, "=")
		switch value = strings.TrimSpace(value); strings.ToLower(strings.TrimSpace(name)) {
		case "aws_access_key_id":
			k.id = value
		case "aws_secret_access_key":
			k.secret = value
		case "aws_session_token":
			k.token = value
		}
	}
	return k
}

// adopt finishes the archives that killed workers have left in a directory.
func adopt(dir string) error {
	list, err := archivesIn(dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		name, left := strings.CutSuffix(f.Path, warc.Unfinished)
		if !left {
			continue
		}
		w, err := warc.Create(name, &warc.Options{Index: true, Resume: true, OnlyAdded: true, Software: "derefd"})
		if err != nil {
			continue // a living worker is writing it
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// move moves the finished archives and their indexes to the store.
func (s *store) move(ctx context.Context) error {
	list, err := archivesIn(s.dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		if strings.HasSuffix(f.Path, warc.Unfinished) {
			continue
		}
		files := []string{f.Path, strings.TrimSuffix(f.Path, archiveSuffix) + indexSuffix} // so that there is no index without its archive
		for _, name := range files {
			if err := s.put(ctx, name, false); err != nil && !errors.Is(err, fs.ErrNotExist) { // another worker in this directory has moved it
				return err
			}
		}
		for _, name := range files {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fetch.Errorf(fetch.ErrDisk, "%w", err)
			}
		}
	}
	return nil
}

// put uploads a file. An object of the same name and size is that file: a worker was killed before it could remove it. Another size is an
// error unless replace is set.
func (s *store) put(ctx context.Context, name string, replace bool) error {
	is, err := os.Stat(name)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	key := s.prefix + filepath.Base(name)
	if !replace {
		there, err := s.client.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
		switch {
		case err == nil && there.Size == is.Size():
			return nil
		case err == nil:
			return fetch.Errorf(fetch.ErrLocal, "store: %s exists with %d bytes, and the local file has %d", key, there.Size, is.Size())
		case minio.ToErrorResponse(err).Code != minio.NoSuchKey:
			return storeError(key, err)
		}
	}
	mediaType := "application/warc"
	if strings.HasSuffix(name, indexSuffix) {
		mediaType = "text/x-cdxj"
	}
	done, err := s.client.FPutObject(ctx, s.bucket, key, name, minio.PutObjectOptions{PartSize: partSize, SendContentMd5: true, ContentType: mediaType})
	if err == nil && done.Size != is.Size() {
		err = fetch.Errorf(fetch.ErrChanged, "%d of %d bytes were stored", done.Size, is.Size())
	}
	return storeError(key, err)
}

// indexes downloads the indexes of the archives in the store into a directory. job is the name of the job, whose own index is not one of them.
func (s *store) indexes(ctx context.Context, dir, job string) (list []warc.File, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing after an error
	for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix}) {
		if o.Err != nil {
			return nil, storeError(s.prefix, o.Err)
		}
		base := path.Base(o.Key)
		if !strings.HasSuffix(base, indexSuffix) || base == job+indexSuffix || base != filepath.Base(base) {
			continue
		}
		name := filepath.Join(dir, base)
		if err := s.client.FGetObject(ctx, s.bucket, o.Key, name, minio.GetObjectOptions{}); err != nil {
			return nil, storeError(o.Key, err)
		}
		list = append(list, warc.File{Path: name, Base: base})
	}
	return list, nil
}

// storeError adds a Kind to an error of the service. Its text has the name of the object, and no keys.
func storeError(key string, err error) error {
	switch r := minio.ToErrorResponse(err); {
	case err == nil || fetch.KindOf(err) != "" || errors.Is(err, context.Canceled):
		return err
	case r.Code == minio.AccessDenied || r.Code == "InvalidAccessKeyId" || r.Code == "SignatureDoesNotMatch":
		return fetch.Errorf(fetch.ErrAuth, "store: %s: %s", key, r.Code)
	case r.StatusCode != 0:
		return fetch.Errorf(fetch.ErrUnavailable, "store: %s: %s", key, cmp.Or(r.Message, r.Code))
	}
	return fetch.Errorf(fetch.ErrConnection, "store: %s: %w", key, err)
}
