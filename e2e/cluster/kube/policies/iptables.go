package policies

import (
	"fmt"
	"strings"
)

// Chain is where the rules stand, all of them.
const Chain = "PLIANT-POLICIES"

// What the comment of a rule may hold.
const longestComment = 255

// Table is the input of `iptables-restore --noflush` that puts these rules, and no others, into the chain. Whoever is
// refused is told at once, and by whom: "no route to host" is not the "connection refused" of a port where nobody listens.
// What passes is left to the rules of others.
func Table(rules []Rule) string {
	var table strings.Builder
	fmt.Fprintf(&table, "*filter\n:%s - [0:0]\n", Chain)
	fmt.Fprintf(&table, "-A %s -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN\n", Chain)
	for _, rule := range rules {
		fmt.Fprintf(&table, "-A %s -s %v -d %v/32%s -m comment --comment \"%.*s\" -j %s\n",
			Chain, rule.From, rule.To, ports(rule.Ports), longestComment, rule.Why, target(rule))
	}
	table.WriteString("COMMIT\n")
	return table.String()
}

func ports(ports Ports) string {
	if ports.Protocol == "" {
		return ""
	}
	protocol := strings.ToLower(string(ports.Protocol))
	if ports.First == 0 && ports.Last == 0 {
		return " -p " + protocol
	}
	return fmt.Sprintf(" -p %s -m %s --dport %d:%d", protocol, protocol, ports.First, ports.Last)
}

func target(rule Rule) string {
	if rule.Pass {
		return "RETURN"
	}
	return "REJECT --reject-with icmp-admin-prohibited"
}
