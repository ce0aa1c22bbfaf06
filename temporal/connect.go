package temporal

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Dial connects to temporal://HOST:PORT/NAMESPACE?queue=NAME. What the address leaves out is as the options say, which
// also have TLS and credentials; else the port is 7233, the namespace default and the task queue fsmc. The error says
// what is wrong with the address or the connection, or that there is no such namespace.
func Dial(ctx context.Context, address string, o client.Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "temporal" || u.Host == "" && o.HostPort == "" || u.User != nil || strings.Contains(strings.Trim(u.Path, "/"), "/") {
		return nil, errors.New("the address of a Temporal server is temporal://HOST:PORT/NAMESPACE?queue=NAME")
	}
	for name := range u.Query() {
		if name != "queue" {
			return nil, fmt.Errorf("the address of a Temporal server has queue=NAME, and no %q", name)
		}
	}
	if u.Host != "" {
		o.HostPort = u.Host
	}
	if _, _, err := net.SplitHostPort(o.HostPort); err != nil {
		o.HostPort += ":7233"
	}
	o.Namespace = cmp.Or(strings.Trim(u.Path, "/"), o.Namespace, client.DefaultNamespace)
	c := &Client{TaskQueue: u.Query().Get("queue"), Namespace: o.Namespace}
	if c.TaskQueue == "" {
		c.TaskQueue = "fsmc"
	}
	ctx, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	if c.Temporal, err = client.DialContext(ctx, o); err != nil {
		return nil, unreached(ctx, &o, err)
	}
	if _, err := c.Temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: o.Namespace}); err != nil {
		c.Temporal.Close()
		return nil, noNamespace(o.Namespace, err)
	}
	return c, nil
}

// unreached says why there is no connection.
func unreached(ctx context.Context, o *client.Options, err error) error {
	if isDenied(err) {
		return denied(err)
	}
	secure := o.ConnectionOptions.TLS != nil && !o.ConnectionOptions.TLSDisabled
	switch speaks, failed := handshake(ctx, o); {
	case secure && speaks && failed != nil:
		return fmt.Errorf("the TLS connection to the Temporal server at %s fails: correct the certificates: %w", o.HostPort, failed)
	case !secure && speaks:
		return fmt.Errorf("the Temporal server at %s asks for TLS: connect with it: %w", o.HostPort, err)
	case secure && failed != nil:
		return fmt.Errorf("the Temporal server at %s does not speak TLS: connect without it: %w", o.HostPort, failed)
	}
	return fmt.Errorf("no Temporal server answers at %s: start it, or correct the address: %w", o.HostPort, err)
}

// isDenied reports whether the server knows not who asks, or lets them do nothing.
func isDenied(err error) bool {
	_, permission := errors.AsType[*serviceerror.PermissionDenied](err)
	return permission || status.Code(err) == codes.Unauthenticated // which has no error of its own
}

func denied(err error) error {
	return fmt.Errorf("the Temporal server refuses the API key or the certificate of the client: correct it: %w", err)
}

// handshake shakes hands by TLS, as Temporal's SDK does: that says of a connection which fails so no more than that
// its time was up. It reports whether something there speaks TLS, and what is wrong. Where nothing is there, nothing is.
func handshake(ctx context.Context, o *client.Options) (speaks bool, err error) {
	const most = 3 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	plain, err := (&net.Dialer{}).DialContext(ctx, "tcp", o.HostPort)
	if err != nil {
		return false, nil
	}
	defer plain.Close()
	_ = plain.SetDeadline(time.Now().Add(most)) // of a connection that is not closed
	config := &tls.Config{InsecureSkipVerify: true}
	if c := o.ConnectionOptions.TLS; c != nil {
		config = c.Clone()
	}
	if host, _, err := net.SplitHostPort(o.HostPort); err == nil && config.ServerName == "" {
		config.ServerName = host
	}
	config.NextProtos = []string{"h2"}
	secure := tls.Client(plain, config)
	var not tls.RecordHeaderError
	switch err = secure.HandshakeContext(ctx); {
	case errors.As(err, &not), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return false, err
	case err != nil:
		return true, err
	}
	// A server says only afterwards what it has against the certificate of the client.
	if _, err = secure.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return true, err
}
