// Package policies says by rules of a packet filter what NetworkPolicies let into pods. It decides only; `kube
// network-policies` is what carries the rules into a kernel.
package policies

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
)

// Objects is all that the rules are made from.
type Objects struct {
	Policies   []*networking.NetworkPolicy
	Pods       []*core.Pod
	Namespaces []*core.Namespace
}

// Rule is what becomes of packets that begin a connection to one address. The first that matches counts, and what none
// matches passes.
type Rule struct {
	From  netip.Prefix
	To    netip.Addr
	Ports Ports
	Pass  bool
	Why   string // whose rule it is: NAMESPACE/NAME of a policy or of the pod
}

// Ports are those of a protocol from First to Last; all of them if both are 0, and those of all protocols if it is "".
type Ports struct {
	Protocol    core.Protocol
	First, Last int32
}

var anywhere = netip.PrefixFrom(netip.IPv4Unspecified(), 0)

// Rules are those of all pods that a policy selects, in an order that depends on the objects alone; what is asked for and
// not done is said beside them, a sentence each.
//
// A pod reaches itself, whatever a policy says. What comes from a pod's own node has no rule: a node's filter does not
// see it as forwarded.
func Rules(objects Objects) (rules []Rule, undone []string) {
	policies, undone := read(objects.Policies)
	peers := peersOf(objects)
	for _, pod := range peers {
		selecting := slices.DeleteFunc(slices.Clone(policies), func(policy ingress) bool { return !policy.selects(pod) })
		if len(selecting) == 0 {
			continue
		}
		rules = append(rules, Rule{From: only(pod.address), To: pod.address, Pass: true, Why: pod.name()})
		for _, policy := range selecting {
			rules = append(rules, policy.passes(pod, peers)...)
		}
		rules = append(rules, Rule{From: anywhere, To: pod.address, Why: pod.name()})
	}
	return rules, undone
}

// A peer is a pod with an address of its own: it may send, and policies may select it.
type peer struct {
	*core.Pod
	address   netip.Addr
	namespace *core.Namespace
}

func (p peer) name() string { return p.Namespace + "/" + p.Name }

func peersOf(objects Objects) []peer {
	namespaces := map[string]*core.Namespace{}
	for _, namespace := range objects.Namespaces {
		namespaces[namespace.Name] = namespace
	}
	var peers []peer
	for _, pod := range objects.Pods {
		namespace, known := namespaces[pod.Namespace]
		address, has := addressOf(pod)
		if known && has {
			peers = append(peers, peer{pod, address, namespace})
		}
	}
	slices.SortFunc(peers, func(a, b peer) int {
		return cmp.Or(a.address.Compare(b.address), cmp.Compare(a.name(), b.name()))
	})
	return peers
}

// A pod on its node's network is the node to others; the address of one that has ended may be another's by now.
func addressOf(pod *core.Pod) (netip.Addr, bool) {
	if pod.Spec.HostNetwork || pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed {
		return netip.Addr{}, false
	}
	address, err := netip.ParseAddr(pod.Status.PodIP)
	return address, err == nil && address.Is4()
}

func only(address netip.Addr) netip.Prefix { return netip.PrefixFrom(address, address.BitLen()) }

func sentence(policy *networking.NetworkPolicy, format string, arguments ...any) string {
	return fmt.Sprintf("NetworkPolicy %s/%s: ", policy.Namespace, policy.Name) + fmt.Sprintf(format, arguments...)
}
