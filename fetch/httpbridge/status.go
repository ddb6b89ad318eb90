package httpbridge

import (
	"net/http"

	"example.org/deref/fetch"
)

// Status returns the HTTP status by which a gateway reports that a document could not be fetched (RFC 9110 section 15.6).
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
