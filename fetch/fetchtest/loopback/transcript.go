package loopback

import "slices"

// maxTranscript bounds the transcript: a server that runs for days must not grow.
const maxTranscript = 10000

// Note adds a line to the transcript. Lines after the first 10000 are dropped.
func (s *Listener) Note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxTranscript {
		s.log = append(s.log, line)
	}
}

// NoteAll adds the lines that read returns, until it fails. It is for a server that reads commands without a reply.
func (s *Listener) NoteAll(read func() (string, error)) {
	for line, err := read(); err == nil; line, err = read() {
		s.Note(line)
	}
}

// Transcript returns the lines noted so far. They include all lines sent over connections that their clients have closed.
func (s *Listener) Transcript() []string {
	s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Peers returns the number of connections accepted so far.
func (s *Listener) Peers() int {
	s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers
}
