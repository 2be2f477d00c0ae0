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

# Stops programs $@: asked first, then made to.
stop() {
  local name pids=() end=$((SECONDS + 5))
  for name; do if runs "$name"; then pids+=("$(cat "$run/pid/$name")"); fi; done
  [ ${#pids[@]} -gt 0 ] || return 0
  kill "${pids[@]}" 2>/dev/null || true
  while kill -0 "${pids[@]}" 2>/dev/null && [ $SECONDS -lt $end ]; do sleep 0.1; done
  kill -KILL "${pids[@]}" 2>/dev/null || true
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
