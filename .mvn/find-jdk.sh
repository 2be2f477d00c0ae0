# Sourced by ./pliant and ./mvnw: sets JAVA_HOME to a JDK 25 or newer, or says in a sentence that none is here.

jdk_major() { # the major version of the JDK in folder $1, or nothing
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] &&
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

find_jdk() {
  local home major
  for home in ${JAVA_HOME:+"$JAVA_HOME"} /usr/lib/jvm/* /opt/java/* /opt/jdk* "$HOME"/.sdkman/candidates/java/* \
    "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    major=$(jdk_major "$home")
    if [ "${major:-0}" -ge 25 ]; then
      export JAVA_HOME="$home"
      return 0
    fi
  done
  echo "${0##*/}: Pliant needs a JDK 25 or newer, and none is here; install one (Debian: temurin-25-jdk or openjdk-25-jdk) or set JAVA_HOME to it." >&2
  return 1
}
