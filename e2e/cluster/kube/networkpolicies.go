package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	core "k8s.io/client-go/listers/core/v1"
	networking "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"pliant.dev/e2e/cluster/kube/policies"
)

const (
	quiet    = 50 * time.Millisecond // changes come in bursts
	patience = 20 * time.Second      // for one command
	again    = time.Second           // after a command that failed
)

// An enforcer keeps the packet filter of its network namespace as the cluster's policies say.
type enforcer struct {
	policies   networking.NetworkPolicyLister
	pods       core.PodLister
	namespaces core.NamespaceLister
	changed    chan struct{} // holds at most one: that anything has
	table      string        // in force
	undone     []string      // said
}

// networkPolicies enforces what NetworkPolicies say about what comes into pods, on the one node there is, from the moment
// that the file --ready is written until it is told to end.
func networkPolicies() {
	flags := flag.NewFlagSet("network-policies", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file that says where the API server is")
	ready := flags.String("ready", "", "file to write once all policies are in force")
	_ = flags.Parse(os.Args[1:]) // ends the program itself
	log.SetFlags(log.Ldate | log.Ltime | log.Lmicroseconds)
	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := enforce(told, *kubeconfig, *ready); err != nil {
		log.Fatalf("network-policies: %v", err)
	}
}

func enforce(told context.Context, kubeconfig, ready string) error {
	e, err := watch(told, kubeconfig)
	if err != nil || told.Err() != nil {
		return err
	}
	if err := e.begin(); err != nil {
		return errors.Join(err, end())
	}
	log.Print("all policies are in force")
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		return errors.Join(err, end())
	}
	e.follow(told)
	if err := end(); err != nil {
		return err
	}
	log.Print("told to end: no policy is in force any more")
	return nil
}

// watch returns once it has seen all there is.
func watch(told context.Context, kubeconfig string) (*enforcer, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	all := factory.Core().V1()
	e := &enforcer{
		policies:   factory.Networking().V1().NetworkPolicies().Lister(),
		pods:       all.Pods().Lister(),
		namespaces: all.Namespaces().Lister(),
		changed:    make(chan struct{}, 1),
	}
	for _, informer := range []cache.SharedIndexInformer{
		factory.Networking().V1().NetworkPolicies().Informer(), all.Pods().Informer(), all.Namespaces().Informer()} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { e.change() },
			UpdateFunc: func(any, any) { e.change() },
			DeleteFunc: func(any) { e.change() },
		}); err != nil {
			return nil, err
		}
	}
	factory.Start(told.Done())
	factory.WaitForCacheSync(told.Done())
	return e, nil
}

func (e *enforcer) change() {
	select {
	case e.changed <- struct{}{}:
	default: // it is known already
	}
}

// begin has the chain filled before packets come there, and has them come there first: kube-proxy's own lets pass what
// comes to a Service from outside.
func (e *enforcer) begin() error {
	if err := e.apply(); err != nil {
		return err
	}
	if err := leaveChain(); err != nil {
		return err
	}
	return command("", "iptables", "-w", "-I", "FORWARD", "-j", policies.Chain)
}

// follow returns when it is told to end. Rules that could not be applied are tried again, and those before them stay.
func (e *enforcer) follow(told context.Context) {
	for {
		select {
		case <-told.Done():
			return
		case <-e.changed:
		}
		pause := quiet
		for done := false; !done; {
			select {
			case <-told.Done():
				return
			case <-time.After(pause):
			}
			err := e.apply()
			if done = err == nil; !done {
				log.Printf("the rules stay as they were, and are tried again in %v: %v", again, err)
			}
			pause = again
		}
	}
}

func (e *enforcer) apply() error {
	objects, err := e.objects()
	if err != nil {
		return err
	}
	rules, undone := policies.Rules(objects)
	for _, sentence := range undone {
		if !slices.Contains(e.undone, sentence) {
			log.Print(sentence)
		}
	}
	e.undone = undone
	table := policies.Table(rules)
	if table == e.table {
		return nil
	}
	if err := command(table, "iptables-restore", "-w", "--noflush"); err != nil {
		return err
	}
	e.table = table
	log.Printf("%d rules", len(rules))
	return nil
}

func (e *enforcer) objects() (objects policies.Objects, err error) {
	var faults [3]error
	objects.Policies, faults[0] = e.policies.List(labels.Everything())
	objects.Pods, faults[1] = e.pods.List(labels.Everything())
	objects.Namespaces, faults[2] = e.namespaces.List(labels.Everything())
	return objects, errors.Join(faults[:]...)
}

// end leaves nothing behind.
func end() error {
	if err := leaveChain(); err != nil {
		return err
	}
	return command(fmt.Sprintf("*filter\n:%s - [0:0]\n-X %s\nCOMMIT\n", policies.Chain, policies.Chain), "iptables-restore", "-w", "--noflush")
}

// leaveChain has packets come to the chain no more, also where one that was killed has left them to.
func leaveChain() error {
	for command("", "iptables", "-w", "-C", "FORWARD", "-j", policies.Chain) == nil {
		if err := command("", "iptables", "-w", "-D", "FORWARD", "-j", policies.Chain); err != nil {
			return err
		}
	}
	return nil
}

func command(input, name string, arguments ...string) error {
	bounded, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	program := exec.CommandContext(bounded, name, arguments...)
	program.Stdin = strings.NewReader(input)
	output, err := program.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(arguments, " "), err, strings.TrimSpace(string(output)))
	}
	return nil
}
