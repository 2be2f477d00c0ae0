/* What holds a pod's namespaces: it does nothing, collects the pod's orphans, and ends when it is told to.
 * Called as a job's master is, it stands in for one in tests: it listens where masters do, and answers nobody. */
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MASTER_PORT = 7077 };

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void collect(int signal) {
  (void)signal;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

static void hear(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(MASTER_PORT)};
  int heard = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(heard, (struct sockaddr *)&any, sizeof any) != 0 || listen(heard, 16) != 0) {
    _exit(1);
  }
  for (;;) {
    int caller = accept(heard, 0, 0);
    if (caller >= 0) {
      close(caller);
    }
  }
}

int main(int count, char **words) {
  signal(SIGTERM, end);
  signal(SIGINT, end);
  signal(SIGCHLD, collect);
  if (count > 1 && strcmp(words[1], "master") == 0) {
    hear();
  }
  for (;;) {
    pause();
  }
}
