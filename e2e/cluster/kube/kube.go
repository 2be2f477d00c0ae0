// kube is every program of a Kubernetes cluster in one file, so that a machine without an image
// registry can build and cache all of them at once: `kube apiserver`, `kube kubectl` and so on.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// Each runs until its program ends; os.Args[0] is then the program's name, as it expects.
var programs = map[string]func(){
	"apiserver":          func() { run(apiserver.NewAPIServerCommand()) },
	"controller-manager": func() { run(controllers.NewControllerManagerCommand()) },
	"dns":                dns,
	"etcd":               func() { etcdmain.Main(os.Args) },
	"kubectl":            func() { run(kubectl.NewDefaultKubectlCommand()) },
	"kubelet":            func() { run(kubelet.NewKubeletCommand(context.Background())) },
	"network-policies":   networkPolicies,
	"proxy":              func() { run(proxy.NewProxyCommand()) },
	"scheduler":          func() { run(scheduler.NewSchedulerCommand()) },
}

func main() {
	if len(os.Args) > 1 {
		if program, known := programs[os.Args[1]]; known {
			os.Args = os.Args[1:]
			program()
			return
		}
	}
	var names []string
	for name := range programs {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintf(os.Stderr, "usage: kube %s [arguments]\n", strings.Join(names, "|"))
	os.Exit(2)
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

// The server's configuration may use only the plugins that are compiled in, in this order.
func dns() {
	dnsserver.Directives = []string{"bind", "errors", "cache", "kubernetes"}
	coremain.Run()
}
