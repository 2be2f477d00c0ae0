package policies

import (
	"fmt"
	"math/rand"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func namespace(name string, labels map[string]string) *core.Namespace {
	return &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: name, Labels: labels}}
}

func pod(namespace, name, address string, labels map[string]string) *core.Pod {
	return &core.Pod{
		ObjectMeta: meta.ObjectMeta{Namespace: namespace, Name: name, Labels: labels},
		Spec: core.PodSpec{Containers: []core.Container{{Ports: []core.ContainerPort{
			{Name: "grpc", ContainerPort: 7077}, {Name: "dns", ContainerPort: 53, Protocol: core.ProtocolUDP}}}}},
		Status: core.PodStatus{Phase: core.PodRunning, PodIP: address},
	}
}

// As Pliant's operator makes it.
func policyOfMaster() *networking.NetworkPolicy {
	return &networking.NetworkPolicy{
		ObjectMeta: meta.ObjectMeta{Namespace: "team", Name: "a-master"},
		Spec: networking.NetworkPolicySpec{
			PodSelector: meta.LabelSelector{MatchLabels: map[string]string{"job": "a", "role": "master"}},
			PolicyTypes: []networking.PolicyType{networking.PolicyTypeIngress},
			Ingress: []networking.NetworkPolicyIngressRule{{
				From:  []networking.NetworkPolicyPeer{{PodSelector: &meta.LabelSelector{MatchLabels: map[string]string{"job": "a"}}}},
				Ports: []networking.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(7077))}},
			}},
		},
	}
}

func team(pods ...*core.Pod) Objects {
	return Objects{
		Policies:   []*networking.NetworkPolicy{policyOfMaster()},
		Pods:       pods,
		Namespaces: []*core.Namespace{namespace("team", nil), namespace("other", nil)},
	}
}

var master = pod("team", "a-master-0", "10.0.0.2", map[string]string{"job": "a", "role": "master"})

func TestTableLetsAJobsPodsReachItsMasterAlone(t *testing.T) {
	rules, undone := Rules(team(
		pod("team", "b-worker-0", "10.0.0.4", map[string]string{"job": "b"}),
		pod("other", "a-worker-0", "10.0.0.5", map[string]string{"job": "a"}),
		pod("team", "a-worker-0", "10.0.0.3", map[string]string{"job": "a"}),
		master))

	want := strings.Join([]string{
		`*filter`,
		`:PLIANT-POLICIES - [0:0]`,
		`-A PLIANT-POLICIES -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
		`-A PLIANT-POLICIES -s 10.0.0.2/32 -d 10.0.0.2/32 -m comment --comment "team/a-master-0" -j RETURN`,
		`-A PLIANT-POLICIES -s 10.0.0.2/32 -d 10.0.0.2/32 -p tcp -m tcp --dport 7077:7077 -m comment --comment "team/a-master" -j RETURN`,
		`-A PLIANT-POLICIES -s 10.0.0.3/32 -d 10.0.0.2/32 -p tcp -m tcp --dport 7077:7077 -m comment --comment "team/a-master" -j RETURN`,
		`-A PLIANT-POLICIES -s 0.0.0.0/0 -d 10.0.0.2/32 -m comment --comment "team/a-master-0" -j REJECT --reject-with icmp-admin-prohibited`,
		`COMMIT`, ``}, "\n")
	if got := Table(rules); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(undone) > 0 {
		t.Errorf("undone: %v", undone)
	}
}

func TestPodsWithoutAnAddressOfTheirOwnHaveNoRules(t *testing.T) {
	ended := pod("team", "a-worker-0", "10.0.0.3", map[string]string{"job": "a"})
	ended.Status.Phase = core.PodFailed
	onNode := pod("team", "a-worker-1", "10.0.0.1", map[string]string{"job": "a"})
	onNode.Spec.HostNetwork = true
	pending := pod("team", "a-worker-2", "", map[string]string{"job": "a"})

	got, _ := Rules(team(ended, onNode, pending, master))
	want, _ := Rules(team(master))
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSaysWhatIsNotDone(t *testing.T) {
	objects := team(master)
	objects.Policies[0].Spec.PolicyTypes = []networking.PolicyType{networking.PolicyTypeEgress}
	rules, undone := Rules(objects)
	if len(rules) > 0 || len(undone) != 1 || !strings.Contains(undone[0], "team/a-master: what goes out of pods is not restricted") {
		t.Errorf("rules %v, undone %v", rules, undone)
	}
}

// What each rule may be made of, so that some match and some do not.
var (
	someLabels = []map[string]string{nil, {"job": "a"}, {"job": "a", "role": "master"}, {"job": "b"}, {"role": "master"}}
	someBlocks = []*networking.IPBlock{
		{CIDR: "10.0.0.0/24"}, {CIDR: "0.0.0.0/0", Except: []string{"10.0.0.0/29", "10.0.0.9/32"}},
		{CIDR: "10.0.0.4/30", Except: []string{"10.0.0.6/32"}}, {CIDR: "192.0.2.0/25"}, {CIDR: "10.0.0.8/29", Except: []string{"10.0.0.8/29"}},
	}
	someSelectors = []*meta.LabelSelector{
		{}, {MatchLabels: map[string]string{"job": "a"}}, {MatchLabels: map[string]string{"job": "b"}},
		{MatchExpressions: []meta.LabelSelectorRequirement{{Key: "job", Operator: meta.LabelSelectorOpIn, Values: []string{"a", "c"}}}},
		{MatchExpressions: []meta.LabelSelectorRequirement{{Key: "role", Operator: meta.LabelSelectorOpDoesNotExist}}},
		// Not NotIn: of pods without the label Kubernetes says that they match, and Cyclonus that they do not.
		{MatchExpressions: []meta.LabelSelectorRequirement{{Key: "role", Operator: meta.LabelSelectorOpExists}}},
	}
	somePorts = []networking.NetworkPolicyPort{
		{Port: ptr.To(intstr.FromInt32(7077))}, {Port: ptr.To(intstr.FromString("grpc"))}, {Port: ptr.To(intstr.FromString("none"))},
		{Port: ptr.To(intstr.FromString("dns")), Protocol: ptr.To(core.ProtocolUDP)}, {Port: ptr.To(intstr.FromString("dns"))},
		{Port: ptr.To(intstr.FromInt32(50)), EndPort: ptr.To(int32(53)), Protocol: ptr.To(core.ProtocolUDP)},
		{Protocol: ptr.To(core.ProtocolUDP)}, {},
	}
	someTypes = [][]networking.PolicyType{
		{networking.PolicyTypeIngress}, {networking.PolicyTypeIngress}, {networking.PolicyTypeIngress},
		{networking.PolicyTypeEgress}, {networking.PolicyTypeIngress, networking.PolicyTypeEgress}}
)

func one[T any](chance *rand.Rand, of []T) T { return of[chance.Intn(len(of))] }

func somePeer(chance *rand.Rand) networking.NetworkPolicyPeer {
	switch chance.Intn(4) {
	case 0:
		return networking.NetworkPolicyPeer{IPBlock: one(chance, someBlocks)}
	case 1:
		return networking.NetworkPolicyPeer{PodSelector: one(chance, someSelectors)}
	case 2:
		return networking.NetworkPolicyPeer{NamespaceSelector: one(chance, someSelectors)}
	}
	return networking.NetworkPolicyPeer{PodSelector: one(chance, someSelectors), NamespaceSelector: one(chance, someSelectors)}
}

func somePolicy(chance *rand.Rand, name string) *networking.NetworkPolicy {
	policy := &networking.NetworkPolicy{
		ObjectMeta: meta.ObjectMeta{Namespace: one(chance, []string{"team", "other"}), Name: name},
		Spec:       networking.NetworkPolicySpec{PodSelector: *one(chance, someSelectors), PolicyTypes: one(chance, someTypes)},
	}
	for range chance.Intn(3) {
		var rule networking.NetworkPolicyIngressRule
		for range chance.Intn(3) {
			rule.From = append(rule.From, somePeer(chance))
		}
		for range chance.Intn(3) {
			rule.Ports = append(rule.Ports, one(chance, somePorts))
		}
		policy.Spec.Ingress = append(policy.Spec.Ingress, rule)
	}
	return policy
}

func someObjects(chance *rand.Rand) Objects {
	objects := Objects{Namespaces: []*core.Namespace{namespace("team", one(chance, someLabels)), namespace("other", one(chance, someLabels))}}
	for i := range 8 {
		of := one(chance, []string{"team", "other"})
		objects.Pods = append(objects.Pods, pod(of, fmt.Sprint("pod-", i), fmt.Sprint("10.0.0.", 3+i), one(chance, someLabels)))
	}
	for i := range 1 + chance.Intn(4) {
		objects.Policies = append(objects.Policies, somePolicy(chance, fmt.Sprint("policy-", i)))
	}
	return objects
}

// What the kernel does with a chain of rules.
func passes(rules []Rule, from, to netip.Addr, port Ports) bool {
	for _, rule := range rules {
		ports := rule.Ports
		if rule.To == to && rule.From.Contains(from) && (ports.Protocol == "" || ports.Protocol == port.Protocol) &&
			(ports.First == 0 && ports.Last == 0 || ports.First <= port.First && port.First <= ports.Last) {
			return rule.Pass
		}
	}
	return true
}

func side(objects Objects, address netip.Addr) *matcher.TrafficPeer {
	side := &matcher.TrafficPeer{IP: address.String()}
	for _, pod := range objects.Pods {
		if pod.Status.PodIP == side.IP {
			i := slices.IndexFunc(objects.Namespaces, func(n *core.Namespace) bool { return n.Name == pod.Namespace })
			side.Internal = &matcher.InternalPeer{PodLabels: pod.Labels, Namespace: pod.Namespace, NamespaceLabels: objects.Namespaces[i].Labels}
		}
	}
	return side
}

// Cyclonus reads policies to try the networks of others; here it is the judge.
func TestRulesAreWhatCyclonusReads(t *testing.T) {
	seed := time.Now().UnixNano()
	if given := os.Getenv("PLIANT_SEED"); given != "" {
		fmt.Sscan(given, &seed)
	}
	t.Logf("PLIANT_SEED=%d", seed)
	chance := rand.New(rand.NewSource(seed))
	probes := map[Ports]string{
		{core.ProtocolTCP, 7077, 7077}: "grpc", {core.ProtocolTCP, 53, 53}: "", {core.ProtocolUDP, 53, 53}: "dns",
		{core.ProtocolUDP, 49, 49}: "", {core.ProtocolUDP, 50, 50}: "", {core.ProtocolSCTP, 7077, 7077}: ""}
	verdicts := map[bool]int{}
	for range 2000 {
		objects := someObjects(chance)
		rules, _ := Rules(objects)
		judge := matcher.BuildNetworkPolicies(false, objects.Policies)
		senders := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.200")}
		for _, pod := range objects.Pods {
			senders = append(senders, netip.MustParseAddr(pod.Status.PodIP))
		}
		for _, from := range senders {
			for _, to := range senders[2:] {
				for port, name := range probes {
					traffic := &matcher.Traffic{Source: side(objects, from), Destination: side(objects, to),
						ResolvedPort: int(port.First), ResolvedPortName: name, Protocol: port.Protocol}
					want := from == to || judge.IsIngressOrEgressAllowed(traffic, true).IsAllowed()
					if got := passes(rules, from, to, port); got != want {
						t.Fatalf("from %v to %v port %v: passes %v, want %v, by\n%s", from, to, port, got, want, Table(rules))
					}
					verdicts[want]++
				}
			}
		}
	}
	if min(verdicts[true], verdicts[false]) < 10000 {
		t.Errorf("too few of a kind to say anything: %v", verdicts)
	}
}

// Whatever the rules are, the program that takes them can read them.
func TestIptablesReadsEveryTable(t *testing.T) {
	program, err := exec.LookPath("iptables-restore")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("it needs root and iptables-restore")
	}
	chance := rand.New(rand.NewSource(1))
	for range 20 {
		rules, _ := Rules(someObjects(chance))
		command := exec.Command("unshare", "--net", program, "--noflush")
		command.Stdin = strings.NewReader(Table(rules))
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, output, Table(rules))
		}
	}
}
