package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const maxAgeSeconds = 300
const maxBodyBytes = 1_000_000

// verify reports whether Posthorn sent this body, which must be exactly as received.
func verify(key []byte, header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - seconds
	if err != nil || age > maxAgeSeconds || age < -maxAgeSeconds {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

func main() {
	secret := strings.TrimPrefix(os.Getenv("POSTHORN_WEBHOOK_SECRET"), "whsec_")
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil || len(key) == 0 {
		log.Fatal("POSTHORN_WEBHOOK_SECRET is not a webhook secret")
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
		if err != nil || !verify(key, request.Header, body) {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		log.Printf("%s", body)
		response.WriteHeader(http.StatusNoContent)
	})
	server := &http.Server{Addr: ":3000", ReadTimeout: 15 * time.Second}
	log.Fatal(server.ListenAndServe())
}
