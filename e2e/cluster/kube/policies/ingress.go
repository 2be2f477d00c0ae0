package policies

import (
	"cmp"
	"net/netip"
	"slices"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// An ingress is what a policy says about what comes in, once it has been read.
type ingress struct {
	policy *networking.NetworkPolicy
	pods   labels.Selector
	rules  []rule
}

// A rule lets sources reach ports; no sources are all there are, and so are no ports.
type rule struct {
	sources []source
	ports   []networking.NetworkPolicyPort
}

// A source is blocks of addresses, or else the pods that both selectors match.
type source struct {
	blocks     []netip.Prefix
	pods       labels.Selector
	namespaces labels.Selector // nil: the policy's own namespace
}

// read makes sense of policies, in order of their names. A part that makes none lets nothing pass.
func read(policies []*networking.NetworkPolicy) (all []ingress, undone []string) {
	sorted := slices.SortedFunc(slices.Values(policies), func(a, b *networking.NetworkPolicy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, policy := range sorted {
		types := policy.Spec.PolicyTypes
		if slices.Contains(types, networking.PolicyTypeEgress) || len(policy.Spec.Egress) > 0 {
			undone = append(undone, sentence(policy, "what goes out of pods is not restricted here: its type Egress has no effect"))
		}
		if len(types) > 0 && !slices.Contains(types, networking.PolicyTypeIngress) {
			continue
		}
		one, faults := readIngress(policy)
		undone = append(undone, faults...)
		all = append(all, one)
	}
	return all, undone
}

func readIngress(policy *networking.NetworkPolicy) (one ingress, faults []string) {
	selector := func(of *meta.LabelSelector) labels.Selector {
		read, err := meta.LabelSelectorAsSelector(of)
		if err != nil {
			faults = append(faults, sentence(policy, "a selector cannot be read, so it selects nothing: %v", err))
			return labels.Nothing()
		}
		return read
	}
	one = ingress{policy: policy, pods: selector(&policy.Spec.PodSelector)}
	for _, from := range policy.Spec.Ingress {
		read := rule{ports: from.Ports}
		for _, peer := range from.From {
			if peer.IPBlock != nil {
				blocks, err := blocksOf(peer.IPBlock)
				if err != nil {
					faults = append(faults, sentence(policy, "an ipBlock cannot be read, so it lets nothing pass: %v", err))
				}
				read.sources = append(read.sources, source{blocks: blocks, pods: labels.Nothing()})
				continue
			}
			from := source{pods: labels.Everything()}
			if peer.PodSelector != nil {
				from.pods = selector(peer.PodSelector)
			}
			if peer.NamespaceSelector != nil {
				from.namespaces = selector(peer.NamespaceSelector)
			}
			read.sources = append(read.sources, from)
		}
		one.rules = append(one.rules, read)
	}
	return one, faults
}

func (i ingress) selects(pod peer) bool {
	return i.policy.Namespace == pod.Namespace && i.pods.Matches(labels.Set(pod.Labels))
}

func (i ingress) passes(to peer, peers []peer) (passes []Rule) {
	why := i.policy.Namespace + "/" + i.policy.Name
	for _, rule := range i.rules {
		for _, from := range i.addresses(rule, peers) {
			for _, ports := range portsOf(to.Pod, rule.ports) {
				passes = append(passes, Rule{From: from, To: to.address, Ports: ports, Pass: true, Why: why})
			}
		}
	}
	return passes
}

func (i ingress) addresses(rule rule, peers []peer) (addresses []netip.Prefix) {
	if len(rule.sources) == 0 {
		return []netip.Prefix{anywhere}
	}
	for _, source := range rule.sources {
		addresses = append(addresses, source.blocks...)
		for _, peer := range peers {
			if i.covers(source, peer) && source.pods.Matches(labels.Set(peer.Labels)) {
				addresses = append(addresses, only(peer.address))
			}
		}
	}
	return addresses
}

// covers says whether a source means pods of that one's namespace.
func (i ingress) covers(source source, peer peer) bool {
	if source.namespaces == nil {
		return peer.Namespace == i.policy.Namespace
	}
	return source.namespaces.Matches(labels.Set(peer.namespace.Labels))
}

// portsOf resolves names by what the pod's containers call their ports; a name that none has lets nothing pass.
func portsOf(pod *core.Pod, given []networking.NetworkPolicyPort) (ports []Ports) {
	if len(given) == 0 {
		return []Ports{{}}
	}
	for _, port := range given {
		protocol := core.ProtocolTCP
		if port.Protocol != nil {
			protocol = *port.Protocol
		}
		switch {
		case port.Port == nil:
			ports = append(ports, Ports{Protocol: protocol})
		case port.Port.Type == intstr.String:
			for _, number := range named(pod, port.Port.StrVal, protocol) {
				ports = append(ports, Ports{protocol, number, number})
			}
		case port.EndPort != nil:
			ports = append(ports, Ports{protocol, port.Port.IntVal, *port.EndPort})
		default:
			ports = append(ports, Ports{protocol, port.Port.IntVal, port.Port.IntVal})
		}
	}
	return ports
}

// Of init containers, those count that go on beside the others.
func named(pod *core.Pod, name string, protocol core.Protocol) (numbers []int32) {
	containers := slices.Clone(pod.Spec.Containers)
	for _, container := range pod.Spec.InitContainers {
		if container.RestartPolicy != nil && *container.RestartPolicy == core.ContainerRestartPolicyAlways {
			containers = append(containers, container)
		}
	}
	for _, container := range containers {
		for _, port := range container.Ports {
			if port.Name == name && cmp.Or(port.Protocol, core.ProtocolTCP) == protocol {
				numbers = append(numbers, port.ContainerPort)
			}
		}
	}
	return numbers
}

// blocksOf are those that together are the block without its exceptions; of an IPv6 block none, for pods have no such
// addresses here.
func blocksOf(block *networking.IPBlock) ([]netip.Prefix, error) {
	whole, err := netip.ParsePrefix(block.CIDR)
	if err != nil || !whole.Addr().Is4() {
		return nil, err
	}
	var exceptions []netip.Prefix
	for _, text := range block.Except {
		exception, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		exceptions = append(exceptions, exception.Masked())
	}
	return without(whole.Masked(), exceptions), nil
}

// without halves a block until each part is in an exception or touches none.
func without(block netip.Prefix, exceptions []netip.Prefix) []netip.Prefix {
	touched := false
	for _, exception := range exceptions {
		if exception.Overlaps(block) {
			if exception.Bits() <= block.Bits() {
				return nil
			}
			touched = true
		}
	}
	if !touched {
		return []netip.Prefix{block}
	}
	low, high := halves(block)
	return append(without(low, exceptions), without(high, exceptions)...)
}

func halves(block netip.Prefix) (low, high netip.Prefix) {
	bits := block.Bits()
	upper := block.Addr().As4()
	upper[bits/8] |= 0x80 >> (bits % 8)
	return netip.PrefixFrom(block.Addr(), bits+1), netip.PrefixFrom(netip.AddrFrom4(upper), bits+1)
}
