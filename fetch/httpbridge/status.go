package httpbridge

import (
	"net/http"

	"example.org/deref/fetch"
)

// Status is how a server that fetches for others says that a document could not be had: in the words of a gateway (RFC 9110 section
// 15.6) where the fault is neither its client's nor its own.
func Status(k fetch.Kind) int {
	switch k {
	case fetch.ErrRefusedURL:
		return http.StatusBadRequest
	case fetch.ErrAuth:
		return http.StatusUnauthorized
	case fetch.ErrDenied, fetch.ErrRefusedPort, fetch.ErrRefused:
		return http.StatusForbidden
	case fetch.ErrNotFound:
		return http.StatusNotFound
	case fetch.ErrRange:
		return http.StatusRequestedRangeNotSatisfiable
	case fetch.ErrUnsupported, fetch.ErrInteractive:
		return http.StatusNotImplemented
	case fetch.ErrUnavailable:
		return http.StatusServiceUnavailable
	case fetch.ErrTimeout:
		return http.StatusGatewayTimeout
	case fetch.ErrLocal, fetch.ErrDisk, "":
		return http.StatusInternalServerError
	}
	return http.StatusBadGateway
}
