package jar

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrFormat is the error of a line that is not a cookie.
var ErrFormat = errors.New("not a cookie")

// errPrefix is the error of a cookie that no server can have set.
var errPrefix = fmt.Errorf("%w with the attributes that the prefix of its name requires (RFC 6265bis section 4.1.3)", ErrFormat)

// maxLine bounds a line of the file.
const maxLine = 16 << 10

// separators are the bytes that no part of a line contains. NUL ends a line for some programs.
const separators = "\t\r\n\x00"

// maxReported bounds the lines that an error of Load names.
const maxReported = 5

// httpOnlyMark begins the line of a cookie that scripts must not read. Older programs treat it as a comment.
const httpOnlyMark = "#HttpOnly_"

// Load adds the cookies of a file. A line has these fields, separated by tabs: domain, whether subdomains are included, path, whether TLS
// is required, expiration in seconds since 1970 (0: the end of the session), name, value. Load skips lines that are not cookies, and cookies that
// lack what the prefix of their name requires; its error, which wraps ErrFormat, then names the first ones of each. Any other error means that
// the file was not read to its end.
func (j *Jar) Load(r io.Reader) error {
	lines := bufio.NewReaderSize(r, maxLine)
	j.mu.Lock()
	defer j.mu.Unlock()
	var bad, unfit []int
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err != nil && err != io.EOF {
			return err
		}
		switch j.load(line) {
		case ErrFormat:
			bad = append(bad, n)
		case errPrefix:
			unfit = append(unfit, n)
		}
		if err == io.EOF {
			return errors.Join(skipped(bad, ErrFormat), skipped(unfit, errPrefix))
		}
	}
}

// readLine reads a line without its end. It cuts a line longer than maxLine, which parseLine then refuses.
func readLine(r *bufio.Reader) (string, error) {
	b, err := r.ReadSlice('\n')
	line := strings.TrimRight(string(b), "\r\n")
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	return line, err
}

// load adds the cookie of a line. It returns ErrFormat or errPrefix if the line is to be skipped.
func (j *Jar) load(line string) error {
	rest, httpOnly := strings.CutPrefix(line, httpOnlyMark)
	if strings.TrimSpace(rest) == "" || !httpOnly && strings.HasPrefix(line, "#") {
		return nil
	}
	c, err := parseLine(rest)
	if err != nil {
		return err
	}
	if !prefixHolds(c) {
		return errPrefix
	}
	c.httpOnly = httpOnly
	j.put(c)
	return nil
}

// skipped returns the error for the lines with these numbers. It returns nil if there are none.
func skipped(lines []int, why error) error {
	if len(lines) == 0 {
		return nil
	}
	var names []string
	for _, n := range lines[:min(len(lines), maxReported)] {
		names = append(names, strconv.Itoa(n))
	}
	text := "line " + strings.Join(names, ", ")
	if more := len(lines) - maxReported; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("%s: %w", text, why)
}

func parseLine(line string) (*cookie, error) {
	f := strings.Split(line, "\t")
	if len(line) >= maxLine { // readLine has cut it
		return nil, ErrFormat
	}
	if len(f) == 6 { // an empty value whose tab was lost
		f = append(f, "")
	}
	if len(f) != 7 || f[0] == "" || f[5] == "" || !strings.HasPrefix(f[2], "/") {
		return nil, ErrFormat
	}
	seconds, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil {
		return nil, ErrFormat
	}
	domain := canonicalHost(strings.TrimPrefix(f[0], "."))
	isName := domain != "" && !strings.ContainsAny(domain, "# /:\r\x00") && !strings.HasPrefix(domain, ".")
	if strings.ContainsAny(f[2], separators) || strings.ContainsAny(f[5]+f[6], separators+";") || !isName && !isAddress(domain) {
		return nil, ErrFormat
	}
	c := &cookie{key: key{domain, f[2], f[5]}, value: f[6],
		hostOnly: !strings.EqualFold(f[1], "TRUE") || isPublicSuffix(domain), secure: strings.EqualFold(f[3], "TRUE")}
	if seconds != 0 {
		c.expires = time.Unix(seconds, 0)
	}
	return c, nil
}

// Save writes all cookies, including those of the session, as curl does.
func (j *Jar) Save(w io.Writer) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []*cookie
	for _, c := range j.cookies {
		if !c.expired(time.Now()) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *cookie) int { return int(a.order) - int(b.order) })
	b := bufio.NewWriter(w)
	b.WriteString("# Netscape HTTP Cookie File\n\n")
	for _, c := range list {
		b.WriteString(c.line() + "\n")
	}
	return b.Flush()
}

func (c *cookie) line() string {
	domain, subdomains, secure, seconds := c.domain, "FALSE", "FALSE", int64(0)
	if !c.hostOnly {
		domain, subdomains = "."+domain, "TRUE"
	}
	if c.httpOnly {
		domain = httpOnlyMark + domain
	}
	if c.secure {
		secure = "TRUE"
	}
	if !c.expires.IsZero() {
		seconds = c.expires.Unix()
	}
	return strings.Join([]string{domain, subdomains, c.path, secure, strconv.FormatInt(seconds, 10), c.name, c.value}, "\t")
}
