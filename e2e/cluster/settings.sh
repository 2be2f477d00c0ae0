# Sourced by the scripts beside it: where things are, and how they speak.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pliant/kubernetes
run=$cache/run # the running cluster: removed by `down`
kube=$cache/kube
admin=$run/admin.kubeconfig

# All of it in the range for benchmarks between networks, which no real network uses.
namespace=pliant host_ip=198.18.0.1 node_ip=198.18.0.2 network=198.18.0.0/16
pods=198.18.64.0/24 services=198.18.128.0/18 first_service=198.18.128.1

say() { echo "cluster: $*" >&2; }
fail() { say "$*"; exit 1; }

need_root() {
  [ "$(id -u)" = 0 ] || fail "$1 needs root: it makes network namespaces, mounts and control groups"
}

# Takes lock $1, of which file descriptor 9 is the holder, or waits at most $2 seconds for it.
lock() {
  mkdir -p "$cache"
  exec 9>"$cache/$1.lock"
  flock -n 9 || { say "somebody else holds $cache/$1.lock; waiting at most $2 s"; flock -w "$2" 9; } ||
    fail "$cache/$1.lock was not free within $2 s; \`fuser -v $cache/$1.lock\` says who holds it"
}

# Whether the program of pid file $1 runs: it is the one we started if it names our folder, whoever has its pid now.
runs() {
  local pid
  [ -r "$run/pid/$1" ] && read -r pid <"$run/pid/$1" && [ -r "/proc/$pid/cmdline" ] &&
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$run"
}

# How many seconds part $1 has to end by itself: the one that enforces policies takes its rules back first, each by a
# command that may wait 20 s for others who write rules.
time_to_end() { if [ "$1" = network-policies ]; then echo 60; else echo 5; fi; }

# Stops programs $@: asked first, then made to. Fails where rules of policies stay in force.
stop() {
  local name pid began=$SECONDS asked=() left=0
  for name; do
    if runs "$name"; then
      asked+=("$name")
      kill "$(cat "$run/pid/$name")" 2>/dev/null || true
    fi
  done
  for name in "${asked[@]}"; do
    pid=$(cat "$run/pid/$name")
    while kill -0 "$pid" 2>/dev/null && [ $((SECONDS - began)) -lt "$(time_to_end "$name")" ]; do sleep 0.1; done
    if runs "$name"; then end_by_force "$name" "$pid"; fi
    [ "$name" != network-policies ] || remove_policies || left=1
  done
  [ $left = 0 ] || say "rules of NetworkPolicies may still be in force; $here/down ends that"
  return $left
}

# Kills part $1, of pid $2. What enforces policies does so by commands, which would outlive it.
end_by_force() {
  [ "$1" != network-policies ] || kill -KILL -- "-$2" 2>/dev/null || true
  kill -KILL "$2" 2>/dev/null || true
}

filter() { nsenter --net="/run/netns/$namespace" timeout 20 iptables -w "$@"; }

# Takes back what `enforce` put into the node's packet filter, where that was killed or could not do it itself.
remove_policies() {
  local chain=PLIANT-POLICIES rules # as in kube/policies/iptables.go
  rules=$(filter -S) || return 1
  while grep -qxe "-A FORWARD -j $chain" <<<"$rules"; do
    filter -D FORWARD -j $chain || return 1
    rules=$(filter -S) || return 1
  done
  ! grep -qxe "-N $chain" <<<"$rules" || { filter -F $chain && filter -X $chain; }
}

# Removes the node's network, or what is there of it.
remove_network() {
  ip netns delete $namespace 2>/dev/null || true
  ip link delete ${namespace}0 2>/dev/null || true
}

# Becomes a program in a session of its own, which holds nothing of whoever started it: no pipe, and no lock.
detach() {
  local fd
  for fd in /proc/"$BASHPID"/fd/*; do
    fd=${fd##*/}
    [ "$fd" -le 2 ] || eval "exec $fd>&-"
  done
  exec setsid "$@"
}

# Runs command $@ up to three times: one hiccup of the network is no reason to give up. One that took too long is enough.
thrice() {
  local try code
  for try in 1 2 3; do
    code=0
    "$@" || code=$?
    [ $code != 0 ] && [ $code != 124 ] && [ $try != 3 ] || return $code
    say "that failed; trying again in $((10 * try)) s"
    sleep $((10 * try))
  done
}

# Installs Debian's packages $@, or says why it cannot.
apt_install() {
  { timeout 300 apt-get -o Acquire::Retries=3 update &&
    DEBIAN_FRONTEND=noninteractive timeout 900 apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@"; } \
    >"$cache/install.log" 2>&1 </dev/null
}

install_debian() {
  say "installing Debian's $*"
  thrice apt_install "$@" || { tail -n 15 "$cache/install.log" >&2; fail "installing failed; the log is $cache/install.log"; }
}

kubectl() { "$kube" kubectl --kubeconfig "$admin" "$@"; }
containers() { ctr -a "$run/containerd/containerd.sock" -n k8s.io "$@"; }
