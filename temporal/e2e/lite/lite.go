// Package lite is a Temporal server in this process that keeps its data in a file, so that it can be stopped,
// killed and started again, and that asks for TLS where it is told to. temporaltest has neither.
package lite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/testing/freeport"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

// Config says what a server is.
type Config struct {
	Database  string // the file
	Port      int    // of the frontend, on 127.0.0.1, before seven others that it takes, too; 0 for any
	Namespace string // which is there from the start; default if it is empty
	TLS       config.RootTLS

	Dynamic dynamicconfig.StaticClient
	Claims  authorization.ClaimMapper // who may do what; nil: everyone everything
}

// Server is one that runs.
type Server struct {
	temporal.Server
	Address string
}

const host = "127.0.0.1"

// free is the first of eight ports. A server that is started again has to have them all: it would take those of the
// one before for hosts that are away for a moment.
func free() int {
	for {
		first, taken := freeport.MustGetFreePort(), false
		for port := first; port < first+8 && !taken; port++ {
			l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
			if taken = err != nil; !taken {
				_ = l.Close()
			}
		}
		if !taken {
			return first
		}
	}
}

// Start starts a server, which serves when Start returns.
func Start(c Config) (*Server, error) {
	if c.Port == 0 {
		c.Port = free()
	}
	address := net.JoinHostPort(host, fmt.Sprint(c.Port))
	sql := &config.SQL{PluginName: sqlite.PluginName, DatabaseName: c.Database, ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "full"}}
	const active = "active"
	of := &config.Config{
		Global: config.Global{Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: host}, TLS: c.TLS},
		Persistence: config.Persistence{DefaultStore: sqlite.PluginName, VisibilityStore: sqlite.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqlite.PluginName: {SQL: sql}}},
		ClusterMetadata: &cluster.Config{FailoverVersionIncrement: 10, MasterClusterName: active, CurrentClusterName: active,
			ClusterInformation: map[string]cluster.ClusterInformation{active: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}}},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            map[string]config.Service{},
		Archival:            config.Archival{History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"}},
		PublicClient:        config.PublicClient{HostPort: address},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History: config.HistoryArchivalNamespaceDefaults{State: "disabled"}, Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"}}},
	}
	for i, name := range []string{"frontend", "history", "matching", "worker"} {
		of.Services[name] = config.Service{RPC: config.RPC{GRPCPort: c.Port + 2*i, MembershipPort: c.Port + 2*i + 1, BindOnLocalHost: true}}
	}
	if _, err := os.Stat(c.Database); errors.Is(err, fs.ErrNotExist) {
		if err := schema.SetupSchema(sql); err != nil {
			return nil, err
		}
	}
	namespace, err := schema.NewNamespaceConfig(active, cmp.Or(c.Namespace, "default"), false, nil)
	if err == nil {
		err = schema.CreateNamespaces(sql, namespace)
	}
	if err != nil {
		return nil, err
	}
	options := []temporal.ServerOption{temporal.WithConfig(of), temporal.ForServices(temporal.DefaultServices), temporal.WithLogger(log.NewNoopLogger()),
		temporal.WithDynamicConfigClient(c.Dynamic)}
	if c.Claims != nil {
		options = append(options, temporal.WithAuthorizer(authorization.NewDefaultAuthorizer()),
			temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return c.Claims }))
	}
	s, err := temporal.NewServer(options...)
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, err
	}
	return &Server{s, address}, nil
}
