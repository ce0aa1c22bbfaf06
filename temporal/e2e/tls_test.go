package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"

	"github.com/fsmc-dev/fsmc/temporal/e2e/lite"
)

// authority signs certificates. Its own is NAME.pem in the folder.
type authority struct {
	t      *testing.T
	folder string
	of     *x509.Certificate
	key    *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, folder, name string) *authority {
	a := &authority{t: t, folder: folder}
	a.of, a.key = a.sign(name, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// sign writes NAME.pem and NAME.key; itself where there is no authority yet.
func (a *authority) sign(name string, of *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	of.SerialNumber, of.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	of.NotBefore, of.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	of.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	by, byKey := a.of, a.key
	if by == nil {
		by, byKey = of, key
	}
	der, err := x509.CreateCertificate(rand.Reader, of, by, &key.PublicKey, byKey)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	write(a.t, filepath.Join(a.folder, name+".pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), 0o600)
	write(a.t, filepath.Join(a.folder, name+".key"), string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})), 0o600)
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return signed, key
}

// claims lets do everything who has the key, and the server itself.
type claims struct{}

func (claims) GetClaims(of *authorization.AuthInfo) (*authorization.Claims, error) {
	if of.AuthToken == "Bearer the-right-key" || of.TLSSubject != nil && of.TLSSubject.CommonName == "server" {
		return &authorization.Claims{System: authorization.RoleAdmin}, nil
	}
	return &authorization.Claims{}, nil
}

// TestTLS: the program takes certificates and keys from the variables of Temporal's own programs, says of wrong
// ones what is wrong, and never prints them.
func TestTLS(t *testing.T) {
	folder := t.TempDir()
	ours := newAuthority(t, folder, "ca")
	newAuthority(t, folder, "others")
	ours.sign("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}})
	ours.sign("client", &x509.Certificate{})
	file := func(name string) string { return filepath.Join(folder, name) }
	trusts := config.ClientTLS{ServerName: "localhost", RootCAFiles: []string{file("ca.pem")}}
	s, err := lite.Start(lite.Config{Database: file("temporal.db"), Claims: claims{}, TLS: config.RootTLS{
		Frontend: config.GroupTLS{Client: trusts, Server: config.ServerTLS{CertFile: file("server.pem"), KeyFile: file("server.key"),
			ClientCAFiles: []string{file("ca.pem")}, RequireClientAuth: true}},
		SystemWorker: config.WorkerTLS{CertFile: file("server.pem"), KeyFile: file("server.key"), Client: trusts},
	}})
	must(t, err)
	t.Cleanup(func() { _ = s.Stop() })
	program := command(t, folder)

	trust, key := "TEMPORAL_TLS_SERVER_CA_CERT_PATH="+file("ca.pem"), "TEMPORAL_API_KEY=the-right-key"
	shows := []string{"TEMPORAL_TLS_CLIENT_CERT_PATH=" + file("client.pem"), "TEMPORAL_TLS_CLIENT_KEY_PATH=" + file("client.key")}
	private, err := os.ReadFile(file("client.key"))
	must(t, err)
	plain := server().GetFrontendHostPort()
	for name, test := range map[string]struct {
		db   string
		env  []string
		want string // what is printed has it
	}{
		"right":               {"temporal://" + s.Address, append(shows, trust, key), "[]"},
		"address by variable": {"temporal:///default", append(shows, trust, key, "TEMPORAL_ADDRESS="+s.Address), "[]"},
		"no TLS":              {"temporal://" + s.Address, nil, "asks for TLS: connect with it"},
		"other authority":     {"temporal://" + s.Address, append(shows, "TEMPORAL_TLS_SERVER_CA_CERT_PATH="+file("others.pem")), "fails: correct the certificates: tls: failed to verify certificate: x509"},
		"another name":        {"temporal://" + s.Address, append(shows, trust, "TEMPORAL_TLS_SERVER_NAME=elsewhere"), "not elsewhere"},
		"no certificate":      {"temporal://" + s.Address, []string{trust, key}, "fails: correct the certificates: remote error: tls: certificate required"},
		"wrong key":           {"temporal://" + s.Address, append(shows, trust, "TEMPORAL_API_KEY=the-wrong-key"), "refuses the API key or the certificate of the client"},
		"no key":              {"temporal://" + s.Address, append(shows, trust), "refuses the API key or the certificate of the client"},
		"no file":             {"temporal://" + s.Address, []string{"TEMPORAL_TLS_CLIENT_CERT_PATH=/nowhere", "TEMPORAL_TLS_CLIENT_KEY_PATH=/nowhere"}, "the settings of Temporal"},
		"TLS without need":    {"temporal://" + plain, []string{"TEMPORAL_TLS=true"}, "does not speak TLS: connect without it"},
		"nobody there":        {"temporal://127.0.0.1:1", append(shows, trust, key), "no Temporal server answers at 127.0.0.1:1: start it, or correct the address"},
		"keys in the address": {"temporal://ada:the-right-key@" + s.Address, nil, "the address of a Temporal server is"},
	} {
		t.Run(name, func(t *testing.T) {
			c := exec.Command(program, "list", "--db", test.db)
			c.Env = append(os.Environ(), "TEMPORAL_CONFIG_FILE="+file("none.toml"))
			c.Env = append(c.Env, test.env...)
			out, err := c.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			want := 2
			if test.want == "[]" {
				want = 0
			}
			if got := c.ProcessState.ExitCode(); got != want || !strings.Contains(string(out), test.want) {
				t.Errorf("it ends with %d, expected %d and %q: %s", got, want, test.want, out)
			}
			for _, secret := range []string{"the-right-key", "the-wrong-key", strings.Split(string(private), "\n")[1]} {
				if strings.Contains(string(out), secret) {
					t.Errorf("a secret is printed: %s", out)
				}
			}
		})
	}
}
