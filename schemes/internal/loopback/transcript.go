package loopback

import "slices"

// maxTranscript bounds what a server remembers: a server that is left running
// for days must not grow.
const maxTranscript = 10000

// Note adds one line to the transcript; lines beyond the bound are dropped.
func (s *Server) Note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxTranscript {
		s.log = append(s.log, line)
	}
}

// Transcript is a copy of the lines noted so far.
func (s *Server) Transcript() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Peers is the number of connections accepted so far.
func (s *Server) Peers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers
}
