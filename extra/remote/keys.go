package remote

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"time"
)

// serverName is the name that the certificates of servers are for.
const serverName = "localhost"

// Keys is a self-signed certificate of a server and its private key, in PEM. It is valid for localhost and for the
// loopback addresses, from an hour ago for a day.
type Keys struct{ Certificate, Private []byte }

// NewKeys makes a certificate with a new key (ECDSA, P-256).
func NewKeys() (*Keys, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: serverName},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), DNSNames: []string{serverName},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, BasicConstraintsValid: true, IsCA: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &Keys{Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		Private: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})}, nil
}

// protocols are those that a connection may have over TLS: HTTP/2 for gRPC, and no protocol for others.
func protocols() []string { return []string{"h2"} }

// server is the configuration of a server with the keys.
func (k *Keys) server() (*tls.Config, error) {
	pair, err := tls.X509KeyPair(k.Certificate, k.Private)
	return &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: protocols(),
		MinVersion: tls.VersionTLS13}, err
}

// Client returns the configuration of a client that trusts only the certificate; nil without keys.
func (k *Keys) Client() (*tls.Config, error) {
	if k == nil {
		return nil, nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(k.Certificate) {
		return nil, errors.New("the certificate of the server is not PEM")
	}
	return &tls.Config{RootCAs: roots, ServerName: serverName, NextProtos: protocols(),
		MinVersion: tls.VersionTLS13}, nil
}
